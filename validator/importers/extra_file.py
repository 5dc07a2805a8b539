"""Extra files: what has no place in the records of an imported trace, beside it, outside all refs.

JSON Lines (`schema/trace-extra-line.schema.json`), values in canonical encoding:

    {"extra":"eclogue-extra/1","format":"claude-code"}
    {"line":1,"template":{…}}
    {"records":12,"trace_ref":"sha256:…"}

The second kind of line holds one document of the imported file, as the template that
`foreign_json.text_of_json` fills again from the trace's records; `line` is null where the file is one
document. The last line ties the file to its trace. Together with the trace it gives the imported file
back, as JSON values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NoReturn, TextIO, TypeVar

import attrs

from eclogue.core.canonical import decode, quote, text_of
from eclogue.core.errors import MalformedInput
from eclogue.core.quick import read_quickly
from eclogue.core.trace import EffectDeclaration, HostObservation, Record
from eclogue.core.values import RecordValue, Value

VERSION = "eclogue-extra/1"
T = TypeVar("T")


class ExtraFile:
    """Writes an extra file, template by template."""

    def __init__(self, file: TextIO, format_name: str) -> None:
        self._file = file
        file.write(f'{{"extra":"{VERSION}","format":{quote(format_name)}}}\n')

    def __call__(self, line: int | None, template: Value) -> None:
        """Write a template, with the line of the imported file that it was."""
        place = "null" if line is None else str(line)
        self._file.write(f'{{"line":{place},"template":{text_of(template)}}}\n')

    def close(self, records: int, trace_ref: str) -> None:
        """Write the last line, which names the trace."""
        self._file.write(f'{{"records":{records},"trace_ref":"{trace_ref}"}}\n')


@attrs.frozen
class Extra:
    """An extra file that was read: its format, its templates with their lines, and the trace it is for."""

    format: str
    templates: tuple[tuple[int | None, Value], ...]
    records: int
    trace_ref: str


def read_extra(lines: Iterable[bytes]) -> Extra:
    """Return what an extra file holds; raises `MalformedInput`, naming the line."""
    rows = _rows(lines)
    number, head = next(rows, (1, RecordValue({})))
    name = _field(number, head, "format", str, ("extra", "format"))
    if head.fields["extra"] != VERSION:
        _refuse(number, f'"extra" should be {VERSION}: this version reads no other')
    templates: list[tuple[int | None, Value]] = []
    for number, row in rows:
        if "template" not in row.fields:
            records = _field(number, row, "records", int, ("records", "trace_ref"))
            trace_ref = _field(number, row, "trace_ref", str, ("records", "trace_ref"))
            if next(rows, None) is not None:
                _refuse(number + 1, "something follows the line that names the trace")
            return Extra(name, tuple(templates), records, trace_ref)
        line = row.fields.get("line")
        if row.fields.keys() != {"line", "template"} or not (line is None or type(line) is int):
            _refuse(number, 'a line with a "template" has a "line" too, and nothing else')
        templates.append((line, row.fields["template"]))
    raise MalformedInput(
        f"line {number + 1}: the line that names the trace is missing: the file was cut off"
    )


def _rows(lines: Iterable[bytes]) -> Iterator[tuple[int, RecordValue]]:
    for number, line in enumerate(lines, 1):
        try:
            value = read_quickly(decode(line))
        except MalformedInput as error:
            raise MalformedInput(f"line {number}: {error.message}", error.offset) from None
        if not isinstance(value, RecordValue):
            _refuse(number, "a line holds one object")
        yield number, value


def _field(number: int, row: RecordValue, key: str, kind: type[T], keys: tuple[str, ...]) -> T:
    value = row.fields.get(key)
    if row.fields.keys() != set(keys) or type(value) is not kind:
        _refuse(number, f"expected an object with {' and '.join(keys)}, and nothing else")
    return value


def _refuse(number: int, message: str) -> NoReturn:
    raise MalformedInput(f"line {number}: {message}")


class MovedToRecords:
    """What was moved to the records of a trace, looked up by the number of the record."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = list(records)

    def operation(self, number: int) -> str:
        """Return the operation of a declaration; raises `MalformedInput` if there is none."""
        return self._declaration(number).operation

    def payload(self, number: int) -> Value:
        """Return the payload of a declaration; raises `MalformedInput` if there is none."""
        return self._declaration(number).payload

    def content(self, number: int) -> Value:
        """Return the content in an observation; raises `MalformedInput` if there is none."""
        record = self._record(number)
        value = record.value if isinstance(record, HostObservation) else None
        if not isinstance(value, RecordValue) or "content" not in value.fields:
            raise MalformedInput(f"record {number} is no observation with content")
        return value.fields["content"]

    def _declaration(self, number: int) -> EffectDeclaration:
        record = self._record(number)
        if not isinstance(record, EffectDeclaration):
            raise MalformedInput(f"record {number} is no declaration")
        return record

    def _record(self, number: int) -> Record:
        if not 0 <= number < len(self._records):
            raise MalformedInput(f"the trace has no record {number}")
        return self._records[number]
