"""Forged bundles: whatever one place of a claim says differently, `verify` does not accept it."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import attrs
import jsonschema
import pytest
from support.bundles import (
    NO_LEAN,
    changes,
    claim_in,
    claim_without_lean,
    eclogue,
    forged,
    write,
)

from eclogue.cli import verification_run
from eclogue.core.encoding import program_ref
from eclogue.lean.sources import read_package
from eclogue.lowering.load import load_program
from eclogue.validator.claims_map import ClaimsMap, read_claims
from eclogue.validator.dsse import new_key
from eclogue.validator.envelope import Subject

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "validator" / "schema"
SOURCE = """\
effect host { irreversible ctl ask(q: Text): Int }
task main(start: Int): Int / {host.ask} {
  let b = perform host.ask("more");
  return start + b
}
"""
BUNDLE = "claim.intoto.jsonl"


def schema(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text()))


RESULT, ENVELOPE = schema("verify-result"), schema("envelope")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a program, its trace, and a bundle with a certificate, in a folder without Lean."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECLOGUE_LEAN", NO_LEAN)
    package = read_package()
    monkeypatch.setattr(verification_run, "read_package", lambda: package)
    Path("asks.ecl").write_text(SOURCE, encoding="utf-8")
    Path("answers.json").write_text("[5]", encoding="utf-8")
    ran = eclogue(
        "run", "asks.ecl", "--arg", "start=1", "--answers", "answers.json", "--trace", "t.jsonl", "--json"
    )
    refs = json.loads(ran.stdout)
    program = load_program("asks.ecl", arguments={"start": 1})
    subjects = [
        Subject("asks.ecl", "program", digest("asks.ecl"), program_ref(program), "main", (("start", "1"),)),
        Subject("t.jsonl", "trace", digest("t.jsonl"), refs["trace_ref"]),
    ]
    write(BUNDLE, claim_without_lean("asks.ecl", "t.jsonl", subjects, arguments={"start": 1}))


def digest(name: str) -> str:
    return sha256(Path(name).read_bytes()).hexdigest()


def verify(name: str = BUNDLE, *options: str) -> tuple[int, dict[str, Any]]:
    """Return the exit code and the one object on standard output, checked against its schema."""
    result = eclogue("verify", name, *options, "--json")
    found = json.loads(result.stdout)
    RESULT.validate(found)
    assert (result.exit_code == 0) == (found["verdict"] == "accepted")
    return result.exit_code, found


def codes(found: dict[str, Any]) -> set[str]:
    return {item["code"] for item in found["diagnostics"]}


def refused(data: bytes, *options: str) -> set[str]:
    """Return the codes with which a bundle is refused, always for a reason; nothing if it is accepted."""
    code, found = verify(write("forged.intoto.jsonl", data), *options)
    if code == 0:
        return set()
    assert found["strength"] == "runtime_only" or "EC4514" in codes(found)
    assert all(item["message"] for item in found["diagnostics"])
    return codes(found)


# ------------------------------------------------------------------------------------------------
# As it is


def test_the_bundle_itself_stands() -> None:
    code, found = verify()
    assert (code, found["verdict"], found["strength"]) == (0, "accepted", "reference_validated")
    assert (found["claimed_strength"], found["recheck"]) == ("semantic_adequacy", "replay")
    assert codes(found) == {"EC4512"}
    ENVELOPE.validate(claim_in(Path(BUNDLE).read_bytes()))


def test_digests_alone_are_runtime_only() -> None:
    code, found = verify(BUNDLE, "--recheck", "digests")
    assert (code, found["strength"], found["recheck"]) == (0, "runtime_only", "digests")


@pytest.mark.parametrize(
    ("policy", "code"), [("runtime_only", 0), ("reference_validated", 0), ("semantic_adequacy", 1)]
)
def test_a_policy_is_held_against_what_was_found_out(policy: str, code: int) -> None:
    """Not against what the bundle claims."""
    found = verify(BUNDLE, "--policy", policy)
    assert found[0] == code
    assert ("EC4514" in codes(found[1])) == (code == 1)
    assert found[1]["claimed_strength"] == "semantic_adequacy"


def test_lean_that_is_asked_for_and_missing_is_unknown() -> None:
    code, found = verify(BUNDLE, "--recheck", "lean")
    assert (code, found["verdict"]) == (3, "unknown")
    assert "EC4512" in codes(found)


# ------------------------------------------------------------------------------------------------
# Every place

SAID_BY_THE_VERIFIER = {
    "predicate.timeVerified",
    "predicate.verifier.version.eclogue",
    "predicate.lean.binary.digest.sha256",
}
"""When, with which version and with which file Lean was: nobody can find that out again later. Only a
signature says who says so; the companion binds it to the rest."""


def test_a_change_without_a_new_companion_is_refused() -> None:
    """Everywhere, also where nobody can find out again what the verifier said of itself."""
    lines = Path(BUNDLE).read_bytes().splitlines()
    every = list(changes(claim_in(Path(BUNDLE).read_bytes())))
    alone = [each for each in every if each[0].rpartition(" ")[0] in SAID_BY_THE_VERIFIER]
    assert len(every) > 500
    assert len(alone) >= len(SAID_BY_THE_VERIFIER)
    accepted = []
    for name, document in [*alone, *every[::4]]:
        changed = forged(document).splitlines()[0]
        if not refused(changed + b"\n" + lines[1] + b"\n"):
            accepted.append(name)
    assert accepted == []


def test_a_change_with_a_companion_that_fits_is_refused_where_it_can_be_found_out() -> None:
    accepted = set()
    reasons: dict[str, set[str]] = {}
    for name, document in changes(claim_in(Path(BUNDLE).read_bytes())):
        found = refused(forged(document))
        if not found:
            accepted.add(name)
        reasons[name] = found
    assert {name.rpartition(" ")[0] for name in accepted} <= SAID_BY_THE_VERIFIER
    assert {name.rpartition(" ")[2] for name in accepted} <= {"other"}
    assert accepted  # that this list is not empty is what a signature is for
    assert reasons["predicate.strength other"] == {"EC4507"}
    assert reasons["predicate.certificate.digest.sha256 other"] >= {"EC4507"}
    assert reasons["subject.1.name other"] == {"EC4504"}
    assert reasons["subject.1.digest.sha256 other"] == {"EC4505"}
    assert reasons["subject.1.annotations.ref other"] == {"EC4506"}


def test_the_schema_refuses_what_has_another_form() -> None:
    refused_by_schema = sum(
        not ENVELOPE.is_valid(document)
        for name, document in changes(claim_in(Path(BUNDLE).read_bytes()))
        if name.endswith((" null", " gone"))
    )
    assert refused_by_schema > 100


def test_the_theorem_map_is_what_counts() -> None:
    """A claim made with another theorem map, be it of a weaker statement or with an axiom, is refused."""
    known = read_claims()
    cited = [entry["id"] for entry in claim_in(Path(BUNDLE).read_bytes())["predicate"]["theorems"]]
    assert "certified" in cited
    assert "machine_eval_to_source" in cited
    for theorem in cited:
        for change in (
            {"statement_digest": "sha256:" + "0" * 64},
            {"declaration": "Eclogue.Proof.weaker"},
            {"axioms": ("propext",)},
        ):
            weaker = attrs.evolve(known.theorems[theorem], **change)
            other = attrs.evolve(known, theorems={**known.theorems, theorem: weaker})
            assert "EC4507" in refused_with(other), (theorem, change)
    assert refused_with(attrs.evolve(known, foundation="sha256:" + "0" * 64)) == {"EC4507"}
    assert refused_with(known) == set()


def refused_with(known: ClaimsMap) -> set[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification_run, "read_claims", lambda: known)
        return refused(Path(BUNDLE).read_bytes())


# ------------------------------------------------------------------------------------------------
# Bytes


def tampered(data: bytes, position: int) -> bytes:
    other = data[position] ^ (1 if data[position] not in b"\n\x0b" else 0x20)
    return data[:position] + bytes([other]) + data[position + 1 :]


@pytest.mark.parametrize("name", ["asks.ecl", "t.jsonl"])
def test_any_byte_of_a_file_is_missed(name: str) -> None:
    data = Path(name).read_bytes()
    for position in Random(name).sample(range(len(data)), 60):
        write(name, tampered(data, position))
        code, found = verify()
        assert (code, codes(found)) == (1, {"EC4505"}), position
    write(name, data)
    assert verify()[0] == 0


def test_any_byte_of_a_bundle_is_missed() -> None:
    data = Path(BUNDLE).read_bytes()
    for position in Random(1).sample(range(len(data) - 1), 250):
        assert refused(tampered(data, position)), position


def test_any_byte_of_a_signed_bundle_is_missed() -> None:
    """But for the hint which key it is, which says nothing."""
    private, public = new_key()
    write("a.key", private), write("a.pub", public)
    options = ("--arg", "start=1", "--trace", "t.jsonl", "--sign", "a.key")
    assert eclogue("certify", "asks.ecl", *options).exit_code == 0
    data = Path("t.intoto.jsonl").read_bytes()
    assert verify("t.intoto.jsonl", "--key", "a.pub")[1]["signature"] == "right"
    hints = {
        position
        for start in range(len(data))
        if data.startswith(b'"keyid"', start)
        for position in range(start, data.index(b",", start))
    }
    ends = [number for number, byte in enumerate(data) if byte == ord("\n")]
    signatures = {position for end in ends for position in range(end - 110, end)}
    sampled = {*Random(2).sample(range(len(data) - 1), 150), *signatures} - hints
    for position in sorted(sampled):
        assert refused(tampered(data, position), "--key", "a.pub"), position


# ------------------------------------------------------------------------------------------------
# Other runs


def test_a_bundle_of_another_run_is_not_this_ones() -> None:
    """Every subject of another run, put into this bundle with everything that fits to it."""
    Path("answers.json").write_text("[6]", encoding="utf-8")
    eclogue("run", "asks.ecl", "--arg", "start=1", "--answers", "answers.json", "--trace", "other.jsonl")
    ref = json.loads(eclogue("validate", "other.jsonl", "--json").stdout)["trace_ref"]
    document = claim_in(Path(BUNDLE).read_bytes())
    document["subject"][1].update(name="other.jsonl", digest={"sha256": digest("other.jsonl")})
    document["subject"][1]["annotations"]["ref"] = ref
    _, found = verify(write("forged.intoto.jsonl", forged(document)))
    places = " ".join(item["message"] for item in found["diagnostics"])
    assert "predicate.certificate.digest" in places
    assert "predicate.inputs" in places


def test_other_arguments_are_another_program() -> None:
    code, found = verify(BUNDLE, "--arg", "start=2")
    assert (code, codes(found)) == (1, {"EC4506"})


def test_a_weaker_claim_is_a_claim_of_its_own() -> None:
    """Without Lean the same run is certified with less, and says less."""
    assert eclogue("certify", "asks.ecl", "--arg", "start=1", "--trace", "t.jsonl").exit_code == 0
    code, found = verify("t.intoto.jsonl")
    assert (code, found["claimed_strength"]) == (0, "reference_validated")
    predicate = claim_in(Path("t.intoto.jsonl").read_bytes())["predicate"]
    assert not predicate.keys() & {"lean", "certificate", "theorems", "decides"}
    assert "proved" in {item["id"] for item in predicate["nonClaims"]}
    stronger = claim_in(Path("t.intoto.jsonl").read_bytes())
    stronger["predicate"]["strength"] = "semantic_adequacy"
    assert refused(forged(stronger)) == {"EC4507"}


# ------------------------------------------------------------------------------------------------
# Salts and redacted traces


def test_a_salted_claim_is_written_again_with_its_salt() -> None:
    """Without Lean too: the salt is part of the certificate's manifest by the trace's ref."""
    Path("salt").write_text("07" * 32, encoding="utf-8")
    ran = ("--arg", "start=1", "--answers", "answers.json", "--trace", "s.jsonl", "--salt", "salt")
    refs = json.loads(eclogue("run", "asks.ecl", *ran, "--json").stdout)
    salt = bytes.fromhex("07" * 32)
    program = load_program("asks.ecl", arguments={"start": 1})
    subjects = [
        Subject("asks.ecl", "program", digest("asks.ecl"), program_ref(program), "main", (("start", "1"),)),
        Subject("s.jsonl", "trace", digest("s.jsonl"), refs["trace_ref"]),
    ]
    data = claim_without_lean("asks.ecl", "s.jsonl", subjects, salt, arguments={"start": 1})
    write("s.intoto.jsonl", data)
    code, found = verify("s.intoto.jsonl", "--salt", "salt")
    assert (code, found["strength"], found["recheck"]) == (0, "reference_validated", "replay")
    assert codes(verify("s.intoto.jsonl")[1]) == {"EC4510"}
    Path("other").write_text("08" * 32, encoding="utf-8")
    assert codes(verify("s.intoto.jsonl", "--salt", "other")[1]) == {"EC4510"}


def test_a_redacted_trace_waives_bytes_and_nothing_else() -> None:
    """It reaches no policy beyond what was recorded, and a change to a record or a ref is missed."""
    assert eclogue("redact", "t.jsonl", "--redact", "host.ask:result", "--out", "r.jsonl").exit_code == 0
    code, found = verify(BUNDLE, "--trace", "r.jsonl")
    assert (code, found["strength"], found["subjects"]["trace"]) == (0, "runtime_only", "redacted")
    code, found = verify(BUNDLE, "--trace", "r.jsonl", "--policy", "reference_validated")
    assert (code, "EC4514" in codes(found)) == (1, True)
    assert verify(BUNDLE, "--trace", "r.jsonl", "--recheck", "replay")[0] == 3
    lines = Path("r.jsonl").read_bytes().splitlines()
    assert any(b"commitment" in line for line in lines)
    for number, line in enumerate(lines):
        record = json.loads(line)
        for member in record.keys() - {"span", "seq", "record"}:
            if not isinstance(record[member], str):
                continue
            last = record[member][-1]
            other = record | {member: record[member][:-1] + ("0" if last != "0" else "1")}
            changed = [*lines[:number], json.dumps(other).encode(), *lines[number + 1 :]]
            write("changed.jsonl", b"\n".join(changed) + b"\n")
            assert verify(BUNDLE, "--trace", "changed.jsonl")[0] != 0, (number, member)
        if b"commitment" not in b"".join(lines[:number] + lines[number + 1 :]):
            continue
        write("changed.jsonl", b"\n".join(lines[:number] + lines[number + 1 :]) + b"\n")
        assert verify(BUNDLE, "--trace", "changed.jsonl")[0] != 0, number
