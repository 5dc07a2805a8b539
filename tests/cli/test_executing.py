"""`eclogue exec` and the commands on its runs, on real files, processes and tools."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from eclogue.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "executed"
SCHEMA = json.loads((ROOT / "validator" / "schema" / "exec-result.schema.json").read_text())
RELEASE = ("--host", str(EXAMPLES / "release_hosts.py"))


@pytest.fixture(params=["auto", "copy"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECLOGUE_LEAN", "/there/is/no/lean")
    Path("ws").mkdir()


def eclogue(*arguments: str, code: int = 0) -> Result:
    where = (
        () if arguments[0] in ("certify", "verify", "validate") else ("--workspace", "ws", "--state", "st")
    )
    result = CliRunner().invoke(main, [*arguments, *where])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return result


def executed(*arguments: str, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(eclogue("exec", *arguments, "--json", code=code).stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    return found


def program(text: str) -> str:
    Path("p.ecl").write_text(text, encoding="utf-8")
    return "p.ecl"


# ------------------------------------------------------------------------------------------------
# The examples


def test_the_patch_that_passes_the_tests_is_merged(provider: str) -> None:
    shutil.rmtree("ws")
    shutil.copytree(EXAMPLES / "two_patches", "ws")
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "broken")):
        subprocess.run(["git", *command], cwd="ws", check=True)
    before = {path.name: path.read_bytes() for path in Path("ws").glob("*.py")}
    shown = [option for path in {sys.prefix, sys.base_prefix} for option in ("--readable", path)]
    found = executed(
        str(EXAMPLES / "two_patches.ecl"), "--arg", f"python={json.dumps(sys.executable)}", *shown,
        "--provider", provider,
    )  # fmt: skip
    assert found["value"] == {"fixed": True, "by": "no offset"}
    assert found["changes"] == [{"path": "calculator.py", "change": "content"}]
    assert {path.name: path.read_bytes() for path in Path("ws").glob("*.py")} == before
    log = eclogue("log").stdout
    assert "scope.discard()" in log
    assert "[main@" in log
    assert "-    return sum(numbers) / len(numbers) - 1" in eclogue("diff").stdout
    eclogue("merge")
    status = subprocess.run(
        ["git", "status", "--short"], cwd="ws", capture_output=True, text=True, check=True
    )
    assert status.stdout == " M calculator.py\n"
    assert (
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-n0"], cwd="ws", check=False).returncode == 0
    )


def test_what_is_irreversible_waits_and_goes_on_when_it_is_approved() -> None:
    release = (str(EXAMPLES / "release.ecl"), "--arg", 'version="1.2"', *RELEASE)
    waits = executed(*release, code=3)
    assert waits["waiting"]["wants_approval"] is True
    assert waits["carried_out"] == 2
    folder = Path("st/runs/1")
    assert not (folder / "sent.txt").exists()
    done = executed("--continue", "1", "--approve", "mail.*")
    assert (done["value"], done["carried_out"], done["reused"]) == ("released 1.2", 1, 2)
    assert (folder / "sent.txt").read_text() == "everyone@example.org: released 1.2\n"
    again = executed("--continue", "1", "--approve", "mail.*")
    assert (again["carried_out"], again["reused"]) == (0, 3)
    assert (folder / "sent.txt").read_text().count("\n") == 1


def test_a_refusal_undoes_what_can_be_undone_newest_first() -> None:
    policy = ("--policy", str(EXAMPLES / "release.policy.toml"))
    release = (str(EXAMPLES / "release.ecl"), "--arg", 'version="1.3"', *RELEASE, *policy)
    found = executed(*release, "--on-refusal", "compensate", code=3)
    assert [(item["record"], item["problem"]) for item in found["compensated"]] == [(2, None), (0, None)]
    assert found["waiting"]["reason"] == "the policy refuses it"
    with sqlite3.connect("st/runs/1/kv.sqlite3") as database:
        assert database.execute("select * from kv").fetchall() == []
    assert "was undone" in eclogue("exec", "--continue", "1", code=2).stderr
    kept = executed(*release, code=3)
    assert kept["compensated"] == []
    with sqlite3.connect("st/runs/2/kv.sqlite3") as database:
        assert len(database.execute("select * from kv").fetchall()) == 2


SLOW = """effect fs {
  reversible ctl append(path: Text, text: Text): Unit
  reversible ctl read(path: Text): Text
}
effect proc { reversible ctl run(argv: List[Text]): {code: Int} }
task main(flag: Text): Text / {fs, proc} {
  perform fs.append("log", "one\\n");
  let slept = perform proc.run(["sh", "-c", "echo half >> log; test -e $0 || sleep 60", flag]);
  perform fs.append("log", "two\\n");
  perform fs.read("log")
}
"""
COMMAND = """import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from eclogue.cli.outermost import command
command()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_killed_in_the_middle_goes_on(number: signal.Signals, tmp_path: Path) -> None:
    """What has an outcome is not done again, and what the interrupted operation has written is gone."""
    flags = tmp_path / "flags"
    flags.mkdir()
    options = (
        "--arg",
        f'flag="{flags}/go"',
        "--readable",
        str(flags),
        "--workspace",
        "ws",
        "--state",
        "st",
    )
    running = subprocess.Popen([sys.executable, "-c", COMMAND, "exec", program(SLOW), *options])
    trace = Path("st/runs/1/trace.jsonl")
    deadline = time.monotonic() + 60
    while not (trace.exists() and trace.read_bytes().count(b"\n") >= 3):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.3)
    running.send_signal(number)
    assert running.wait(timeout=60) == (-signal.SIGKILL if number is signal.SIGKILL else 3)
    assert "proc.run" in eclogue("log").stdout.splitlines()[-1]
    (flags / "go").touch()
    found = executed("--continue", "1")
    assert found["value"] == "one\nhalf\ntwo\n"
    assert (found["reused"], found["carried_out"]) == (1, 3)


# ------------------------------------------------------------------------------------------------
# Values and refusals


def test_errors_that_can_be_expected_are_values(provider: str) -> None:
    text = """effect fs {
  reversible ctl read(path: Text): {ok: Bool, text: Text, error: Text}
  reversible ctl write(path: Text, text: Text): {ok: Bool, error: Text}
  reversible ctl list(path: Text): {ok: Bool, names: List[Text], error: Text}
  reversible ctl rename(source: Text, target: Text): {ok: Bool, error: Text}
}
effect proc { reversible ctl run(argv: List[Text]): {code: Int, out: Text} }
task main(): List[Text] / {fs, proc} {
  let missing = perform fs.read("missing");
  let up = perform fs.read("../outside");
  let through = perform fs.read("link/x");
  let folder = perform fs.read("d");
  let made = perform fs.write("d/new", "text");
  let moved = perform fs.rename("d", "e");
  let listed = perform fs.list("e");
  let failing = perform proc.run(["sh", "-c", "exit 3"]);
  let none = perform proc.run(["no-such-program"]);
  let codes = if failing.code == 3 and none.code == 127 then { return "codes" } else { return "other" };
  let errors = [missing.error, up.error, through.error, folder.error, made.error, moved.error];
  return errors ++ [codes] ++ listed.names
}
"""
    Path("ws/d").mkdir()
    Path("ws/d/x").write_text("x")
    Path("ws/link").symlink_to("d")
    found = executed(program(text), "--provider", provider)
    assert found["value"] == [
        "ENOENT", "'../outside' is not a path below the workspace", "ENOTDIR", "EISDIR", "", "",
        "codes", "new", "x",
    ]  # fmt: skip
    assert sorted(os.listdir("ws/d")) == ["x"]


def test_a_plain_result_is_the_field_and_waits_where_there_is_none() -> None:
    text = """effect fs { reversible ctl read(path: Text): Text }
task main(path: Text): Text / {fs} { perform fs.read(path) }
"""
    Path("ws/f").write_text("content")
    assert executed(program(text), "--arg", 'path="f"')["value"] == "content"
    waits = executed("p.ecl", "--arg", 'path="missing"', code=3)
    assert waits["waiting"]["reason"] == "ENOENT"


def test_an_operation_with_other_types_is_refused_before_anything_runs() -> None:
    text = """effect fs { reversible ctl read(path: Text, how: Text): Int }
task main(): Int / {fs} { perform fs.read("a", "b") }
"""
    result = eclogue("exec", program(text), code=2)
    assert "EC6002" in result.stderr
    assert not Path("st").exists()


def test_what_no_host_offers_is_answered_from_a_file_or_waits() -> None:
    text = """effect person { reversible ctl decide(what: Text): Bool }
task main(): Bool / {person} { perform person.decide("go?") }
"""
    assert "no host offers" in executed(program(text), code=3)["waiting"]["reason"]
    Path("answers.json").write_text('[{"operation": "person.decide", "value": true}]')
    assert executed("p.ecl", "--answers", "answers.json")["value"] is True
    assert executed("--continue", "1", "--answers", "answers.json")["value"] is True


def test_a_scripted_model_is_the_same_interface_and_needs_an_approval() -> None:
    text = """effect model { irreversible ctl call(prompt: Text): Text }
task main(): Text / {model} {
  let a = perform model.call("first");
  let b = perform model.call("second");
  return a ++ b
}
"""
    Path("script.json").write_text('["1", {"prompt": "second", "answer": "2"}]')
    script = ("--model-script", "script.json")
    assert executed(program(text), *script, code=3)["waiting"]["wants_approval"] is True
    assert executed("p.ecl", *script, "--approve", "model.call")["value"] == "12"
    assert executed("--continue", "1", "--approve", "model.*")["value"] == "12"


def test_conflicts_in_a_merge_are_shown_and_change_nothing() -> None:
    text = """effect fs { reversible ctl write(path: Text, text: Text): Unit }
task main(): Unit / {fs} { perform fs.write("f", "from the run\\n") }
"""
    Path("ws/f").write_text("before\n")
    executed(program(text), "--provider", "copy")
    Path("ws/f").write_text("by a person\n")
    assert "EC6003" in eclogue("merge", code=1).stderr
    assert Path("ws/f").read_text() == "by a person\n"


def test_states_are_compared_and_reverted_to() -> None:
    text = """effect fs { reversible ctl write(path: Text, text: Text): Unit }
task main(): Unit / {fs} {
  perform fs.write("f", "1\\n");
  perform fs.write("f", "2\\n");
  perform fs.write("g", "3\\n")
}
"""
    executed(program(text), "--merge-on", "never")
    found = json.loads(eclogue("diff", "1", "3", "--json").stdout)
    assert found["changes"] == [{"path": "f", "change": "content"}]
    eclogue("revert", "1")
    assert json.loads(eclogue("diff", "--json").stdout)["changes"] == [{"path": "f", "change": "added"}]
    assert "EC6001" in eclogue("revert", "99", code=2).stderr


def test_a_runs_trace_is_certified_and_verified() -> None:
    text = """effect fs { reversible ctl read(path: Text): Text }
task main(): Text / {fs} { perform fs.read("f") }
"""
    Path("ws/f").write_text("content")
    executed(program(text))
    eclogue("log", "--trace", "t.jsonl")
    assert Path("t.jsonl").read_bytes() == Path("st/runs/1/trace.jsonl").read_bytes()
    eclogue("certify", "p.ecl", "--trace", "t.jsonl", "--out", "b.intoto.jsonl")
    verified = json.loads(eclogue("verify", "b.intoto.jsonl", "--json").stdout)
    assert verified["strength"] == "reference_validated"


def test_gc_keeps_the_latest_and_the_pinned() -> None:
    text = "task main(): Unit / {} { return () }\n"
    for _ in range(5):
        executed(program(text))
    told = eclogue("gc", "--keep", "1", "--pin", "2").stdout
    assert told.count("goes") == 3
    assert sorted(os.listdir("st/runs")) == ["2", "5"]


# ------------------------------------------------------------------------------------------------
# Replaying

BUILD = """effect fs {
  reversible ctl write(path: Text, text: Text): Unit
  reversible ctl read(path: Text): Text
}
effect proc { reversible ctl run(argv: List[Text]): {code: Int, out: Text} }
effect scope { reversible ctl fork(name: Text): Unit; reversible ctl merge(): {merged: Bool} }
task main(): Text / {fs, proc, scope} {
  perform fs.write("a", "1\\n");
  perform scope.fork("try");
  let made = perform proc.run(["sh", "-c", "echo made >> a; echo ran >> RAN"]);
  let merge = perform scope.merge();
  perform fs.write("b", "LAST");
  perform fs.read("a")
}
"""


def test_a_replay_carries_nothing_out_and_finds_the_same_records() -> None:
    first = executed(program(BUILD))
    again = json.loads(eclogue("replay", "--json").stdout)
    assert again == {"records": first["records"], "reused": 6, "same": True, "first": None}
    assert os.listdir("st/runs") == ["1"]
    assert "the same  7 records" in eclogue("replay", "--from", "6").stdout


def test_a_replay_of_a_changed_program_reuses_what_the_change_does_not_affect(provider: str) -> None:
    text = BUILD.replace("; echo ran >> RAN", "")
    executed(program(text), "--provider", provider)
    Path("q.ecl").write_text(text.replace("LAST", "CHANGED").replace('"a")\n}', '"b")\n}'))
    told = eclogue("replay", "--program", "q.ecl", "--dry-run").stdout
    assert told == "reusable  8 records of 13, 4 outcomes\n"
    found = json.loads(eclogue("replay", "--program", "q.ecl", "--json").stdout)
    assert (found["reused"], found["carried_out"], found["value"]) == (4, 2, "CHANGED")
    assert found["run"] == 2
    shown = eclogue("diff").stdout
    assert "+made" in shown
    assert "CHANGED" in shown
    assert eclogue("replay").stdout.startswith("the same")


def test_a_replay_with_another_outcome_goes_on_from_it() -> None:
    text = """effect person { reversible ctl decide(what: Text): Bool }
effect fs { reversible ctl write(path: Text, text: Text): Unit }
task main(): Text / {person, fs} {
  perform fs.write("before", "1");
  let go = perform person.decide("go?");
  if go then { perform fs.write("went", "1"); return "went" } else { return "stayed" }
}
"""
    Path("answers.json").write_text("[false]")
    assert executed(program(text), "--answers", "answers.json")["value"] == "stayed"
    found = json.loads(eclogue("replay", "--change", "2=true", "--json").stdout)
    assert (found["value"], found["reused"], found["carried_out"]) == ("went", 2, 1)
    assert {change["path"] for change in found["changes"]} == {"before", "went"}
    assert "is no operation" in eclogue("replay", "--change", "1=true", code=2).stderr


def test_a_record_that_was_altered_is_named() -> None:
    executed(program(BUILD))
    trace = Path("st/runs/1/trace.jsonl")
    trace.write_bytes(trace.read_bytes().replace(b'"out":""', b'"out":"x"'))
    result = eclogue("log", code=2)
    assert "EC6004" in result.stderr
    assert "record 5" in result.stderr


def test_a_torn_last_line_is_what_a_crash_leaves() -> None:
    executed(program(BUILD))
    trace = Path("st/runs/1/trace.jsonl")
    data = trace.read_bytes()
    for cut in (1, 20, 60):
        trace.write_bytes(data[:-cut])
        assert eclogue("log").stdout.count("●") == data.count(b"\n") - 1
    assert executed("--continue", "1")["value"] == "1\nmade\n"
    assert trace.read_bytes() == data


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", "graph.git", *arguments], capture_output=True, text=True, check=True
    ).stdout


def test_a_run_is_a_git_repository_by_one_command() -> None:
    Path("ws/kept").mkdir()
    Path("ws/kept/nam\ne \udcff").write_bytes(b"odd\n")
    Path("ws/run.sh").write_text("#!/bin/sh\n")
    Path("ws/run.sh").chmod(0o700)
    Path("ws/link").symlink_to("run.sh")
    found = executed(program(BUILD))
    eclogue("export", "git", "--out", "graph.git")
    assert git("fsck", "--strict") == ""
    log = git("log", "--format=%H %s").splitlines()
    assert len(log) == found["records"]
    assert found["trace_ref"] in git("log", "-1", "--format=%b")
    assert "Eclogue-Not-In-Git: file 0700" in git("log", "--format=%b")
    assert git("show", "main:a") == "1\nmade\n"
    first = log[-1].split()[0]
    assert set(git("diff", "--name-only", first, "main").splitlines()) == {"RAN", "a", "b"}
    tree = git("ls-tree", "-r", "main")
    assert "100755 blob" in tree
    assert "120000 blob" in tree
    assert '"kept/nam\\ne \\377"' in tree
    assert "EC6001" in eclogue("export", "git", "--out", "graph.git", code=2).stderr


def test_runs_with_a_common_prefix_have_common_commits() -> None:
    executed(program(BUILD))
    Path("q.ecl").write_text(BUILD.replace("LAST", "CHANGED"))
    executed("q.ecl")
    commits = []
    for number in ("1", "2"):
        shutil.rmtree("graph.git", ignore_errors=True)
        eclogue("export", "git", "--run", number, "--out", "graph.git")
        commits.append(git("log", "--reverse", "--format=%H").splitlines())
    same = [left == right for left, right in zip(*commits, strict=True)]
    assert same == [True] * 8 + [False] * 5


# ------------------------------------------------------------------------------------------------
# Watching


def test_a_run_that_is_watched_has_the_same_bytes() -> None:
    text = BUILD.replace("echo made", "sleep 0.3; echo made")
    executed(program(text))
    where = ("--workspace", "ws", "--state", "st")
    base = [sys.executable, "-c", COMMAND]
    running = subprocess.Popen([*base, "exec", "p.ecl", *where], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not Path("st/runs/2/trace.jsonl").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    watching = subprocess.run(
        [*base, "watch", "--run", "2", *where], capture_output=True, text=True, check=True
    )
    assert running.wait(timeout=60) == 0
    traces = [Path(f"st/runs/{number}/trace.jsonl").read_bytes() for number in (1, 2)]
    assert traces[0] == traces[1]
    assert len(watching.stdout.splitlines()) == traces[0].count(b"\n")
    assert "RunEnd" in watching.stdout


# ------------------------------------------------------------------------------------------------
# Hosts of a user's own that do odd things

ODD_HOST = """
from eclogue.core.syntax import Tier
from eclogue.runtime.hosts.offers import ANY, TEXT, UNIT, Offer

RESULTS = {"text": "t", "list": [1], "float": 1.5, "dict": {"a": 1}, "half": chr(0xD800)}
RESULTS["deep"] = (("x", object()),)


def odd(_, what):
    if what == "raises":
        raise ZeroDivisionError("oops")
    return RESULTS[what]


def undo(session, payload, result):
    raise KeyError("no way back")


OFFERS = (
    Offer("odd.act", TEXT, ANY, Tier.REVERSIBLE, odd),
    Offer("odd.step", UNIT, UNIT, Tier.COMPENSABLE, lambda session, payload: None, undo),
)
"""
ODD = """effect odd { reversible ctl act(what: Text): Any; compensable ctl step(): Unit }
task main(what: Text): Any / {odd} { perform odd.step(); perform odd.act(what) }
task failing(): Int / {odd} { perform odd.step(); let x = perform odd.act("text"); return x + 1 }
"""


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("raises", "the host failed: ZeroDivisionError: oops"),
        ("list", "no value: a Python list"),
        ("float", "no value: a Python float"),
        ("dict", "no value: a Python dict"),
        ("half", "half a surrogate pair"),
        ("deep", "no value: a Python object"),
    ],
)
def test_a_host_that_fails_leaves_no_outcome(what: str, says: str) -> None:
    Path("odd.py").write_text(ODD_HOST)
    found = executed(program(ODD), "--host", "odd.py", "--task", "main", "--arg", f'what="{what}"', code=3)
    assert says in found["waiting"]["reason"]
    assert found["carried_out"] == 1


def test_a_compensation_that_fails_is_told() -> None:
    Path("odd.py").write_text(ODD_HOST)
    found = executed(program(ODD), "--host", "odd.py", "--task", "failing", code=1)
    assert [item["problem"] for item in found["compensated"]] == ["'no way back'"]
    assert "NOT compensated: 'no way back'" in eclogue("log").stdout


def test_scopes_that_are_left_open_are_told() -> None:
    text = """effect scope { reversible ctl fork(name: Text): Unit }
task main(): Unit / {scope} { perform scope.fork("left") }
"""
    assert "neither merged nor discarded: left" in eclogue("exec", program(text)).stdout
    assert "still open: left" in eclogue("merge", code=2).stderr
    eclogue("merge", "left")
    eclogue("merge")


def test_a_run_that_cannot_begin_leaves_nothing() -> None:
    text = "task main(): Unit / {} { return () }\n"
    result = CliRunner().invoke(main, ["exec", program(text), "--workspace", "ws", "--state", "ws/st"])
    assert result.exit_code == 2
    assert "lies in the workspace" in result.stderr
    assert os.listdir("ws") == []
    os.mkfifo("ws/pipe")
    Path("ws/closed").mkdir(mode=0o700)
    Path("st/runs").mkdir(parents=True)
    Path("st/runs/1").mkdir()
    Path("st/runs/1/world").mkdir()
    eclogue("exec", "p.ecl")
    assert sorted(os.listdir("st/runs")) == ["1", "2"]
