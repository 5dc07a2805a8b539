"""A stranger's path for an executed run: trace, files, a claim by facets, and what is found out again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result
from support.bundles import NO_LEAN, claim_in

from eclogue.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "validator" / "schema" / "envelope.schema.json").read_text())

PROGRAM = """effect fs {
  reversible ctl write(path: Text, text: Text): Unit
  reversible ctl append(path: Text, text: Text): {ok: Bool, error: Text}
  reversible ctl read(path: Text): Text
  reversible ctl remove(path: Text): {ok: Bool, error: Text}
  reversible ctl rename(source: Text, target: Text): Unit
  reversible ctl chmod(path: Text, mode: Int): Unit
  reversible ctl mkdir(path: Text): Unit
  reversible ctl list(path: Text): List[Text]
}
effect scope {
  reversible ctl fork(name: Text): Unit
  reversible ctl merge(): {merged: Bool}
  reversible ctl discard(): Unit
}
effect proc { reversible ctl run(argv: List[Text]): {code: Int} }
task main(command: Text): List[Text] / {fs, scope, proc} {
  let old = perform fs.read("d/old");
  let more = perform fs.append("d/old", "more\\n");
  perform scope.fork("one");
  perform fs.mkdir("new");
  perform fs.write("new/file", "text\\n");
  perform fs.rename("d", "new/d");
  let merged = perform scope.merge();
  perform scope.fork("two");
  perform fs.write("lost", "lost\\n");
  perform scope.discard();
  perform fs.chmod("new/file", 384);
  let missing = perform fs.remove("missing");
  let run = perform proc.run(["sh", "-c", command]);
  perform fs.list("new")
}
"""


def eclogue(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECLOGUE_LEAN", NO_LEAN)
    Path("ws/d").mkdir(parents=True)
    Path("ws/d/old").write_text("old\n")
    Path("ws/link").symlink_to("d")
    Path("p.ecl").write_text(PROGRAM, encoding="utf-8")


def certified(command: str = "true") -> dict[str, Any]:
    """Execute, write trace and files, certify; return the predicate."""
    where = ("--workspace", "ws", "--state", "st")
    argument = ("--arg", f"command={json.dumps(command)}")
    eclogue("exec", "p.ecl", *argument, *where)
    eclogue("log", *where, "--trace", "run.jsonl", "--files", "run.files.json")
    eclogue("certify", "p.ecl", *argument, "--trace", "run.jsonl", "--files", "run.files.json")
    for line in Path("run.intoto.jsonl").read_text().splitlines():
        document = json.loads(line)
        if "run-envelope" in document["predicateType"]:
            jsonschema.Draft202012Validator(SCHEMA).validate(document)
    predicate: dict[str, Any] = claim_in(Path("run.intoto.jsonl").read_bytes())["predicate"]
    return predicate


def verified(code: int = 0) -> dict[str, Any]:
    """Copy the four files elsewhere and verify them there."""
    shutil.rmtree("elsewhere", ignore_errors=True)
    Path("elsewhere").mkdir()
    for name in ("run.intoto.jsonl", "run.jsonl", "run.files.json", "p.ecl"):
        shutil.copy(name, "elsewhere")
    found: dict[str, Any] = json.loads(
        eclogue("verify", "elsewhere/run.intoto.jsonl", "--json", code=code).stdout
    )
    return found


def test_the_files_of_a_run_are_a_facet_that_a_stranger_finds_out_again() -> None:
    predicate = certified()
    assert predicate["facets"] == [
        {"of": "control", "strength": "reference_validated"},
        {"of": "files", "strength": "reference_validated"},
        {"of": "processes", "strength": "runtime_only"},
    ]
    assert "files_recorded" in [item["id"] for item in predicate["assumptions"]]
    not_claimed = [item["id"] for item in predicate["nonClaims"]]
    assert "beyond_the_files_facet" in not_claimed
    assert "files_and_gates" not in not_claimed
    assert verified()["verdict"] == "accepted"
    told = eclogue("verify", "elsewhere/run.intoto.jsonl").stdout
    assert "9 recorded operations on files, replayed on the pure model" in told


def test_what_a_program_changed_leaves_the_files_at_runtime_only() -> None:
    predicate = certified("echo x >> new/file")
    assert predicate["facets"][1] == {"of": "files", "strength": "runtime_only"}
    assert "files_and_gates" in [item["id"] for item in predicate["nonClaims"]]
    assert verified()["verdict"] == "accepted"
    told = eclogue("verify", "elsewhere/run.intoto.jsonl").stdout
    assert "new/file is not what the recorded operations make of it; a program (record" in told


@pytest.mark.parametrize("name", ["run.intoto.jsonl", "run.jsonl", "run.files.json", "p.ecl"])
def test_any_tampered_byte_is_a_rejection_with_a_reason(name: str) -> None:
    certified()
    path = Path(name)
    right = path.read_bytes()
    for place in range(0, len(right), max(1, len(right) // 25)):
        path.write_bytes(right[:place] + bytes([right[place] ^ 1]) + right[place + 1 :])
        Path("elsewhere").mkdir(exist_ok=True)
        for each in ("run.intoto.jsonl", "run.jsonl", "run.files.json", "p.ecl"):
            shutil.copy(each, "elsewhere")
        result = CliRunner().invoke(main, ["verify", "elsewhere/run.intoto.jsonl"])
        assert result.exit_code in (1, 2, 3), (place, result.output)
        assert "EC" in result.stderr
    path.write_bytes(right)
    assert verified()["verdict"] == "accepted"


@pytest.mark.parametrize("change", ["claim more", "other files", "no files"])
def test_a_forged_facet_is_refused(change: str) -> None:
    from eclogue.validator.envelope import companion_of
    from eclogue.validator.strict_json import written

    certified("echo x >> new/file")
    claim = claim_in(Path("run.intoto.jsonl").read_bytes())
    if change == "claim more":
        claim["predicate"]["facets"][1]["strength"] = "reference_validated"
    elif change == "other files":
        document = json.loads(Path("run.files.json").read_text())
        document["final"]["more"] = ["file", 420, "0" * 64]
        Path("run.files.json").write_bytes(written(document) + b"\n")
        from hashlib import sha256

        digest = sha256(Path("run.files.json").read_bytes()).hexdigest()
        claim["subject"][-1]["digest"]["sha256"] = digest
        claim["subject"][-1]["annotations"]["ref"] = f"sha256:{digest}"
        claim["predicate"]["facets"][1]["strength"] = "reference_validated"
    else:
        claim["subject"].pop()
    line = written(claim)
    companion = companion_of(line, claim["subject"], claim["predicate"])
    Path("run.intoto.jsonl").write_bytes(line + b"\n" + companion + b"\n")
    found = verified(code=1)
    assert "EC4507" in [item["code"] for item in found["diagnostics"]]


def test_a_document_of_another_form_is_refused() -> None:
    certified()
    Path("run.files.json").write_text("{}")
    result = eclogue(
        "certify",
        "p.ecl",
        "--arg",
        'command="true"',
        "--trace",
        "run.jsonl",
        "--files",
        "run.files.json",
        code=2,
    )
    assert "EC6005" in result.stderr
