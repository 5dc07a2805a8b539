effect ask { reversible ctl number(): Int  reversible ctl text(): Text }

task main(r: {name: Text, size?: Int}, any: Any): Any {
  let n = perform ask.number();
  let t = perform ask.text();
  let a = n + t;
  let b = t + "a" + n;
  let c = n ++ t;
  let d = t ++ [n];
  let e = [n] ++ [t] ++ n;
  let f = not n;
  let g = -t;
  let h = n and true;
  let i = t < 1;
  let j = (n == t) + 1;
  let k = r.nmae;
  let l = r.other;
  let m = n.value;
  let o = [r].name;
  let p = r.size.value;
  let q = {name: r}.name.nam;
  if n then { };
  if t == "a" and any then { };
  repeat 2 with s = {tries: 0} while s.tries { {tries: s.trys + 1} };
  for x in [1, 2] { x.y };
  for x in [1, "a"] { x + true };
  # Nothing is known of these.
  let u = any + 1;
  let v = any.key.key ++ any;
  return [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, u, v]
}
