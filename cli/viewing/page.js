"use strict";
// Shows runs: a list of records of which only the visible rows are in the document, and beside it what the
// machine's state was after the chosen one. All text goes in as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (name) => document.getElementById(name);
  const HEIGHT = 26;
  const NS = "http://www.w3.org/2000/svg";
  const view = { run: 0, chosen: 0, matches: [], query: "" };
  const list = byId("list"), rows = byId("rows");

  const run = () => data.runs[view.run];
  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const shape = (name, attributes) => {
    const made = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  function arrow(from, to) {
    const made = shape("svg", { class: "arrow", viewBox: "0 0 264 26", preserveAspectRatio: "none", "aria-hidden": "true" });
    const x = (lane) => 44 + 88 * lane;
    for (const lane of [0, 1, 2]) made.append(shape("line", { class: "life", x1: x(lane), x2: x(lane), y1: 0, y2: 26 }));
    if (from === to) made.append(shape("circle", { cx: x(from), cy: 13, r: 4 }));
    else {
      const side = to > from ? -7 : 7;
      made.append(shape("line", { x1: x(from), x2: x(to), y1: 13, y2: 13 }));
      made.append(shape("path", { d: `M ${x(to) + side} 8 L ${x(to)} 13 L ${x(to) + side} 18` }));
    }
    return made;
  }

  function row(index) {
    const [number, , says, from, to] = run().records[index];
    const made = element("div", "row" + (view.matches.includes(index) ? " match" : ""));
    made.setAttribute("role", "option");
    made.id = `row-${index}`;
    made.setAttribute("aria-selected", String(index === view.chosen));
    made.append(element("span", "number", String(number)), arrow(from, to), element("span", "says", says));
    made.addEventListener("click", () => choose(index));
    return made;
  }

  function paint() {
    const count = run().records.length;
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 10);
    const last = Math.min(count, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + 10);
    rows.style.top = `${first * HEIGHT}px`;
    rows.replaceChildren(...Array.from({ length: Math.max(0, last - first) }, (_, place) => row(first + place)));
    list.setAttribute("aria-activedescendant", `row-${view.chosen}`);
  }

  function choose(index) {
    const count = run().records.length;
    view.chosen = Math.min(Math.max(index, 0), Math.max(0, count - 1));
    const top = view.chosen * HEIGHT;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
    paint();
    detail();
  }

  function detail() {
    const record = run().records[view.chosen];
    if (!record) return;
    const [number, ref, says, , , place] = record;
    byId("what").textContent = `${number}  ${says}`;
    byId("where").textContent = `ref ${ref}…` + (place ? `, at ${place[0]}:${place[1]}` : "");
    const state = run().states[view.chosen];
    const text = (key) => run().texts[key];
    byId("control").textContent = state ? text(state[0]) : "The states are shown where the program is given.";
    byId("variables").replaceChildren(...(state ? state[1] : []).map((key) => element("li", "", text(key))));
    byId("frames").replaceChildren(...(state ? state[2] : []).map((key) => element("li", "", text(key))));
    source(place);
  }

  function source(place) {
    const lines = run().source.map((line, index) => {
      const made = element("div", place && index + 1 >= place[0] && index + 1 <= place[2] ? "here" : "");
      made.append(element("span", "gutter", String(index + 1)), document.createTextNode(line || " "));
      return made;
    });
    byId("source").replaceChildren(...lines);
    const here = byId("source").querySelector(".here");
    const panel = byId("program");
    if (here) panel.scrollTop = Math.max(0, here.offsetTop - panel.offsetTop - panel.clientHeight / 2);
  }

  function find(query) {
    view.query = query.toLowerCase();
    view.matches = [];
    if (view.query) run().records.forEach((record, index) => {
      if (`${record[1]} ${record[2]}`.toLowerCase().includes(view.query)) view.matches.push(index);
    });
    byId("matches").textContent = view.query ? `${view.matches.length} found` : "";
    if (view.matches.length) choose(view.matches[0]); else paint();
  }

  function next() {
    const after = view.matches.find((index) => index > view.chosen);
    if (after !== undefined) choose(after);
    else if (view.matches.length) choose(view.matches[0]);
  }

  function open(number, record) {
    view.run = number;
    view.matches = [];
    byId("run").value = String(number);
    byId("filter").value = "";
    byId("matches").textContent = "";
    byId("space").style.height = `${run().records.length * HEIGHT}px`;
    list.scrollTop = 0;
    choose(record || 0);
  }

  function link(text, action) {
    const item = element("li", "");
    const made = element("button", "", text);
    made.type = "button";
    made.addEventListener("click", action);
    item.append(made);
    return item;
  }

  data.runs.forEach((each, number) => {
    const option = element("option", "", `${each.name} (${each.records.length})`);
    option.value = String(number);
    byId("run").append(option);
  });
  byId("branches").replaceChildren(...data.branches.map((branch, number) => {
    const from = branch.from === null ? "begins by itself" : `shares ${branch.shared} records with ${data.runs[branch.from].name}`;
    return link(`${data.runs[number].name}: ${branch.length} records, ${from}`, () => open(number, branch.shared));
  }));
  byId("decisions").replaceChildren(...(data.decisions.length
    ? data.decisions.map((each) => link(each.text, () => open(each.runs[0], each.record === null ? data.runs[each.runs[0]].records.length - 1 : each.record)))
    : [element("li", "", "nothing")]));

  byId("run").addEventListener("change", (event) => open(Number(event.target.value), 0));
  byId("filter").addEventListener("input", (event) => find(event.target.value));
  byId("back").addEventListener("click", () => choose(view.chosen - 1));
  byId("forward").addEventListener("click", () => choose(view.chosen + 1));
  list.addEventListener("scroll", paint);
  addEventListener("resize", paint);
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing && event.key === "Escape") event.target.blur();
    if (typing && event.key === "Enter") next();
    if (typing || event.target instanceof HTMLSelectElement) return;
    const page = Math.max(1, Math.floor(list.clientHeight / HEIGHT) - 1);
    const steps = { ArrowRight: 1, ArrowDown: 1, j: 1, ArrowLeft: -1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page };
    if (event.key in steps) choose(view.chosen + steps[event.key]);
    else if (event.key === "Home") choose(0);
    else if (event.key === "End") choose(run().records.length - 1);
    else if (event.key === "/") byId("filter").focus();
    else if (event.key === "n") next();
    else return;
    event.preventDefault();
  });

  const asked = /^#(?:(\d+)\/)?(\d+)$/.exec(location.hash);
  open(asked && asked[1] < data.runs.length ? Number(asked[1] || 0) : 0, asked ? Number(asked[2]) : 0);
  document.documentElement.dataset.ready = "yes";
})();
