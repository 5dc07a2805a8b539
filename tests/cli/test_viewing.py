"""`eclogue view`: the page holds what it should, loads nothing, and shows the machine's own states."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.cases import directed_case

from eclogue.cli.main import main
from eclogue.cli.viewing.data import Shown, document_of, lanes_of, states_after_records, told
from eclogue.cli.viewing.page import as_data, page_of
from eclogue.core.inspection import names_of
from eclogue.core.run import run
from eclogue.core.state import advance, observe, start
from eclogue.core.trace import EffectDeclaration, HandlerSelection, HostObservation

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium")
in_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def eclogue(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return result


def shown(seed: int) -> Shown:
    case = directed_case(seed)
    done = run(case.program, case.answers)
    records = [(n, r, ref, span) for (n, r, span), ref in zip(done.records(), done.refs(), strict=True)]
    return Shown(f"case{seed}", records, case.program, "source")


def data_in(page: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    found: dict[str, Any] = json.loads(match[1])
    return found


def test_the_states_of_a_page_are_those_of_the_machine() -> None:
    """For each record, the first state in which it is there: found again by stepping from the start."""
    compared = 0
    for seed in range(60):
        case = directed_case(seed)
        one = shown(seed)
        document = document_of([one])["runs"][0]
        texts, names = document["texts"], names_of(case.program)
        assert len(document["states"]) == len(one.records)
        state, answers, number = start(case.program), list(case.answers), -1
        while True:
            while state.trace[1] > number:
                number += 1
                control, variables, frames = told(state, names)
                found = document["states"][number]
                assert texts[found[0]] == control
                assert [texts[key] for key in found[1]] == variables
                assert [texts[key] for key in found[2]] == frames
                compared += 1
            if number == len(one.records) - 1:
                break
            following, applied, _ = advance(state, 1)
            state = following if applied else observe(state, answers.pop(0).value)
    assert compared > 300


def test_states_after_records_end_where_the_run_does() -> None:
    case = directed_case(3)
    done = run(case.program, case.answers)
    assert len(list(states_after_records(case.program, case.answers))) == done.record_count


def test_lanes() -> None:
    declaration = EffectDeclaration("a.b", None)
    assert lanes_of(declaration, HandlerSelection(0, 0)) == (0, 1)
    assert lanes_of(declaration, HostObservation(0, None)) == (0, 2)
    assert lanes_of(declaration, None) == (0, 2)
    assert lanes_of(HostObservation(0, None), None) == (2, 0)


HOSTILE = (
    '</script><script>document.title="owned"</script><img src=x onerror=alert(1)>\u2028\u202e@data@ &lt;'
)


def test_what_a_trace_says_stays_text() -> None:
    text = as_data({"x": HOSTILE})
    assert "<" not in text
    assert json.loads(text) == {"x": HOSTILE}
    page = page_of({"runs": [], "branches": [], "decisions": [{"text": HOSTILE}]}, HOSTILE)
    assert page.count("<script") == 2
    assert data_in(page)["decisions"][0]["text"] == HOSTILE
    assert html.escape(HOSTILE) in page


def test_the_page_loads_nothing_and_allows_only_its_own_script() -> None:
    page = page_of(document_of([shown(1)]), "title")
    assert "default-src 'none'" in page
    assert not re.search(r"""(?:src|href)\s*=|@import|url\(|https?://(?!www\.w3\.org/2000/svg)""", page)
    assert len(re.findall(r"sha256-[A-Za-z0-9+/]{43}=", page)) == 2


def example(name: str, *more: str) -> str:
    source = ROOT / "examples" / f"{name}.ecl"
    shutil.copy(source, f"{name}.ecl")
    answers = ROOT / "examples" / f"{name}.answers.json"
    given = ("--answers", str(answers)) if answers.exists() else ()
    CliRunner().invoke(main, ["run", f"{name}.ecl", *more, *given, "--trace", f"{name}.trace.jsonl"])
    return f"{name}.trace.jsonl"


def test_a_folder_shows_branches_and_what_waits() -> None:
    Path("runs").mkdir()
    source = ROOT / "examples" / "two_branches.ecl"
    for name in ("up", "down", "waiting"):
        shutil.copy(source, f"runs/{name}.ecl")
        answers = ROOT / "examples" / f"two_branches.{name}.answers.json"
        first = ["run", str(source), "--save", "s.json", "--trace", f"runs/{name}.trace.jsonl"]
        CliRunner().invoke(main, first)
        if answers.exists():
            again = ["resume", "s.json", "--answers", str(answers), "--trace", f"runs/{name}.trace.jsonl"]
            CliRunner().invoke(main, again)
    eclogue("view", "runs", "--out", "page.html")
    found = data_in(Path("page.html").read_text(encoding="utf-8"))
    assert [run["name"] for run in found["runs"]] == ["down", "up", "waiting"]
    assert [(item["from"], item["shared"] > 0) for item in found["branches"]] == [
        (None, False),
        (0, True),
        (0, True),
    ]
    assert [item["text"] for item in found["decisions"]] == ["waiting: oracle.choose waits (irreversible)"]


def test_a_trace_of_another_program_is_refused() -> None:
    trace = example("hello")
    other = example("retry")
    assert "EC4404" in eclogue("view", trace, "--program", "retry.ecl", code=2).stderr
    eclogue("view", other, "--program", "retry.ecl")
    assert Path("retry.trace.html").exists()
    assert "EC0001" in eclogue("view", "nowhere.jsonl", code=2).stderr


# ------------------------------------------------------------------------------------------------
# In a browser


def dom(page: Path, where: str = "") -> str:
    """Return the document after its script has run, as headless Chromium prints it."""
    assert CHROMIUM is not None
    profile = page.parent / "profile"
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={profile}", "--window-size=1280,800", "--virtual-time-budget=3000",
        "--dump-dom", f"{page.absolute().as_uri()}{where}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


@in_chromium
def test_the_page_shows_a_record_with_its_state_and_its_place() -> None:
    trace = example("hello")
    eclogue("view", trace, "--program", "hello.ecl", "--out", "page.html")
    found = data_in(Path("page.html").read_text(encoding="utf-8"))["runs"][0]
    for number in (0, 3, 6):
        shown_page = dom(Path("page.html"), f"#{number}")
        assert 'data-ready="yes"' in shown_page
        record, state = found["records"][number], found["states"][number]
        assert f'<h2 id="what">{number}  {html.escape(record[2], quote=False)}</h2>' in shown_page
        control = html.escape(found["texts"][state[0]], quote=False)
        assert f'<p id="control">{control}</p>' in shown_page
        for key in state[2]:
            assert f"<li>{html.escape(found['texts'][key], quote=False)}</li>" in shown_page
        if record[5] is not None:
            assert 'class="here"' in shown_page


@in_chromium
def test_a_long_run_has_only_its_visible_rows_in_the_document_and_hostile_text_is_text() -> None:
    Path("p.ecl").write_text(
        "effect host { reversible ctl ask(text: Text): Int }\n"
        f"task main(): Int / {{host}} {{ let n = perform host.ask({json.dumps(HOSTILE[:60])});\n"
        '  repeat 3000 with x = 0 { let a = perform host.ask("again"); return x + a } }\n',
        encoding="utf-8",
    )
    Path("answers.json").write_text(json.dumps([1] * 3001))
    eclogue("run", "p.ecl", "--answers", "answers.json", "--trace", "t.jsonl")
    eclogue("view", "t.jsonl", "--out", "page.html")
    page = dom(Path("page.html"), "#6000")
    assert 'data-ready="yes"' in page
    assert "owned" not in re.search(r"<title>(.*?)</title>", page)[1]  # type: ignore[index]
    assert page.count('role="option"') < 100
    assert 'id="row-6000"' in page
