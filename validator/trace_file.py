"""Trace files: JSON Lines, one record a line (`schema/trace-record.schema.json`).

    {"seq":1,"record":"HandlerSelection","declaration":0,"captured":0,"span":[3,9,3,30],"ref":"sha256:…"}

`seq` stands first and `ref` last, for readers; any order is read. Values are in canonical encoding. `span`
is beside the record: the ref does not cover it. Nothing here checks that refs or records are right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NoReturn, TextIO, TypeAlias, TypeVar

from eclogue.core.canonical import SAFE_INTEGER, decode, quote, text_of
from eclogue.core.errors import FailureKind, FailureReason, MalformedInput
from eclogue.core.limits import DEFAULT
from eclogue.core.quick import read_quickly
from eclogue.core.syntax import Span
from eclogue.core.trace import (
    Closing,
    CompletedWith,
    Completion,
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    Failure,
    HandlerSelection,
    HostObservation,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    SelectionClosed,
)
from eclogue.core.values import RecordValue, Value
from eclogue.validator.redaction import without_commitment
from eclogue.validator.withheld import Withheld, value_member, value_of, with_value, withheld

# ------------------------------------------------------------------------------------------------
# Writing


def write_trace(
    records: Iterable[tuple[int, Record, Span | None]],
    refs: Iterable[str],
    file: TextIO,
    limit: int = DEFAULT.value_size,
) -> None:
    """Write a trace: records with their numbers and spans, and as many refs, the oldest first.

    `limit` is the size in bytes of one value; raises `LimitExceeded("value_size")`.
    """
    for (number, record, span), ref in zip(records, refs, strict=True):
        file.write(line(number, record, span, ref, limit) + "\n")


def line(number: int, record: Record, span: Span | None, ref: str, limit: int = DEFAULT.value_size) -> str:
    """Return the line of a record, without its line end; of a value that is withheld, the commitment."""
    place = "" if span is None else f'"span":[{span.line},{span.column},{span.end_line},{span.end_column}],'
    members = _members(record, limit)
    return f'{{"seq":{number},"record":"{type(record).__name__}",{members},{place}"ref":"{ref}"}}'


def record_text(number: int, record: Record, limit: int = DEFAULT.value_size) -> str:
    """Return the JSON object of a record with its number, and without what stands beside it."""
    return f'{{"seq":{number},"record":"{type(record).__name__}",{_members(record, limit)}}}'


def _members(record: Record, limit: int) -> str:
    """Return the members of a record's own fields."""
    match record:
        case EffectDeclaration(operation, payload):
            return f'"operation":{quote(operation)},"payload":{_value_text(payload, limit)}'
        case HandlerSelection(declaration, captured):
            return f'"declaration":{declaration},"captured":{captured}'
        case ResumptionHandle(selection):
            return f'"selection":{selection}'
        case ContinuationResume(selection, value) | ResumeReturn(selection, value):
            return f'"selection":{selection},"value":{_value_text(value, limit)}'
        case EffectCapture(how, selection, value):
            return f'"how":"{how.value}","selection":{selection},"value":{_value_text(value, limit)}'
        case SelectionClosed(why, selection, cause):
            return f'"why":"{why.value}","selection":{selection},"cause":{cause}'
        case HostObservation(declaration, value):
            return f'"declaration":{declaration},"value":{_value_text(value, limit)}'
        case Failure(reason):
            return _reason_members(reason)
        case RunEnd(CompletedWith(value)):
            return f'"status":"completed","value":{_value_text(value, limit)}'
        case RunEnd(FailureReason() as reason):
            return f'"status":"failed",{_reason_members(reason)}'
    raise TypeError(record)


def _value_text(value: Value, limit: int) -> str:
    if isinstance(value, Withheld):
        return f'{{"$commitment":"{value.commitment}"}}'
    return text_of(value, limit)


def _reason_members(reason: FailureReason) -> str:
    key = "" if reason.key is None else f',"key":{quote(reason.key)}'
    return f'"kind":"{reason.kind.value}"{key}'


# ------------------------------------------------------------------------------------------------
# Reading

Line: TypeAlias = tuple[int, Record, str, Span | None]
"""The number of a record, the record, its ref as the file gives it, and its span."""

_Fields: TypeAlias = Mapping[str, Value]


class MalformedTrace(MalformedInput):
    """A line that is no record of a trace: `line` counts from 1, `problem` is the message without it."""

    def __init__(self, line: int, problem: str, offset: int | None = None) -> None:
        super().__init__(f"line {line}: {problem}", offset)
        self.line = line
        self.problem = problem


class RedactedTrace(MalformedTrace):
    """A trace of which a value is redacted: its records cannot be read, only their skeletons."""


def read_trace(lines: Iterable[bytes | str], *, redacted: bool = False) -> Iterator[Line]:
    """Yield the records of a trace file, line by line, such as an open file in binary mode gives them.

    With `redacted`, a value that was taken out is read as `Withheld`; without, it raises `RedactedTrace`.
    Raises `MalformedTrace`, which names the line, for anything else that `write_trace` would not write
    apart from key order and white space, and for a number out of turn.
    """
    for number, item in enumerate(lines):
        text = ""
        try:
            text = item if isinstance(item, str) else decode(item)
            found = _line_of(text, redacted=redacted)
            if found[0] != number:
                _refuse(f'"seq" is {found[0]} where {number} is next')
        except MalformedInput as error:
            kind = RedactedTrace if isinstance(error, _Taken) else MalformedTrace
            raise kind(number + 1, error.message, error.offset) from None
        yield found


def read_line(text: str) -> Line:
    """Return what one line says, which has all its values; raises `MalformedInput`."""
    return _line_of(text, redacted=False)


class _Taken(MalformedInput):
    """A line with a redacted value, where none may be."""


def _line_of(text: str, *, redacted: bool) -> Line:
    """Return what a line says."""
    taken = without_commitment(text) if _COMMITMENT in text else None
    if taken is None:
        return _line(read_quickly(text))
    if not redacted:
        raise _Taken("a value is redacted: only its commitment is left, and the record cannot be read")
    plain, member, commitment = taken
    number, record, ref, span = _line(read_quickly(plain))
    if value_member(record) != member or value_of(record) is not None:
        _refuse("a commitment stands for a whole payload or value, and for nothing else")
    return number, with_value(record, withheld(commitment)), ref, span


_COMMITMENT = '"$commitment"'


def _refuse(message: str) -> NoReturn:
    raise MalformedInput(message)


def _line(value: Value) -> Line:
    if not isinstance(value, RecordValue):
        _refuse("a line holds one object")
    fields = value.fields
    name = fields.get("record")
    form = _FORMS.get(name) if isinstance(name, str) else None
    if form is None:
        _refuse(f'"record" should be one of {", ".join(_FORMS)}')
    make, needed, allowed = form
    if not needed <= fields.keys() <= allowed:
        _refuse_members(fields, needed, allowed)
    return _natural(fields, "seq"), make(fields), _ref(fields), _span(fields)


def _refuse_members(fields: _Fields, needed: frozenset[str], allowed: frozenset[str]) -> NoReturn:
    missing = sorted(needed - fields.keys())
    if missing:
        _refuse(f'"{missing[0]}" is missing from this {fields["record"]}')
    unknown = min(fields.keys() - allowed)
    _refuse(f"{quote(unknown)} is no member of this {fields['record']}")


def _natural(fields: _Fields, key: str) -> int:
    value = fields[key]
    if type(value) is not int or not 0 <= value < SAFE_INTEGER:
        _refuse(f'"{key}" should be an integer of at least 0, below 2^53')
    return value


def _text(fields: _Fields, key: str) -> str:
    value = fields[key]
    if not isinstance(value, str):
        _refuse(f'"{key}" should be text')
    return value


Choice = TypeVar("Choice")


def _choice(fields: _Fields, key: str, choices: Mapping[str, Choice]) -> Choice:
    value = fields[key]
    if not isinstance(value, str) or value not in choices:
        _refuse(f'"{key}" should be one of {", ".join(choices)}')
    return choices[value]


_REF = re.compile("sha256:[0-9a-f]{64}")


def _ref(fields: _Fields) -> str:
    value = fields["ref"]
    if not isinstance(value, str) or not _REF.fullmatch(value):
        _refuse('"ref" should be sha256: and 64 lower-case hex digits')
    return value


def _span(fields: _Fields) -> Span | None:
    if "span" not in fields:
        return None
    value = fields["span"]
    if isinstance(value, tuple) and len(value) == 4:
        counted = [part for part in value if type(part) is int and 0 < part < SAFE_INTEGER]
        if len(counted) == 4:
            return Span(*counted)
    _refuse('"span" should be [line, column, end line, end column], counted from 1')


_COMPLETIONS = {how.value: how for how in Completion}
_CLOSINGS = {why.value: why for why in Closing}
_KINDS = {kind.value: kind for kind in FailureKind}


def _reason(fields: _Fields) -> FailureReason:
    kind = _choice(fields, "kind", _KINDS)
    if (kind is FailureKind.KEY) is not ("key" in fields):
        _refuse('"key" belongs to failures of kind key, and to no others')
    return FailureReason(kind, _text(fields, "key") if kind is FailureKind.KEY else None)


def _run_end(fields: _Fields) -> RunEnd:
    completed = _choice(fields, "status", {"completed": True, "failed": False})
    needed = _MARKS | ({"status", "value"} if completed else {"status", "kind"})
    allowed = needed | ({"span"} if completed else {"span", "key"})
    if not needed <= fields.keys() <= allowed:
        _refuse_members(fields, needed, allowed)
    return RunEnd(CompletedWith(fields["value"]) if completed else _reason(fields))


_MARKS = frozenset({"seq", "record", "ref"})
_Form: TypeAlias = tuple[Callable[[_Fields], Record], frozenset[str], frozenset[str]]


def _form(make: Callable[[_Fields], Record], *keys: str, optional: tuple[str, ...] = ()) -> _Form:
    """Return how a record is made, the members that it needs, and those that it may have."""
    needed = _MARKS.union(keys)
    return make, needed, needed.union(optional, ("span",))


_FORMS: dict[str, _Form] = {
    "EffectDeclaration": _form(
        lambda f: EffectDeclaration(_text(f, "operation"), f["payload"]), "operation", "payload"
    ),
    "HandlerSelection": _form(
        lambda f: HandlerSelection(_natural(f, "declaration"), _natural(f, "captured")),
        "declaration",
        "captured",
    ),
    "ResumptionHandle": _form(lambda f: ResumptionHandle(_natural(f, "selection")), "selection"),
    "ContinuationResume": _form(
        lambda f: ContinuationResume(_natural(f, "selection"), f["value"]), "selection", "value"
    ),
    "ResumeReturn": _form(
        lambda f: ResumeReturn(_natural(f, "selection"), f["value"]), "selection", "value"
    ),
    "EffectCapture": _form(
        lambda f: EffectCapture(_choice(f, "how", _COMPLETIONS), _natural(f, "selection"), f["value"]),
        "how",
        "selection",
        "value",
    ),
    "SelectionClosed": _form(
        lambda f: SelectionClosed(
            _choice(f, "why", _CLOSINGS), _natural(f, "selection"), _natural(f, "cause")
        ),
        "why",
        "selection",
        "cause",
    ),
    "HostObservation": _form(
        lambda f: HostObservation(_natural(f, "declaration"), f["value"]), "declaration", "value"
    ),
    "Failure": _form(lambda f: Failure(_reason(f)), "kind", optional=("key",)),
    "RunEnd": _form(_run_end, "status", optional=("value", "kind", "key")),
}
