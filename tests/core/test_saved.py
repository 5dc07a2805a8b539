"""Suspended runs as files: what is read back, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from machine_terms import answer, handle, let, op, perform, program, resume_with, ret, shown, var

from eclogue.core.canonical import digest, read, write
from eclogue.core.errors import LimitExceeded, MalformedInput
from eclogue.core.limits import Limits
from eclogue.core.outcomes import Completed, HostAnswer, Suspended
from eclogue.core.run import Run, resume, run
from eclogue.core.saved import embedded_program, load, save
from eclogue.core.syntax import Computation, Program
from eclogue.core.values import RecordValue, Value, equal, from_python, record

REF = digest(b"the program")
BIG = 2**70


def computation() -> Computation:
    worker = let(perform("a", 1), perform("ask", "first"), perform("ask", [var(0), BIG]), ret(var(0)))
    return handle(worker, a=resume_with(var(0), ret([var(0)])))


PROGRAM: Program = program(computation())
ANSWERS = [HostAnswer(from_python({"$k": None, "é": [True, BIG]}), "ask")]


def suspended() -> Run:
    return run(PROGRAM, ANSWERS)


def document_of(data: bytes) -> dict[str, Value]:
    value = read(data)
    assert isinstance(value, RecordValue)
    return dict(value.fields)


def signed(fields: dict[str, Value]) -> bytes:
    """Return the file of some fields, with the ref that they should have."""
    rest = {key: value for key, value in fields.items() if key != "ref"}
    return write(record({**rest, "ref": digest(write(record(rest)))})) + b"\n"


# ------------------------------------------------------------------------------------------------
# Back and forth


def test_a_state_is_read_back_as_the_same_run() -> None:
    before = suspended()
    after = load(save(before, REF), PROGRAM, REF)
    assert after.outcome == before.outcome
    assert after.answers == before.answers
    assert after.steps == before.steps
    assert list(after.refs()) == list(before.refs())
    end = resume(after, HostAnswer("second"))
    assert end.outcome == Completed(("second",))
    assert shown(end) == shown(resume(before, HostAnswer("second")))


def test_what_stands_in_the_file() -> None:
    data = save(suspended(), REF)
    fields = document_of(data)
    assert fields["format"] == "eclogue-state/1"
    assert fields["program_ref"] == REF
    assert fields["operation"] == "ask"
    assert equal(fields["payload"], from_python([{"$k": None, "é": [True, BIG]}, BIG]))
    assert fields["steps"] == suspended().steps
    assert fields["trace_ref"] == suspended().trace_ref()
    answers = from_python([{"operation": "ask", "value": {"$k": None, "é": [True, BIG]}}])
    assert equal(fields["answers"], answers)
    assert "program" not in fields
    assert data == signed(fields)


def test_saving_is_deterministic_and_states_have_their_own_refs() -> None:
    assert save(suspended(), REF) == save(suspended(), REF)
    other = run(PROGRAM, [HostAnswer("x", "ask")])
    assert document_of(save(other, REF))["ref"] != document_of(save(suspended(), REF))["ref"]


def test_a_state_is_read_by_another_process(tmp_path: Any) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(save(suspended(), REF))
    script = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[2])\n"
        "from test_saved import PROGRAM, REF, HostAnswer, load, resume\n"
        "run = load(pathlib.Path(sys.argv[1]).read_bytes(), PROGRAM, REF)\n"
        "print(resume(run, HostAnswer('second')).trace_ref())\n"
    )
    folder = __file__.rpartition("/")[0]
    command = [sys.executable, "-c", script, str(path), folder]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.strip() == resume(suspended(), HostAnswer("second")).trace_ref()


def test_a_state_without_answers() -> None:
    first = run(PROGRAM)
    assert load(save(first, REF), PROGRAM, REF).outcome == Suspended("ask", "first")


def test_the_program_can_be_embedded() -> None:
    document = from_python({"format": "p", "body": [1, {"$int": BIG}]})
    data = save(suspended(), REF, program_document=document)
    assert equal(embedded_program(data), document)
    assert load(data, PROGRAM, REF).outcome == suspended().outcome
    with pytest.raises(MalformedInput, match="does not contain its program"):
        embedded_program(save(suspended(), REF))


def test_a_salted_trace_needs_its_salt() -> None:
    data = save(suspended(), REF, salt=b"s")
    assert load(data, PROGRAM, REF, salt=b"s").outcome == suspended().outcome
    with pytest.raises(MalformedInput, match="trace_ref"):
        load(data, PROGRAM, REF)


def test_only_a_suspended_run_can_be_saved() -> None:
    with pytest.raises(ValueError, match="this one is completed"):
        save(run(program(ret(1))), REF)
    with pytest.raises(ValueError, match="this one is exhausted"):
        save(run(PROGRAM, limits=Limits(steps=1)), REF)


def test_a_value_too_large_to_be_written_cannot_be_saved() -> None:
    with pytest.raises(LimitExceeded, match="value_size"):
        save(run(program(perform("ask", "x" * 100)), limits=Limits(value_size=50)), REF)
    large = from_python({"body": "x" * 10_000})
    with pytest.raises(LimitExceeded, match="value_size"):
        save(run(PROGRAM, limits=Limits(value_size=500)), REF, program_document=large)


def test_every_value_may_be_as_large_as_the_limit() -> None:
    text = "x" * 998
    asking = program(let(perform("ask", text), perform("ask", text), perform("ask", text)))
    run_ = run(asking, [HostAnswer(text)] * 2, limits=Limits(value_size=1000))
    data = save(run_, REF)
    assert load(data, asking, REF).outcome == run_.outcome


# ------------------------------------------------------------------------------------------------
# Refused


def test_a_change_of_any_byte_is_refused() -> None:
    document = from_python({"body": "p"})
    data = save(suspended(), REF, program_document=document)
    for position in range(len(data)):
        for change in (1, 128):
            altered = bytearray(data)
            altered[position] ^= change
            with pytest.raises(MalformedInput):
                load(bytes(altered), PROGRAM, REF)
            with pytest.raises(MalformedInput):
                embedded_program(bytes(altered))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-1],
        lambda data: data + b"\n",
        lambda data: b" " + data,
        lambda data: data.replace(b",", b", "),
        lambda data: data[: len(data) // 2],
        lambda data: data[:0],
        lambda data: b"\xff" + data,
    ],
)
def test_what_is_not_the_file_as_it_was_written_is_refused(change: Callable[[bytes], bytes]) -> None:
    with pytest.raises(MalformedInput):
        load(change(save(suspended(), REF)), PROGRAM, REF)


def test_another_program_is_refused() -> None:
    data = save(suspended(), REF)
    with pytest.raises(MalformedInput, match="saved for another program"):
        load(data, PROGRAM, digest(b"other"))


def test_another_program_under_the_same_ref_is_refused() -> None:
    data = save(suspended(), REF)
    worker = let(perform("a", 2), perform("ask", "first"), perform("ask", [var(0), BIG]), ret(var(0)))
    others = {
        "another trace_ref": handle(worker, a=resume_with(var(0), ret([var(0)]))),
        "another operation": let(perform("ask", "first"), perform("other")),
        "another payload": let(perform("ask", "first"), perform("ask")),
        "another steps": let(perform("ask", "first"), let(ret(1), perform("ask", [var(1), BIG]))),
        "it is completed": let(perform("ask", "first"), ret(1)),
        "it is failed": let(perform("ask", "first"), ret(op(1, "+", "x"))),
        "does not take the saved answers": ret(1),
    }
    for message, other in others.items():
        with pytest.raises(MalformedInput, match=message):
            load(data, program(other), REF)


def claiming(**changes: Any) -> bytes:
    """Return a state file with other claims, and the right ref for them."""
    fields = document_of(save(suspended(), REF))
    fields.update({key: from_python(value) for key, value in changes.items()})
    return signed({key: value for key, value in fields.items() if value != "gone"})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"operation": "a"}, "another operation"),
        ({"payload": 1}, "another payload"),
        ({"steps": 3}, "another steps"),
        ({"steps": "3"}, "another steps"),
        ({"trace_ref": digest(b"")}, "another trace_ref"),
        ({"answers": []}, "another payload"),
        ({"answers": [{"operation": "ask", "value": 1}]}, "another payload"),
        ({"answers": [{"operation": "other", "value": 1}]}, "does not take"),
        ({"answers": [{"operation": "ask", "value": 1}] * 3}, "does not take"),
        ({"answers": "none"}, "are a list"),
        ({"answers": [1]}, "has an"),
        ({"answers": [{"operation": 1, "value": 1}]}, "has an"),
        ({"answers": [{"operation": "ask", "value": 1, "more": 1}]}, "has an"),
        ({"format": "eclogue-state/2"}, "eclogue-state/2 are not supported"),
        ({"format": 1}, "not a state file"),
        ({"format": "gone"}, "not a state file"),
        ({"steps": "gone"}, "keys"),
        ({"more": 1}, "keys"),
        ({"program_ref": digest(b"other")}, "another program"),
    ],
)
def test_a_file_cannot_claim_what_the_program_does_not_do(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(MalformedInput, match=message):
        load(claiming(**changes), PROGRAM, REF)


def test_an_unchanged_claim_is_accepted() -> None:
    assert claiming() == save(suspended(), REF)


@pytest.mark.parametrize("data", [b"[]\n", b"{}\n", b"1\n", b'{"format":"eclogue-core/1"}\n', b"{"])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(MalformedInput):
        load(data, PROGRAM, REF)


def test_a_wrong_ref_is_refused() -> None:
    fields = document_of(save(suspended(), REF))
    fields["ref"] = digest(b"")
    with pytest.raises(MalformedInput, match="altered"):
        load(write(record(fields)) + b"\n", PROGRAM, REF)


def test_limits_that_do_not_let_the_run_come_as_far() -> None:
    data = save(suspended(), REF)
    steps = suspended().steps
    with pytest.raises(LimitExceeded) as caught:
        load(data, PROGRAM, REF, limits=Limits(steps=steps - 1))
    assert (caught.value.limit, caught.value.bound) == ("steps", steps - 1)
    assert load(data, PROGRAM, REF, limits=Limits(steps=steps)).steps == steps


def test_an_answering_clause_is_replayed_too() -> None:
    given = program(let(handle(perform("a", 1), a=answer(2)), perform("ask", var(0))))
    assert load(save(run(given), REF), given, REF).outcome == Suspended("ask", 2)
