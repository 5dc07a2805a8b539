"""Files of host answers (`schema/answers.schema.json`): a JSON list, taken in order by suspensions.

Each item is a value that is not an object, or `{"value": …}` with an optional `"operation"`: the one that
must be waiting. Values are in canonical encoding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eclogue.core.canonical import digest, quote, text_of
from eclogue.core.errors import MalformedInput
from eclogue.core.outcomes import HostAnswer
from eclogue.core.quick import read_quickly
from eclogue.core.values import RecordValue, Value, record


def read_answers(data: bytes | str) -> tuple[HostAnswer, ...]:
    """Return the answers in a file; raises `MalformedInput`, naming the item that is wrong."""
    return answers_from_value(read_quickly(data))


def answers_from_value(document: Value) -> tuple[HostAnswer, ...]:
    """Return the answers that a document lists; raises `MalformedInput`, naming the item that is wrong."""
    if not isinstance(document, tuple):
        raise MalformedInput('answers are a list: [null, "yes", {"operation": "fs.read", "value": "…"}]')
    return tuple(_answer(item, position) for position, item in enumerate(document))


def _answer(item: Value, position: int) -> HostAnswer:
    if not isinstance(item, RecordValue):
        return HostAnswer(item)
    fields = item.fields
    if "value" not in fields:
        raise MalformedInput(
            f'[{position}]: an answer that is an object is written {{"value": …}}: "value" is missing'
        )
    for key in fields:
        if key not in ("operation", "value"):
            raise MalformedInput(f"[{position}]: {quote(key)} is no member of an answer")
    return HostAnswer(fields["value"], _operation(fields, position))


def _operation(fields: Mapping[str, Value], position: int) -> str | None:
    if "operation" not in fields:
        return None
    operation = fields["operation"]
    if not isinstance(operation, str):
        raise MalformedInput(f"[{position}].operation: expected the name of an operation as text")
    return operation


def answers_to_value(answers: Iterable[HostAnswer]) -> Value:
    """Return the document that lists these answers, each in its shortest form."""
    return tuple(_item(answer) for answer in answers)


def _item(answer: HostAnswer) -> Value:
    if answer.operation is not None:
        return record({"operation": answer.operation, "value": answer.value})
    if isinstance(answer.value, RecordValue):
        return record({"value": answer.value})
    return answer.value


def answers_text(answers: Iterable[HostAnswer]) -> str:
    """Return the document that lists these answers as canonical JSON on one line."""
    return text_of(answers_to_value(answers))


def answers_digest(answers: Iterable[HostAnswer]) -> str:
    """Return the ref `sha256:…` of that text's bytes."""
    return digest(answers_text(answers).encode())
