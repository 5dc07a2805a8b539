"""Suspended runs as files (`host.saved`).

A state file is the canonical JSON of one record, and a line feed:

    format       "eclogue-state/1"
    program_ref  the ref of the program
    answers      [{"operation", "value"}, …]: the host's answers so far
    operation    what waits, with its payload
    payload
    steps        of the machine so far
    trace_ref    the ref of the last record
    program      optional: the program's own document
    ref          the digest of the canonical bytes of all the rest

It is read by running the program again on the answers: a file can only claim what its program does.
"""

from __future__ import annotations

from eclogue.core.canonical import digest, read, write
from eclogue.core.errors import AnswerRefused, LimitExceeded, MalformedInput
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import Exhausted, HostAnswer, Suspended
from eclogue.core.run import Run
from eclogue.core.run import run as run_program
from eclogue.core.syntax import Program
from eclogue.core.values import RecordValue, Value, equal, record

FORMAT = "eclogue-state/1"

_KEYS = {"format", "program_ref", "answers", "operation", "payload", "steps", "trace_ref", "ref"}


def save(run: Run, program_ref: str, *, program_document: Value = None, salt: bytes = b"") -> bytes:
    """Return the state file of a suspended run; with `program_document`, if not null, inside it.

    Raises `ValueError` if the run is not suspended, `LimitExceeded` if a value is too large to be written.
    """
    waiting = run.outcome
    if not isinstance(waiting, Suspended):
        raise ValueError(f"only a suspended run can be saved; this one is {_word(run)}")
    answers = run.answers
    fields: dict[str, Value] = {
        "format": FORMAT,
        "program_ref": program_ref,
        "answers": tuple(record({"operation": a.operation, "value": a.value}) for a in answers),
        "operation": waiting.operation,
        "payload": waiting.payload,
        "steps": run.steps,
        "trace_ref": run.trace_ref(salt),
    }
    if program_document is not None:
        fields["program"] = program_document
    # Each value in it may be as large as the limit: payload, answers, program, and the record around them.
    limit = run.limits.value_size * (len(answers) + 3)
    fields["ref"] = digest(write(record(fields), limit))
    return write(record(fields), limit) + b"\n"


def load(
    data: bytes,
    program: Program,
    program_ref: str,
    *,
    limits: Limits = DEFAULT,
    salt: bytes = b"",
) -> Run:
    """Return the suspended run that a state file of this program holds, by running it again.

    `salt` is the one that the trace's refs had when it was saved. Raises `MalformedInput` for a file that
    is damaged, altered, made for another program or in another format, or that claims what the program does
    not do; `LimitExceeded` if the limits do not let the run come as far.
    """
    document = _document(data)
    if document["program_ref"] != program_ref:
        raise MalformedInput("the state was saved for another program")
    try:
        run = run_program(program, _answers(document["answers"]), limits=limits)
    except AnswerRefused as refused:
        raise MalformedInput(f"the program does not take the saved answers: {refused}") from None
    outcome = run.outcome
    if isinstance(outcome, Exhausted):
        raise LimitExceeded(outcome.limit, outcome.bound)
    if not isinstance(outcome, Suspended):
        raise MalformedInput(f"with the saved answers the program does not wait: it is {_word(run)}")
    claims: dict[str, Value] = {
        "operation": outcome.operation,
        "payload": outcome.payload,
        "steps": run.steps,
        "trace_ref": run.trace_ref(salt),
    }
    for key, value in claims.items():
        if not equal(document[key], value):
            raise MalformedInput(f"the program comes to another {key} than the state file says")
    return run


def embedded_program(data: bytes) -> Value:
    """Return the program's document in a state file.

    Raises `MalformedInput` if the file is damaged or altered, or does not contain its program.
    """
    document = _document(data)
    if "program" not in document:
        raise MalformedInput("the state file does not contain its program")
    return document["program"]


def _word(run: Run) -> str:
    return type(run.outcome).__name__.lower()


def _document(data: bytes) -> dict[str, Value]:
    """Return the fields of a state file whose form and `ref` are right."""
    value = read(data)
    if not isinstance(value, RecordValue) or not isinstance(value.fields.get("format"), str):
        raise MalformedInput("not a state file")
    fields = dict(value.fields)
    if fields["format"] != FORMAT:
        raise MalformedInput(f"state files of format {fields['format']} are not supported, only {FORMAT}")
    if fields.keys() - {"program"} != _KEYS:
        raise MalformedInput("the state file does not have the keys of a state file")
    ref = fields.pop("ref")
    # No other way of writing the same JSON is shorter than the canonical one.
    if ref != digest(write(record(fields), len(data))) or data != write(value, len(data)) + b"\n":
        raise MalformedInput("the state file was altered: its ref is not that of its content")
    return fields


def _answers(value: Value) -> list[HostAnswer]:
    if not isinstance(value, tuple):
        raise MalformedInput("the answers of a state file are a list")
    return [_answer(item) for item in value]


def _answer(value: Value) -> HostAnswer:
    if isinstance(value, RecordValue) and value.fields.keys() == {"operation", "value"}:
        operation = value.fields["operation"]
        if isinstance(operation, str):
            return HostAnswer(value.fields["value"], operation)
    raise MalformedInput('an answer in a state file has an "operation" and a "value"')
