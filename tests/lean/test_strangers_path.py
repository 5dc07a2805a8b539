"""A stranger's path: run, certify, take bundle, trace and program elsewhere, and verify there with Lean."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from support.bundles import NO_LEAN, claim_in, eclogue, forged

from eclogue.lean.certificate_check import checking
from eclogue.lean.certificate_files import read
from eclogue.lean.toolchain import Lean
from eclogue.validator import certificate_evidence, predicate
from eclogue.validator.claims_map import read_claims

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "validator" / "schema"


@pytest.fixture(autouse=True)
def _here(lean: Lean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, where there is Lean."""
    assert lean.version
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "examples" / "hello.ecl", ".")


def told(kind: str, *arguments: str, code: int = 0) -> dict[str, Any]:
    result = eclogue(*arguments, "--json")
    assert result.exit_code == code, result.output
    found = json.loads(result.stdout)
    schema = json.loads((SCHEMAS / f"{kind}-result.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(found)
    assert isinstance(found, dict)
    return found


def codes(found: dict[str, Any]) -> set[str]:
    return {item["code"] for item in found["diagnostics"]}


def taken_elsewhere(folder: str = "elsewhere") -> Path:
    """Run and certify here, and copy what a stranger gets to another folder."""
    assert eclogue("run", "hello.ecl", "--trace", "hello.jsonl").exit_code == 0
    found = told("certify", "certify", "hello.ecl", "--trace", "hello.jsonl", "--keep", "kept")
    assert (found["strength"], found["certificate"]["states_bytes"]) == ("semantic_adequacy", True)
    there = Path(folder)
    there.mkdir()
    for name in ("hello.intoto.jsonl", "hello.jsonl", "hello.ecl"):
        shutil.copy(name, there)
    return there


def test_the_strangers_path(monkeypatch: pytest.MonkeyPatch) -> None:
    there = taken_elsewhere()
    bundle = str(there / "hello.intoto.jsonl")
    strict = ("--policy", "semantic_adequacy")
    found = told("verify", "verify", bundle, "--recheck", "lean", *strict)
    assert (found["verdict"], found["strength"]) == ("accepted", "semantic_adequacy")
    assert (found["recheck"], codes(found)) == ("lean", set())
    assert told("verify", "verify", bundle, *strict)["recheck"] == "lean"
    _says_what_the_files_say(claim_in(Path(bundle).read_bytes()))
    assert read(Path("kept")).digest == f"sha256:{_certificate(bundle)['digest']['sha256']}"

    for name in ("hello.ecl", "hello.jsonl", "hello.intoto.jsonl"):
        data = (there / name).read_bytes()
        for position in Random(name).sample(range(len(data) - 1), 12):
            changed = data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :]
            (there / name).write_bytes(changed)
            result = eclogue("verify", bundle, "--recheck", "lean", "--json")
            assert result.exit_code in {1, 2, 3}, (name, position)
            assert json.loads(result.stdout)["diagnostics"], (name, position)
        (there / name).write_bytes(data)

    monkeypatch.setenv("ECLOGUE_LEAN", NO_LEAN)
    weaker = told("verify", "verify", bundle)
    assert (weaker["strength"], weaker["claimed_strength"]) == ("reference_validated", "semantic_adequacy")
    assert codes(told("verify", "verify", bundle, *strict, code=1)) == {"EC4512", "EC4514"}


EXECUTED = """effect fs {
  reversible ctl read(path: Text): Text
  reversible ctl append(path: Text, text: Text): {ok: Bool, error: Text}
  reversible ctl remove(path: Text): {ok: Bool, error: Text}
}
effect scope {
  reversible ctl fork(name: Text): Unit
  reversible ctl merge(): {merged: Bool}
}
task main(): {merged: Bool} / {fs, scope} {
  let old = perform fs.read("notes");
  perform scope.fork("one");
  let more = perform fs.append("notes", old);
  let missing = perform fs.remove("missing");
  perform scope.merge()
}
"""


def test_the_strangers_path_of_an_executed_run() -> None:
    """Control up to Lean, files on the model of files, and no byte of the four files can be another."""
    Path("ws").mkdir()
    Path("ws/notes").write_text("a line\n")
    Path("p.ecl").write_text(EXECUTED)
    where = ("--workspace", "ws", "--state", "st")
    for arguments in (
        ("exec", "p.ecl", *where),
        ("log", *where, "--trace", "run.jsonl", "--files", "run.files.json"),
        ("certify", "p.ecl", "--trace", "run.jsonl", "--files", "run.files.json"),
    ):
        result = eclogue(*arguments)
        assert result.exit_code == 0, result.output
    there = Path("elsewhere")
    there.mkdir()
    names = ("run.intoto.jsonl", "run.jsonl", "run.files.json", "p.ecl")
    for name in names:
        shutil.copy(name, there)
    bundle = str(there / "run.intoto.jsonl")
    strict = ("--recheck", "lean", "--policy", "semantic_adequacy")
    found = told("verify", "verify", bundle, *strict)
    assert (found["verdict"], found["strength"]) == ("accepted", "semantic_adequacy")
    assert claim_in(Path(bundle).read_bytes())["predicate"]["facets"] == [
        {"of": "control", "strength": "semantic_adequacy"},
        {"of": "files", "strength": "reference_validated"},
    ]
    for name in names:
        data = (there / name).read_bytes()
        for position in Random(name).sample(range(len(data) - 1), 5):
            changed = data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :]
            (there / name).write_bytes(changed)
            result = eclogue("verify", bundle, *strict, "--json")
            assert result.exit_code in {1, 2, 3}, (name, position)
            assert json.loads(result.stdout)["diagnostics"], (name, position)
        (there / name).write_bytes(data)


def test_a_lean_that_is_not_a_known_one_is_named_everywhere(
    lean: Lean, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same Lean, after anybody has looked at it, and before."""
    if not lean.known:
        pytest.skip("this machine's Lean is not a known one")
    there = taken_elsewhere()
    bundle = str(there / "hello.intoto.jsonl")
    assert f"{_said(lean, known=True)}; the bundle names the same" in eclogue("verify", bundle).stdout
    for module in (certificate_evidence, predicate):
        monkeypatch.setattr(module, "is_known", {}.__contains__)
    written = eclogue("certify", "hello.ecl", "--trace", "hello.jsonl")
    assert _said(lean, known=False) in written.stdout
    assert "EC4515" in written.stderr
    claim = claim_in(Path("hello.intoto.jsonl").read_bytes())
    assert "lean_binary" in {item["id"] for item in claim["predicate"]["assumptions"]}
    again = told("verify", "verify", "hello.intoto.jsonl")
    assert (again["verdict"], again["strength"], codes(again)) == (
        "accepted",
        "semantic_adequacy",
        {"EC4515"},
    )
    used = {"version": lean.version, "found": lean.source, "digest": lean.digest, "known": False}
    assert again["lean"] == used


def _said(lean: Lean, *, known: bool) -> str:
    found = {"package": "of the package", "path": "found on PATH", "setting": "named by ECLOGUE_LEAN"}
    word = "a known one" if known else f"not a known one ({lean.digest})"
    return f"{lean.version}, {found[lean.source]}, {word}"


def _says_what_the_files_say(claim: dict[str, Any]) -> None:
    """Assumptions, non-claims and theorems are those of the claims; the encoder need not be trusted."""
    known, predicate = read_claims(), claim["predicate"]
    schema = json.loads((SCHEMAS / "envelope.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(claim)
    for item in predicate["assumptions"]:
        assert item["text"] == known.assumptions[item["id"]].text
    assert not {"encoder", "lean_binary"} & {item["id"] for item in predicate["assumptions"]}
    for item in predicate["nonClaims"]:
        assert item["text"] == known.non_claims[item["id"]].text
    for entry in predicate["theorems"]:
        locked = known.theorems[entry["id"]]
        assert f"sha256:{entry['statementDigest']['sha256']}" == locked.statement_digest
        assert entry["axioms"] == []
    assert predicate["lean"]["version"]
    assert f"sha256:{predicate['lean']['foundation']['digest']['sha256']}" == known.foundation


def _certificate(bundle: str) -> dict[str, Any]:
    found = claim_in(Path(bundle).read_bytes())["predicate"]["certificate"]
    assert isinstance(found, dict)
    return found


def test_what_lean_finds_out_is_compared_too() -> None:
    """Also the digest of the sources, and the certificate's, with a companion that fits."""
    there = taken_elsewhere()
    document = claim_in((there / "hello.intoto.jsonl").read_bytes())
    for place in (
        ("certificate", "digest"),
        ("lean", "sources", "digest"),
        ("lean", "foundation", "digest"),
    ):
        changed = json.loads(json.dumps(document))
        target = changed["predicate"]
        for key in place:
            target = target[key]
        target["sha256"] = sha256(b"other").hexdigest()
        (there / "forged.intoto.jsonl").write_bytes(forged(changed))
        found = told("verify", "verify", str(there / "forged.intoto.jsonl"), code=1)
        assert codes(found) == {"EC4507"}
        assert found["strength"] == "runtime_only"


def test_a_weaker_theorem_map_is_not_trusted(tmp_path: Path) -> None:
    """With one statement's digest changed, no certificate is accepted against that map."""
    proofs = tmp_path / "proofs"
    shutil.copytree(ROOT / "proofs", proofs, ignore=shutil.ignore_patterns("blueprint"))
    locked = read_claims().theorems["certified"].statement_digest
    path = proofs / "theorems.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace(locked, "sha256:" + "0" * 64), encoding="utf-8"
    )
    with checking(proofs=proofs) as checker:
        assert "statement.changed" in {problem.code for problem in checker.problems}


def test_a_corpus_with_lean() -> None:
    """A bundle that says less, for want of Lean then, is made anew; one that stands is not."""
    Path("corpus").mkdir()
    shutil.copy("hello.ecl", "corpus/hello.ecl")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ECLOGUE_LEAN", NO_LEAN)
        first = json.loads(eclogue("certify", "--corpus", "corpus", "--json").stdout)["runs"][0]
    second = json.loads(eclogue("certify", "--corpus", "corpus", "--json").stdout)["runs"][0]
    third = json.loads(eclogue("certify", "--corpus", "corpus", "--json").stdout)["runs"][0]
    assert [run["strength"] for run in (first, second, third)] == [
        "reference_validated",
        "semantic_adequacy",
        "semantic_adequacy",
    ]
    assert (second["remark"], third["remark"]) == ("", "certified before")
