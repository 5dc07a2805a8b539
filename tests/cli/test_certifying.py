"""`eclogue certify`, `verify` and `keys` without Lean: what is written, found, refused, and said."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import jsonschema
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import dsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from support.bundles import NO_LEAN, claim_in, claim_without_lean, eclogue

from eclogue.cli import certification, certifying, corpus, verification_run
from eclogue.lean.certificate_check import Checker, checking
from eclogue.lean.problems import Problem
from eclogue.validator import bundle as bundles
from eclogue.validator import claims_map
from eclogue.validator.bundle import read_bundle
from eclogue.validator.certificate_evidence import KernelVerdict
from eclogue.validator.evidence import Strength
from eclogue.validator.verification import subjects_of

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "validator" / "schema"
SOURCE = """\
effect host { irreversible ctl ask(q: Text): Int }
task main(start: Int): Int / {host.ask} { let b = perform host.ask("more"); return start + b }
"""
CERTIFY = ("certify", "asks.ecl", "--arg", "start=1", "--answers", "answers.json")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECLOGUE_LEAN", NO_LEAN)
    Path("asks.ecl").write_text(SOURCE, encoding="utf-8")
    Path("answers.json").write_text("[5]", encoding="utf-8")


def told(kind: str, *arguments: str, code: int) -> dict[str, Any]:
    """Return the one object that a command prints, checked against the published schema."""
    result = eclogue(*arguments, "--json")
    assert result.exit_code == code, result.output
    found = json.loads(result.stdout)
    schema = json.loads((SCHEMAS / f"{kind}-result.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(found)
    assert isinstance(found, dict)
    return found


def certified(*arguments: str, code: int = 0) -> dict[str, Any]:
    return told("certify", *CERTIFY, *arguments, code=code)


def verified(*arguments: str, code: int = 0) -> dict[str, Any]:
    return told("verify", "verify", *arguments, code=code)


def codes(found: dict[str, Any]) -> list[str]:
    return [item["code"] for item in found["diagnostics"]]


# ------------------------------------------------------------------------------------------------
# Without Lean


def test_without_lean_it_is_reference_validated_and_says_why() -> None:
    found = certified()
    assert (found["verdict"], found["strength"]) == ("accepted", "reference_validated")
    assert "was not found" in found["strength_reason"]
    assert (found["certificate"], codes(found)) == (None, ["EC4512"])
    claim = claim_in(Path("asks.intoto.jsonl").read_bytes())
    assert claim["predicate"]["strength"] == "reference_validated"
    assert [item["annotations"]["role"] for item in claim["subject"]] == ["program", "trace", "answers"]
    assert codes(verified("asks.intoto.jsonl", "--policy", "semantic_adequacy", code=1)) == ["EC4514"]
    again = verified("asks.intoto.jsonl", "--policy", "reference_validated")
    assert (again["strength"], again["status"], codes(again)) == ("reference_validated", "completed", [])
    asked = verified("asks.intoto.jsonl", "--recheck", "lean", code=3)
    assert (asked["verdict"], codes(asked)) == ("unknown", ["EC4512"])


def test_no_other_strength_can_come_out() -> None:
    """`forward_simulation` is no strength, and what is issued is what the claims say is issued."""
    known = claims_map.read_claims()
    assert known.issued == {strength.value for strength in Strength}
    assert "forward_simulation" not in known.issued
    result = eclogue("verify", "x", "--policy", "forward_simulation")
    assert result.exit_code == 2


def test_a_rejected_run_has_no_envelope() -> None:
    certified()
    Path("asks.intoto.jsonl").unlink()
    trace = Path("asks.trace.jsonl")
    trace.write_text(trace.read_text().replace('"value":5', '"value":7', 1))
    result = eclogue(*CERTIFY, "--trace", str(trace), "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["verdict"] == "rejected"
    assert list(Path().glob("*.intoto.jsonl")) == []


def test_answers_that_are_not_the_traces_have_no_envelope() -> None:
    certified()
    Path("answers.json").write_text("[6]", encoding="utf-8")
    Path("asks.intoto.jsonl").unlink()
    assert eclogue(*CERTIFY, "--trace", "asks.trace.jsonl").exit_code == 1
    assert list(Path().glob("*.intoto.jsonl")) == []


def test_a_run_that_waits_is_certified_as_a_prefix() -> None:
    found = told("certify", "certify", "asks.ecl", "--arg", "start=1", code=0)
    assert found["records"] == 1
    claim = claim_in(Path("asks.intoto.jsonl").read_bytes())
    assert claim["predicate"]["outcome"] == {"status": "suspended", "records": 1}
    assert verified("asks.intoto.jsonl")["strength"] == "reference_validated"


@pytest.mark.parametrize(
    "arguments",
    [
        ("certify",),
        ("certify", "asks.ecl", "--corpus", "."),
        ("certify", "--corpus", ".", "--arg", "start=1"),
        ("certify", "asks.ecl", "--arg", "start=1", "--out", "asks.ecl"),
        ("certify", "asks.ecl", "--arg", "start=1", "--out", "sub/asks.intoto.jsonl"),
        ("certify", "gone.ecl"),
        ("certify", "asks.ecl"),
        ("verify",),
        ("verify", "gone.intoto.jsonl"),
        ("verify", "."),
        ("verify", "asks.ecl"),
        ("keys", "new", "gone/a"),
    ],
)
def test_mistakes_are_usage(arguments: tuple[str, ...]) -> None:
    result = eclogue(*arguments)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert result.stderr


# ------------------------------------------------------------------------------------------------
# Where files are sought


def test_files_are_found_beside_the_bundle_or_given() -> None:
    certified()
    Path("there").mkdir()
    shutil.move("asks.intoto.jsonl", "there/b.intoto.jsonl")
    found = verified("there/b.intoto.jsonl", code=3)
    assert (found["verdict"], codes(found)) == ("unknown", ["EC4504"] * 3)
    assert found["subjects"] == {"program": "missing", "trace": "missing", "answers": "missing"}
    given = ("--program", "asks.ecl", "--trace", "asks.trace.jsonl", "--answers", "answers.json")
    assert verified("there/b.intoto.jsonl", *given)["verdict"] == "accepted"
    for name in ("asks.ecl", "asks.trace.jsonl", "answers.json"):
        shutil.copy(name, "there")
    assert verified("there/b.intoto.jsonl")["verdict"] == "accepted"


@pytest.mark.parametrize("name", ["asks.ecl", "asks.trace.jsonl", "answers.json"])
def test_links_are_not_followed_unless_they_are_given(name: str) -> None:
    """What stands beside a bundle came with it, and may point anywhere."""
    certified()
    Path("elsewhere").mkdir()
    shutil.move(name, f"elsewhere/{name}")
    os.symlink(f"elsewhere/{name}", name)
    found = verified("asks.intoto.jsonl", code=3)
    assert codes(found) == ["EC4504"]
    role = {"asks.ecl": "program", "asks.trace.jsonl": "trace", "answers.json": "answers"}[name]
    assert verified("asks.intoto.jsonl", f"--{role}", name)["verdict"] == "accepted"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
def test_a_pipe_is_no_file_beside_a_bundle() -> None:
    certified()
    Path("asks.trace.jsonl").unlink()
    os.mkfifo("asks.trace.jsonl")
    assert codes(verified("asks.intoto.jsonl", code=3)) == ["EC4504"]


def test_names_that_no_bundle_can_have_are_refused_when_it_is_made() -> None:
    shutil.copy("asks.ecl", "a\u202eb.ecl")
    result = eclogue("certify", "a\u202eb.ecl", "--arg", "start=1")
    assert result.exit_code == 2
    assert "no name" in result.stderr
    shutil.copy("asks.ecl", "answers.ecl")
    Path("sub").mkdir()
    shutil.copy("asks.ecl", "sub/answers.json")
    assert eclogue("certify", "sub/answers.json", "--answers", "answers.json").exit_code == 2


def test_arguments_can_be_kept_to_oneself() -> None:
    certified("--private-arguments")
    assert '"arguments"' not in Path("asks.intoto.jsonl").read_text()
    assert codes(verified("asks.intoto.jsonl", code=3)) == ["EC4504"]
    assert verified("asks.intoto.jsonl", "--arg", "start=1")["verdict"] == "accepted"
    assert codes(verified("asks.intoto.jsonl", "--arg", "start=2", code=1)) == ["EC4506"]


# ------------------------------------------------------------------------------------------------
# Keys


def test_a_signed_bundle_needs_its_key() -> None:
    for name in ("a", "b"):
        assert eclogue("keys", "new", name).exit_code == 0
    assert stat.S_IMODE(Path("a.key").stat().st_mode) == 0o600
    assert eclogue("keys", "new", "a").exit_code == 2
    certified("--sign", "a.key")
    assert verified("asks.intoto.jsonl", "--key", "a.pub")["signature"] == "right"
    unchecked = verified("asks.intoto.jsonl")
    assert (unchecked["signature"], codes(unchecked)[0]) == ("not checked", "EC4508")
    wrong = verified("asks.intoto.jsonl", "--key", "b.pub", code=1)
    assert (wrong["signature"], wrong["strength"], set(codes(wrong))) == (
        "wrong",
        "runtime_only",
        {"EC4508"},
    )
    certified()
    assert set(codes(verified("asks.intoto.jsonl", "--key", "a.pub", code=1))) == {"EC4508"}


def test_a_signature_over_other_bytes_is_none() -> None:
    eclogue("keys", "new", "a")
    certified("--sign", "a.key")
    lines = [json.loads(line) for line in Path("asks.intoto.jsonl").read_text().splitlines()]
    for line, other in ((0, 1), (1, 0)):
        replayed = [dict(item) for item in lines]
        replayed[line]["signatures"] = lines[other]["signatures"]
        Path("x.intoto.jsonl").write_text("\n".join(map(json.dumps, replayed)))
        assert set(codes(verified("x.intoto.jsonl", "--key", "a.pub", code=1))) == {"EC4508"}


@pytest.mark.parametrize("option", ["--sign", "--key"])
def test_what_is_no_key(option: str) -> None:
    certified()
    command = CERTIFY if option == "--sign" else ("verify", "asks.intoto.jsonl")
    eclogue("keys", "new", "a")
    for name in ("answers.json", "a.pub" if option == "--sign" else "a.key"):
        result = eclogue(*command, option, name)
        assert result.exit_code == 2
        assert "EC4513" in result.stderr


UNSUPPORTED_CURVE = """\
-----BEGIN PUBLIC KEY-----
MDIwEAYHKoZIzj0CAQYFK4EEAAYDHgAEd1TaDQEiKeOSu5t3t9BwKigKyATOsc+0
tZRaPQ==
-----END PUBLIC KEY-----
"""


def test_keys_of_other_kinds_are_refused() -> None:
    """An unsupported curve, DSA, and a key with a password, which libraries refuse in ways of their own."""
    certified()
    Path("curve.pub").write_text(UNSUPPORTED_CURVE)
    dsa_key = dsa.generate_private_key(1024)
    plain, pem = serialization.NoEncryption(), serialization.Encoding.PEM
    pkcs8, info = serialization.PrivateFormat.PKCS8, serialization.PublicFormat.SubjectPublicKeyInfo
    Path("dsa.key").write_bytes(dsa_key.private_bytes(pem, pkcs8, plain))
    Path("dsa.pub").write_bytes(dsa_key.public_key().public_bytes(pem, info))
    locked = serialization.BestAvailableEncryption(b"secret")
    Path("locked.key").write_bytes(Ed25519PrivateKey.generate().private_bytes(pem, pkcs8, locked))
    for name, words in (
        ("curve.pub", "is not supported"),
        ("dsa.pub", "not an Ed25519 key"),
        ("dsa.key", "not an Ed25519 key"),
        ("locked.key", "Password was not given"),
    ):
        with_key = ("verify", "asks.intoto.jsonl", "--key", name)
        result = eclogue(*(with_key if name.endswith(".pub") else (*CERTIFY, "--sign", name)))
        assert result.exit_code == 2
        assert "EC4513" in result.stderr
        assert words in result.stderr


def test_a_bundle_that_nobody_would_read_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MAX_BYTES", 1000)
    result = eclogue(*CERTIFY)
    assert result.exit_code == 2
    assert "EC0005" in result.stderr
    assert not Path("asks.intoto.jsonl").exists()


def test_the_core_install_says_what_signing_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    certified()
    eclogue("keys", "new", "a")
    monkeypatch.setitem(sys.modules, "cryptography", None)
    for command in ((*CERTIFY, "--sign", "a.key"), ("verify", "asks.intoto.jsonl", "--key", "a.pub")):
        result = eclogue(*command)
        assert result.exit_code == 2
        assert "the extra `sign`" in result.stderr
    assert "the extra `sign`" in eclogue("keys", "new", "c").stderr
    assert verified("asks.intoto.jsonl")["verdict"] == "accepted"


# ------------------------------------------------------------------------------------------------
# Alarms


@attrs.frozen(eq=False)
class Refusing(Checker):
    """A Lean that refuses every certificate."""

    def certify(self, *arguments: Any, **options: Any) -> Any:
        """Return the certificate that there is, refused."""
        certificate, checked = super().certify(*arguments, **options)
        return certificate, attrs.evolve(checked, verdict=KernelVerdict.REJECTED, reason="no proof")


def refusing(*problems: Problem) -> Any:
    @contextlib.contextmanager
    def opened(*_: object) -> Iterator[Checker]:
        yield Refusing(None, list(problems))

    return opened


def test_certify_raises_the_alarm_when_lean_refuses_what_replay_accepts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(certifying, "lean_checker", refusing())
    found = certified(code=4)
    assert (found["verdict"], found["strength"], codes(found)) == ("unknown", "runtime_only", ["EC4406"])
    assert "report" in found["diagnostics"][0]["hint"]
    assert list(Path().glob("*.intoto.jsonl")) == []
    (folder,) = Path().glob("eclogue-disagreement-*")
    assert {path.name for path in folder.iterdir()} == {"program.json", "answers.json", "trace.jsonl"}
    saved = eclogue("validate", f"{folder}/trace.jsonl", "--program", f"{folder}/program.json")
    assert saved.exit_code == 0


def test_verify_raises_the_alarm_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a bundle with a certificate that Lean refuses, though it is the one that this run has."""
    certified()
    made = read_bundle(Path("asks.intoto.jsonl").read_bytes())
    subjects = list(subjects_of(made.claim).values())
    data = claim_without_lean("asks.ecl", "asks.trace.jsonl", subjects, arguments={"start": 1})
    Path("asks.intoto.jsonl").write_bytes(data)
    monkeypatch.setattr(verification_run, "lean_checker", refusing())
    found = verified("asks.intoto.jsonl", code=4)
    assert (found["verdict"], found["strength"]) == ("unknown", "runtime_only")
    assert {"EC4406", "EC4511"} <= set(codes(found))
    assert len(list(Path().glob("eclogue-disagreement-*"))) == 1
    monkeypatch.setattr(verification_run, "lean_checker", refusing(Problem("x", "y", "not to be trusted")))
    untrusted = verified("asks.intoto.jsonl", "--recheck", "lean", code=3)
    assert codes(untrusted) == ["EC4512"]


def test_a_development_that_is_not_trusted_is_no_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certifying, "lean_checker", refusing(Problem("x", "y", "not to be trusted")))
    assert certified()["strength"] == "reference_validated"


# ------------------------------------------------------------------------------------------------
# A folder of programs

BROKEN = "task main(): Text / {} { return 1 }\n"


@pytest.fixture
def folder() -> str:
    Path("corpus").mkdir()
    for name in ("hello", "retry", "nested_wraps"):
        shutil.copy(ROOT / "examples" / f"{name}.ecl", "corpus")
    Path("corpus/broken.ecl").write_text(BROKEN)
    return "corpus"


def test_a_corpus_is_certified_and_goes_on_where_it_ended(folder: str) -> None:
    first = eclogue("certify", "--corpus", folder, "--jobs", "2")
    assert first.exit_code == 2
    lines = [line for line in first.stdout.splitlines() if ".ecl" in line]
    assert len(lines) == 4
    assert "certified before" not in first.stdout
    assert first.stderr == ""
    again = eclogue("certify", "--corpus", folder, "--json")
    runs = {item["program"]: item for item in json.loads(again.stdout)["runs"]}
    assert list(runs) == sorted(runs)
    assert runs["broken.ecl"]["verdict"] == "malformed"
    done = [item for item in runs.values() if item["verdict"] == "accepted"]
    assert len(done) == 3
    for item in done:
        assert (item["strength"], item["remark"]) == ("reference_validated", "certified before")
        bundle = f"{folder}/{item['program'].removesuffix('.ecl')}.intoto.jsonl"
        assert verified(bundle)["verdict"] == "accepted"
    Path("corpus/hello.ecl").write_text(Path("corpus/hello.ecl").read_text() + "# more\n")
    third = json.loads(eclogue("certify", "--corpus", folder, "--json").stdout)["runs"]
    remarks = {item["program"]: item["remark"] for item in third}
    assert remarks["hello.ecl"] != "certified before"
    assert remarks["retry.ecl"] == "certified before"


def test_a_bundle_in_a_corpus_that_does_not_stand_is_made_again(folder: str) -> None:
    eclogue("certify", "--corpus", folder)
    bundle = Path("corpus/hello.intoto.jsonl")
    right = bundle.read_bytes()
    for old, new in ((b"task_done", b"task_DONE"), (b"reference_validated", b"semantic_adequacy")):
        bundle.write_bytes(right.replace(old, new))
        runs = json.loads(eclogue("certify", "--corpus", folder, "--json").stdout)["runs"]
        remarks = {item["program"]: item["remark"] for item in runs}
        assert remarks["hello.ecl"] != "certified before"
        assert remarks["retry.ecl"] == "certified before"
        assert verified(str(bundle))["verdict"] == "accepted"


def test_signed_bundles_in_a_corpus_stay_signed(folder: str) -> None:
    for name in ("a", "b"):
        eclogue("keys", "new", name)
    eclogue("certify", "--corpus", folder, "--sign", "a.key")
    bundle = Path("corpus/hello.intoto.jsonl")
    signed = bundle.read_bytes()
    eclogue("certify", "--corpus", folder)
    eclogue("certify", "--corpus", folder, "--sign", "a.key")
    assert bundle.read_bytes() == signed
    eclogue("certify", "--corpus", folder, "--sign", "b.key")
    assert verified(str(bundle), "--key", "b.pub")["signature"] == "right"


def test_arguments_of_programs_in_a_corpus_come_from_a_file() -> None:
    Path("more").mkdir()
    Path("more/asks.ecl").write_text(Path("asks.ecl").read_text())
    for text, verdict in (("[]", "malformed"), ("{}", "malformed"), ('{"start": 1}', "accepted")):
        Path("more/asks.arguments.json").write_text(text)
        runs = json.loads(eclogue("certify", "--corpus", "more", "--json").stdout)["runs"]
        assert [item["verdict"] for item in runs] == [verdict]
        assert (runs[0]["strength"] == "") is (verdict == "malformed")


def test_what_does_not_lie_beside_the_bundle_is_said() -> None:
    Path("apart").mkdir()
    told = eclogue("certify", "asks.ecl", "--arg", "start=1", "--out", "apart/x.intoto.jsonl").stdout
    assert "copy asks.ecl" in told
    assert "beside the bundle" in told


def test_claims_are_printed_when_asked() -> None:
    certified()
    told = eclogue("verify", "asks.intoto.jsonl", "--claims").stdout
    assert "The host's answers are an oracle" in told
    assert "not claimed" in told


def test_a_rejected_trace_in_a_corpus_has_no_bundle_and_decides_the_exit_code(folder: str) -> None:
    Path("corpus/broken.ecl").unlink()
    eclogue("certify", "--corpus", folder)
    trace = Path("corpus/hello.trace.jsonl")
    trace.write_text(trace.read_text().replace('"world"', '"World"', 1))
    result = eclogue("certify", "--corpus", folder, "--json")
    runs = {item["program"]: item["verdict"] for item in json.loads(result.stdout)["runs"]}
    assert (result.exit_code, runs["hello.ecl"]) == (1, "rejected")


def test_a_folder_without_programs_is_a_mistake() -> None:
    Path("none").mkdir()
    for name in ("none", "gone", "asks.ecl"):
        assert eclogue("certify", "--corpus", name).exit_code == 2


def test_nothing_but_lines_goes_into_a_pipe(folder: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from eclogue.cli.main import main; main()", "certify", "--corpus", folder],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "80"},
    )
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "\r" not in done.stdout
    assert corpus.BUNDLE == ".intoto.jsonl"


# ------------------------------------------------------------------------------------------------
# Programs that nobody here wrote

PEER = sorted((ROOT / "tests" / "peer" / "kernel-v3").glob("*.json"))


@pytest.mark.parametrize("case", PEER, ids=lambda case: case.stem)
def test_peer_fixtures_import_run_validate_and_certify(case: Path) -> None:
    imported = eclogue("import", "kernel-v3", str(case), "--out", "p.json", "--answers-out", "a.json")
    assert imported.exit_code == 0, imported.output
    assert eclogue("run", "p.json", "--answers", "a.json", "--trace", "p.jsonl").exit_code in {0, 1, 3}
    assert eclogue("validate", "p.jsonl", "--program", "p.json", "--answers", "a.json").exit_code == 0
    found = told("certify", "certify", "p.json", "--trace", "p.jsonl", "--answers", "a.json", code=0)
    assert found["strength"] == "reference_validated"
    assert verified(found["bundle"])["strength"] == "reference_validated"


def test_lean_is_not_there_in_these_tests() -> None:
    with checking() as checker:
        assert checker.build is None


# ------------------------------------------------------------------------------------------------
# What is believed, and what is written over


def test_a_bundle_that_somebody_else_put_there_is_not_believed(folder: str) -> None:
    eclogue("certify", "--corpus", folder)
    bundle = Path("corpus/hello.intoto.jsonl")
    lines = bundle.read_bytes().splitlines(keepends=True)
    bundle.write_bytes(lines[1] + lines[0])  # as right as before, and yet not what was written here
    for remark in ("", "certified before"):
        runs = json.loads(eclogue("certify", "--corpus", folder, "--json").stdout)["runs"]
        remarks = {item["program"]: item["remark"] for item in runs}
        assert (remarks["hello.ecl"] == "certified before") is (remark != "")
        assert remarks["retry.ecl"] == "certified before"
    assert bundle.read_bytes() != lines[1] + lines[0]


def test_pipes_and_folders_in_a_corpus_are_lines_of_it(folder: str) -> None:
    os.mkfifo("corpus/pipe.ecl")
    Path("corpus/inner.ecl").mkdir()
    os.mkfifo("corpus/retry.answers.json")
    runs = json.loads(eclogue("certify", "--corpus", folder, "--json").stdout)["runs"]
    verdicts = {item["program"]: item["verdict"] for item in runs}
    assert [verdicts[name] for name in ("pipe.ecl", "inner.ecl", "retry.ecl", "hello.ecl")] == [
        "malformed",
        "malformed",
        "malformed",
        "accepted",
    ]


@pytest.mark.parametrize("name", ["asks.ecl", "answers.json", "asks.trace.jsonl"])
def test_a_file_that_changes_meanwhile_is_not_what_the_envelope_is_about(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digests in an envelope are those of the bytes that were checked, whatever stands there later."""
    certified()
    before = {path: Path(path).read_bytes() for path in ("asks.ecl", "answers.json", "asks.trace.jsonl")}
    real = certification.claim_of

    def later(*arguments: Any, **more: Any) -> Any:
        Path(name).write_bytes(before[name] + b"\n")
        return real(*arguments, **more)

    monkeypatch.setattr(certification, "claim_of", later)
    certified("--trace", "asks.trace.jsonl")
    assert codes(verified("asks.intoto.jsonl", code=1)) == ["EC4505"]
    Path(name).write_bytes(before[name])
    assert verified("asks.intoto.jsonl")["verdict"] == "accepted"


def test_a_recorded_trace_is_not_written_over() -> None:
    Path("asks.trace.jsonl").write_text("{}\n")
    result = eclogue(*CERTIFY)
    assert result.exit_code == 2
    assert "not written over" in result.stderr
    assert Path("asks.trace.jsonl").read_text() == "{}\n"
    Path("asks.trace.jsonl").unlink()
    certified()
    certified()


def test_a_salt_is_not_written_over() -> None:
    Path("asks.trace.jsonl").write_text("0011\n")
    result = eclogue(*CERTIFY, "--salt", "asks.trace.jsonl")
    assert result.exit_code == 2
    assert Path("asks.trace.jsonl").read_text() == "0011\n"


@pytest.mark.parametrize("what", ["file", "link", "other"])
def test_a_certificate_is_not_kept_among_other_files(what: str) -> None:
    Path("kept").mkdir()
    if what == "link":
        Path("kept/README.txt").symlink_to("../asks.ecl")
    else:
        Path("kept", "README.txt" if what == "file" else "mine.txt").write_text("mine")
    result = eclogue(*CERTIFY, "--keep", "kept")
    assert result.exit_code == 2
    assert "--keep kept" in result.stderr
    assert Path("asks.ecl").read_text(encoding="utf-8") == SOURCE
    assert not Path("asks.intoto.jsonl").exists()


def test_an_envelope_of_an_earlier_run_is_named_after_a_rejection() -> None:
    certified()
    trace = Path("asks.trace.jsonl")
    trace.write_text(trace.read_text().replace(":5,", ":6,"))
    result = eclogue(*CERTIFY, "--trace", "asks.trace.jsonl")
    assert result.exit_code == 1
    assert "asks.intoto.jsonl is of an earlier call" in result.stderr
