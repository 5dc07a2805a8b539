"""`eclogue redact` and `restore`, salts, and what a redacted trace still proves."""

from __future__ import annotations

import base64
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from eclogue.cli.main import main

SECRET = 'sésame "open" 42'
PROGRAM = """effect vault { irreversible ctl fetch(name: Text): Text }
task main(): Text / {vault} {
  let code = perform vault.fetch("door");
  return "used " ++ code
}
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("vault.ecl").write_text(PROGRAM, encoding="utf-8")
    Path("vault.answers.json").write_text(json.dumps([SECRET]), encoding="utf-8")
    run("run", "vault.ecl", "--answers", "vault.answers.json", "--trace", "t.jsonl")


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return result


def told(result: Result) -> Any:
    return json.loads(result.stdout)


def forms(secret: str) -> list[bytes]:
    """Return the ways in which a text may stand in a file."""
    plain = secret.encode()
    return [
        plain,
        json.dumps(secret)[1:-1].encode(),
        json.dumps(secret, ensure_ascii=False)[1:-1].encode(),
        secret.encode("utf-16-le"),
        secret.encode("utf-16-be"),
        base64.b64encode(plain)[:-4],
        plain.hex().encode(),
    ]


def test_a_secret_occurs_nowhere_in_what_is_given_away() -> None:
    result = run("redact", "t.jsonl", "--secret", SECRET, "--json")
    found = told(result)
    assert found["verdict"] == "accepted"
    assert found["redacted"] == [1, 2]
    given = [Path(found["out"]).read_bytes(), result.stdout.encode(), result.stderr.encode()]
    for form in forms(SECRET):
        assert not any(form in data for data in given)
    assert SECRET in json.loads(Path(found["blobs"]).read_text(encoding="utf-8").splitlines()[1])[
        "line"
    ].replace("\\", "")
    assert stat.S_IMODE(Path(found["blobs"]).stat().st_mode) == 0o600


def test_what_is_taken_out_comes_back_to_the_byte() -> None:
    run("redact", "t.jsonl", "--redact", "vault.*", "--everywhere")
    assert Path("t.redacted.jsonl").read_bytes() != Path("t.jsonl").read_bytes()
    run("restore", "t.redacted.jsonl", "t.blobs.jsonl", "--out", "back.jsonl")
    assert Path("back.jsonl").read_bytes() == Path("t.jsonl").read_bytes()


def test_what_is_still_told_is_an_error_with_its_place() -> None:
    found = told(run("redact", "t.jsonl", "--redact", "vault.fetch:result", "--json", code=1))
    assert [(item["code"], item["line"]) for item in found["diagnostics"]] == [("EC4704", 3)]
    assert found["redacted"] == [1]


@pytest.mark.parametrize(("name", "code"), [("vault.answers.json", 1), ("vault.ecl", 0)])
def test_other_files_are_checked(name: str, code: int) -> None:
    found = told(run("redact", "t.jsonl", "--secret", SECRET, "--check", name, "--json", code=code))
    assert [item["code"] for item in found["diagnostics"]] == ["EC4704"] * code


def test_a_redacted_trace_is_accepted_without_its_program_and_unknown_with_it() -> None:
    run("redact", "t.jsonl", "--secret", SECRET)
    found = told(run("validate", "t.redacted.jsonl", "--json"))
    assert (found["verdict"], found["strength"], found["diagnostics"]) == ("accepted", "runtime_only", [])
    found = told(run("validate", "t.redacted.jsonl", "--program", "vault.ecl", "--json", code=3))
    assert (found["verdict"], [item["code"] for item in found["diagnostics"]]) == ("unknown", ["EC4703"])


@pytest.mark.parametrize("what", [("--secret", "not there"), ("--redact", "other.*")])
def test_nothing_to_take_out_is_a_mistake_and_writes_nothing(what: tuple[str, str]) -> None:
    found = told(run("redact", "t.jsonl", *what, "--json", code=2))
    assert [item["code"] for item in found["diagnostics"]] == ["EC4702"]
    assert not Path("t.redacted.jsonl").exists()
    assert not Path("t.blobs.jsonl").exists()


def test_blobs_are_never_written_over() -> None:
    run("redact", "t.jsonl", "--secret", SECRET)
    before = Path("t.blobs.jsonl").read_bytes()
    run("redact", "t.jsonl", "--redact", "vault.*", code=2)
    assert Path("t.blobs.jsonl").read_bytes() == before


def test_a_secret_is_looked_for_and_not_all_that_stands_beside_it() -> None:
    Path("two.ecl").write_text(
        "effect vault { irreversible ctl open(name: Text, key: Text): Text }\n"
        'task main(): Text / {vault} { perform vault.open("the door", "hush-hush") }\n',
        encoding="utf-8",
    )
    Path("door.json").write_text('["the door"]', encoding="utf-8")
    run("run", "two.ecl", "--answers", "door.json", "--trace", "d.jsonl")
    assert told(run("redact", "d.jsonl", "--secret", "hush-hush", "--json"))["redacted"] == [0]


def test_what_tells_is_not_called_to_be_given_away() -> None:
    told_people = run("redact", "t.jsonl", "--redact", "vault.fetch:result", code=1).stdout
    assert "NOT to be given away" in told_people


def test_the_extra_file_of_an_imported_trace_is_checked() -> None:
    Path("t.extra.jsonl").write_text(json.dumps({"text": SECRET}), encoding="utf-8")
    found = told(run("redact", "t.jsonl", "--secret", SECRET, "--json", code=1))
    assert "t.extra.jsonl" in found["diagnostics"][0]["message"]


def test_a_secret_in_a_name_cannot_be_taken_out() -> None:
    found = told(run("redact", "t.jsonl", "--secret", "vault", "--json", code=2))
    assert [item["code"] for item in found["diagnostics"]] == ["EC4704"]
    assert not Path("t.redacted.jsonl").exists()


# ------------------------------------------------------------------------------------------------
# Salts


def test_a_salt_is_made_once_and_needed_for_the_refs() -> None:
    arguments = ("vault.ecl", "--answers", "vault.answers.json", "--salt", "salt")
    run("run", *arguments, "--trace", "s.jsonl")
    assert stat.S_IMODE(Path("salt").stat().st_mode) == 0o600
    salt = Path("salt").read_text(encoding="ascii")
    assert len(bytes.fromhex(salt)) == 32
    run("run", *arguments, "--trace", "again.jsonl")
    assert Path("again.jsonl").read_bytes() == Path("s.jsonl").read_bytes()
    run("validate", "s.jsonl", "--program", "vault.ecl", "--salt", "salt")
    found = told(run("validate", "s.jsonl", "--json", code=1))
    assert [item["code"] for item in found["diagnostics"]] == ["EC4402"]
    run("redact", "s.jsonl", "--secret", SECRET, code=2)
    run("redact", "s.jsonl", "--secret", SECRET, "--salt", "salt")
    run("validate", "s.redacted.jsonl", "--salt", "salt")


def test_a_guess_needs_the_salt() -> None:
    """The commitment to a value that one can guess is that of the guess, unless there is a salt."""
    guess = ("vault.ecl", "--answers", "vault.answers.json")
    run("run", *guess, "--trace", "guess.jsonl")
    run("redact", "t.jsonl", "--secret", SECRET)
    run("redact", "guess.jsonl", "--secret", SECRET)
    assert Path("t.redacted.jsonl").read_bytes() == Path("guess.redacted.jsonl").read_bytes()
    run("run", *guess, "--trace", "s.jsonl", "--salt", "salt")
    run("redact", "s.jsonl", "--secret", SECRET, "--salt", "salt")
    commitments = [json.loads(line)["value"]["$commitment"] for line in _lines("s.redacted.jsonl")[1:2]]
    assert commitments != [
        json.loads(line)["value"]["$commitment"] for line in _lines("t.redacted.jsonl")[1:2]
    ]


def _lines(name: str) -> list[str]:
    return Path(name).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("text", ["", "xyz", "0"])
def test_a_salt_that_is_none(text: str) -> None:
    Path("salt").write_text(text or "no", encoding="utf-8")
    found = told(run("validate", "t.jsonl", "--salt", "salt", "--json", code=2))
    assert [item["code"] for item in found["diagnostics"]] == ["EC4701"]


def test_a_salted_run_is_saved_and_goes_on() -> None:
    run("run", "vault.ecl", "--salt", "salt", "--save", "state", code=3)
    run("resume", "state", "--answers", "vault.answers.json", code=2)
    arguments = ("--answers", "vault.answers.json", "--salt", "salt", "--trace", "s.jsonl")
    run("resume", "state", *arguments)
    run("validate", "s.jsonl", "--program", "vault.ecl", "--salt", "salt")


# ------------------------------------------------------------------------------------------------
# Mistakes


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("t.jsonl",), None),
        (("t.jsonl", "--redact", "vault"), "EC4702"),
        (("missing.jsonl", "--redact", "vault.*"), "EC0001"),
        (("vault.ecl", "--redact", "vault.*"), "EC4401"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], code: str | None) -> None:
    result = run("redact", *arguments, "--json", code=2)
    if code is not None:
        assert [item["code"] for item in told(result)["diagnostics"]] == [code]


def test_inputs_are_not_written_over() -> None:
    before = Path("t.jsonl").read_bytes()
    run("redact", "t.jsonl", "--secret", SECRET, "--out", "t.jsonl", code=2)
    run("redact", "t.jsonl", "--secret", "", code=2)
    run("redact", "t.jsonl", "--secret", SECRET, "--out", "x", "--blobs", "x", code=2)
    assert Path("t.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda _: "",
        lambda _: "nonsense",
        lambda text: text.replace("blobs/1", "blobs/2"),
        lambda text: text.replace("sésame", "sesame"),
        lambda text: text.replace('"seq": 1', '"seq": 2', 1),
        lambda text: text.replace('\\"seq\\":1', '\\"seq\\":2'),
        lambda text: text + text.splitlines()[1] + "\n",
    ],
)
def test_blobs_of_something_else_put_nothing_back(change: Any) -> None:
    run("redact", "t.jsonl", "--secret", SECRET)
    blobs = Path("t.blobs.jsonl")
    changed = change(blobs.read_text(encoding="utf-8"))
    blobs.write_text(changed, encoding="utf-8")
    result = run("restore", "t.redacted.jsonl", "t.blobs.jsonl", "--out", "back.jsonl", code=2)
    assert "EC4705" in result.stderr
    assert not Path("back.jsonl").exists()


def test_a_certified_trace_verifies_by_digests_after_it_was_redacted() -> None:
    run("certify", "vault.ecl", "--trace", "t.jsonl", "--answers", "vault.answers.json")
    run("redact", "t.jsonl", "--secret", SECRET)
    Path("t.redacted.jsonl").replace("t.jsonl")
    Path("vault.answers.json").unlink()
    found = told(run("verify", "t.intoto.jsonl", "--json"))
    assert (found["verdict"], found["strength"], found["recheck"]) == (
        "accepted",
        "runtime_only",
        "digests",
    )
    assert found["subjects"] == {"program": "same", "trace": "redacted", "answers": "missing"}
    for form in forms(SECRET):
        assert form not in Path("t.intoto.jsonl").read_bytes()
    found = told(run("verify", "t.intoto.jsonl", "--recheck", "replay", "--json", code=3))
    assert [item["code"] for item in found["diagnostics"]] == ["EC4703"]


def test_a_redacted_trace_of_another_run_does_not_verify() -> None:
    run("certify", "vault.ecl", "--trace", "t.jsonl", "--answers", "vault.answers.json")
    Path("other.json").write_text('["other"]', encoding="utf-8")
    run("run", "vault.ecl", "--answers", "other.json", "--trace", "u.jsonl")
    run("redact", "u.jsonl", "--redact", "vault.*:result", "--everywhere")
    Path("u.redacted.jsonl").replace("t.jsonl")
    found = told(run("verify", "t.intoto.jsonl", "--json", code=1))
    assert [item["code"] for item in found["diagnostics"]] == ["EC4506"]


# ------------------------------------------------------------------------------------------------
# Numbers, bundles, and what restoring says

NUMBERS = """effect bank { irreversible ctl pay(amount: Int): Int }
task main(): {left: Int, note: Text} / {bank} {
  let left = perform bank.pay(73519);
  return {left: left, note: "done"}
}
"""


@pytest.fixture
def paid() -> None:
    Path("pay.ecl").write_text(NUMBERS, encoding="utf-8")
    Path("pay.json").write_text("[8801]", encoding="utf-8")
    run("run", "pay.ecl", "--answers", "pay.json", "--trace", "p.jsonl")


@pytest.mark.usefixtures("paid")
def test_numbers_are_secrets_too() -> None:
    found = told(run("redact", "p.jsonl", "--secret", "73519", "--json"))
    assert found["redacted"] == [0]
    assert b"73519" not in Path(found["out"]).read_bytes()


@pytest.mark.usefixtures("paid")
def test_a_number_that_is_still_told_is_an_error() -> None:
    found = told(run("redact", "p.jsonl", "--redact", "bank.pay:result", "--json", code=1))
    assert [(item["code"], item["line"]) for item in found["diagnostics"]] == [("EC4704", 3)]


def test_a_signed_bundle_that_tells_a_secret_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECLOGUE_LEAN", "/there/is/no/lean")
    Path("asks.ecl").write_text(
        'task main(key: Text): Text / {} { return "used " ++ key }\n', encoding="utf-8"
    )
    argument = ("--arg", f"key={json.dumps(SECRET)}")
    run("keys", "new", "me")
    run("certify", "asks.ecl", *argument, "--sign", "me.key", "--out", "told.intoto.jsonl")
    assert SECRET.encode() not in Path("told.intoto.jsonl").read_bytes()
    found = told(
        run("redact", "t.jsonl", "--secret", SECRET, "--check", "told.intoto.jsonl", "--json", code=1)
    )
    assert "told.intoto.jsonl" in found["diagnostics"][0]["message"]


def test_restoring_says_how_many_values_it_put_back() -> None:
    run("redact", "t.jsonl", "--redact", "vault.fetch:result", code=1)
    run("redact", "t.redacted.jsonl", "--redact", "RunEnd", "--out", "u.jsonl", "--blobs", "u.blobs.jsonl")
    first = run("restore", "u.jsonl", "t.blobs.jsonl", "--out", "v.jsonl")
    assert "restored  1 of 1 record" in first.stdout
    assert "1 record still redacted" in first.stdout
    run("restore", "v.jsonl", "u.blobs.jsonl", "--out", "w.jsonl")
    assert Path("w.jsonl").read_bytes() == Path("t.jsonl").read_bytes()


def test_blobs_of_nothing_that_is_missing_are_refused() -> None:
    run("redact", "t.jsonl", "--secret", SECRET)
    assert "EC4705" in run("restore", "t.jsonl", "t.blobs.jsonl", "--out", "x.jsonl", code=2).stderr
    assert not Path("x.jsonl").exists()


@pytest.mark.parametrize("change", ["span", "trace"])
def test_blobs_that_are_not_this_traces_are_refused(change: str) -> None:
    run("redact", "t.jsonl", "--secret", SECRET)
    blobs = Path("t.blobs.jsonl")
    header, *items = blobs.read_text(encoding="utf-8").splitlines()
    if change == "trace":
        header = json.dumps({**json.loads(header), "trace_ref": "sha256:" + "0" * 64})
    else:
        item = json.loads(items[0])
        line = json.loads(item["line"])
        line["span"][0] += 1
        item["line"] = json.dumps(line, ensure_ascii=False) + "\n"
        items[0] = json.dumps(item, ensure_ascii=False)
    blobs.write_text("\n".join([header, *items]) + "\n", encoding="utf-8")
    result = run("restore", "t.redacted.jsonl", "t.blobs.jsonl", "--out", "x.jsonl", code=2)
    assert "EC4705" in result.stderr
    assert not Path("x.jsonl").exists()


def test_a_redaction_that_cannot_be_written_leaves_nothing() -> None:
    Path("folder").mkdir()
    run("redact", "t.jsonl", "--secret", SECRET, "--out", "gone/out.jsonl", code=2)
    run("redact", "t.jsonl", "--secret", SECRET, "--out", "folder", code=2)
    assert not Path("t.blobs.jsonl").exists()


def test_an_empty_salt_is_none() -> None:
    Path("salt").write_text("\n")
    assert "EC4701" in run("run", "vault.ecl", "--salt", "salt", code=2).stderr
