r"""Other tools' JSON as values, so that nothing of it is lost: reading, marking places, writing back.

A value here has no floats and no surrogates, JSON has both. What is no value is *marked*:

- null, booleans, text, lists and ints stand for themselves;
- `0.25`, `1e3`, `1.0`, `-0` and ints of over 1,000 digits are `{"%number": "0.25"}`, the token as it is;
- text with a surrogate that has no partner is `{"%text": …}`, the body of its literal, such as `\ud800`;
- an object is a record of the same keys, but a key that begins with `%` gets one more, and one with a lone
  surrogate is `%u` and the body of its literal.

Each JSON document has one value, and different documents have different ones; only the order of keys,
white space and the spelling of text (`"\u0041"`) are not kept, which JSON does not count as part of a
document.

A *template* is such a value in which some members were moved to the records of a trace: `{"%operation":
n}`, `{"%payload": n}` and `{"%content": n}` stand for them. `text_of_json` puts them back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any, Final, NoReturn, Protocol, TypeAlias

from eclogue.core.canonical import decimal, quote
from eclogue.core.errors import MalformedInput
from eclogue.core.values import RecordValue, Value, record

NUMBER: Final = "%number"
TEXT: Final = "%text"
OPERATION: Final = "%operation"
PAYLOAD: Final = "%payload"
CONTENT: Final = "%content"

REPEATED_KEY: Final = "a key stands twice in one object"

_LONGEST_INTEGER = 1_000
_LONE: Final = "%u"


_SURROGATE = re.compile("[\ud800-\udfff]")


def _is_text(text: str) -> bool:
    return text.isascii() or _SURROGATE.search(text) is None


class _Refused(Exception):
    """The decoder met something that JSON forbids or that cannot be kept."""


# ------------------------------------------------------------------------------------------------
# Reading


def read_json(text: str) -> Value:
    """Return the value of a JSON text.

    Raises `MalformedInput`, with the offset in characters where it is known, for what is not JSON, for
    `NaN` and its like, for a key that stands twice in an object, and for nesting too deep to be read.
    """
    try:
        return _value(_DECODER.decode(text))
    except json.JSONDecodeError as error:
        raise MalformedInput(_message(error, text), min(error.pos, len(text.rstrip()))) from None
    except _Refused as error:
        raise MalformedInput(str(error), _place_of_refusal(text)) from None
    except RecursionError:
        raise MalformedInput("lists and objects are nested too deeply to be read") from None


def _message(error: json.JSONDecodeError, text: str) -> str:
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return "the JSON ends too early"
    if error.msg == "Extra data":
        return "something follows the JSON value"
    return f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"


def _place_of_refusal(text: str) -> int | None:
    from eclogue.validator.importers.json_places import first_refused

    return first_refused(text)


def _value(item: Any) -> Value:
    """Return the value of what the decoder made: objects are done, lists are still Python's."""
    kind = type(item)
    if kind is list:
        return _list(item)
    if kind is str and not _is_text(item):
        return RecordValue({TEXT: json.dumps(item)[1:-1]})
    value: Value = item
    return value


def _list(items: list[Any]) -> tuple[Value, ...]:
    if list not in map(type, items):
        return tuple(map(_value, items))
    done: list[list[Value]] = [[]]
    pending: list[Iterator[Any]] = [iter(items)]
    while True:
        for item in pending[-1]:
            if type(item) is list:
                pending.append(iter(item))
                done.append([])
                break
            done[-1].append(_value(item))
        else:
            pending.pop()
            whole = tuple(done.pop())
            if not pending:
                return whole
            done[-1].append(whole)


def _object(pairs: list[tuple[str, Any]]) -> RecordValue:
    fields = {key_of(key): _value(item) for key, item in pairs}
    if len(fields) != len(pairs):
        raise _Refused(REPEATED_KEY)
    if len(fields) > 1:
        fields = dict(sorted(fields.items(), key=itemgetter(0)))
    return RecordValue(fields)


def key_of(name: str) -> str:
    """Return the record key, or the operation, that stands for a name in JSON."""
    if not _is_text(name):
        return _LONE + json.dumps(name)[1:-1]
    return f"%{name}" if name.startswith("%") else name


def name_of(key: str) -> str:
    """Return the name in JSON that a key stands for, which may hold lone surrogates."""
    if key.startswith("%%"):
        return key[1:]
    if key.startswith(_LONE):
        name: str = json.loads(f'"{key[len(_LONE) :]}"')
        return name
    return key


def _number(token: str) -> RecordValue:
    return RecordValue({NUMBER: token})


def _integer(token: str) -> Any:
    if len(token) > _LONGEST_INTEGER or token == "-0":
        return _number(token)
    return int(token)


def _constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
)


def json_of(value: Value) -> Value:
    """Return what stands here for the JSON that is a value of the language, as it is."""
    done: dict[int, Value] = {}
    pending: list[tuple[Value, bool]] = [(value, False)]
    while pending:
        item, ready = pending.pop()
        parts = _parts(item)
        if not parts:
            done[id(item)] = item
        elif not ready:
            if id(item) not in done:
                pending.append((item, True))
                pending.extend((part, False) for part in parts)
        elif isinstance(item, RecordValue):
            done[id(item)] = record((key_of(key), done[id(part)]) for key, part in item.fields.items())
        else:
            done[id(item)] = tuple(done[id(part)] for part in parts)
    return done[id(value)]


# ------------------------------------------------------------------------------------------------
# Looking at values


def mark_of(value: Value) -> tuple[str, Value] | None:
    """Return the mark that a value is, with what it holds; None for what is no mark."""
    if isinstance(value, RecordValue) and len(value.fields) == 1:
        for key, held in value.fields.items():
            if key.startswith("%") and not key.startswith(("%%", _LONE)):
                return key, held
    return None


def number_token(value: Value) -> str | None:
    """Return the token of a number that is no int of the language; None for anything else."""
    mark = mark_of(value)
    return mark[1] if mark is not None and mark[0] == NUMBER and isinstance(mark[1], str) else None


def is_string(value: Value) -> bool:
    """Return whether a value was text in JSON."""
    return isinstance(value, str) or _is(value, TEXT)


def is_object(value: Value) -> bool:
    """Return whether a value was an object in JSON."""
    return isinstance(value, RecordValue) and mark_of(value) is None


def _is(value: Value, kind: str) -> bool:
    mark = mark_of(value)
    return mark is not None and mark[0] == kind


def members(value: Value) -> Mapping[str, Value]:
    """Return the members of an object, and none of anything else."""
    return value.fields if isinstance(value, RecordValue) and is_object(value) else {}


def items(value: Value) -> tuple[Value, ...]:
    """Return the items of a list, and none of anything else."""
    return value if isinstance(value, tuple) else ()


def text_in(value: Value, key: str) -> str | None:
    """Return the text that is a member of an object; None if there is none, or it is of another kind."""
    found = members(value).get(key)
    return found if isinstance(found, str) else None


def operation_of(name: Value) -> str:
    """Return the operation that stands for a name that was text in JSON."""
    if isinstance(name, str):
        return key_of(name)
    mark = mark_of(name)
    if mark is None or mark[0] != TEXT:
        raise TypeError(name)
    return f"{_LONE}{mark[1]}"


# ------------------------------------------------------------------------------------------------
# Templates

Changes: TypeAlias = dict[int, dict[str, Value]]
"""For some records, by `id`, the members that take the place of their own."""


def changed(value: Value, changes: Changes) -> Value:
    """Return a value with some members of some of its records replaced; the rest is shared."""
    if not changes:
        return value
    results: list[Value] = []
    pending: list[tuple[Value, bool]] = [(value, False)]
    while pending:
        item, ready = pending.pop()
        parts = _parts(item)
        if not parts:
            results.append(item)
        elif not ready:
            pending.append((item, True))
            pending.extend((part, False) for part in reversed(parts))
        else:
            start = len(results) - len(parts)
            found = results[start:]
            del results[start:]
            results.append(_rebuilt(item, parts, found, changes))
    return results[0]


def _parts(value: Value) -> list[Value]:
    if isinstance(value, tuple):
        return list(value)
    return list(value.fields.values()) if isinstance(value, RecordValue) else []


def _rebuilt(value: Value, parts: list[Value], found: list[Value], changes: Changes) -> Value:
    mine = changes.get(id(value))
    if mine is None and all(a is b for a, b in zip(parts, found, strict=True)):
        return value
    if isinstance(value, RecordValue):
        return RecordValue({**dict(zip(value.fields, found, strict=True)), **(mine or {})})
    return tuple(found)


# ------------------------------------------------------------------------------------------------
# Writing


class Moved(Protocol):
    """What was moved from a template to the records of a trace, by the number of the record."""

    def operation(self, number: int) -> str:
        """Return the operation of a declaration; raises `MalformedInput` if there is none."""

    def payload(self, number: int) -> Value:
        """Return the payload of a declaration; raises `MalformedInput` if there is none."""

    def content(self, number: int) -> Value:
        """Return the content in an observation; raises `MalformedInput` if there is none."""


class NothingMoved:
    """For values that are no templates."""

    def operation(self, number: int) -> str:
        """Raise `MalformedInput`."""
        raise MalformedInput(f"a mark for record {number}, where no records belong to the document")

    def payload(self, number: int) -> Value:
        """Raise `MalformedInput`."""
        raise MalformedInput(f"a mark for record {number}, where no records belong to the document")

    content = payload


class _Raw:
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_BODY = re.compile(r'(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*')


def text_of_json(value: Value, moved: Moved | None = None) -> str:
    """Return the JSON text that a value stands for, on one line.

    Raises `MalformedInput` for a mark that no reading gives, or that names a record which is not there.
    """
    whole: Moved = NothingMoved() if moved is None else moved
    out: list[str] = []
    pending: list[Value | _Raw] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, _Raw):
            out.append(item.text)
        elif isinstance(item, tuple):
            _push(pending, "[", "]", [("", part) for part in item])
        elif isinstance(item, RecordValue):
            mark = mark_of(item)
            if mark is not None:
                pending.append(_unmarked(*mark, whole))
            else:
                named = [(f"{_literal(name_of(key))}: ", part) for key, part in item.fields.items()]
                _push(pending, "{", "}", named)
        elif isinstance(item, str):
            out.append(quote(item))
        else:
            out.append(decimal(item) if type(item) is int else json.dumps(item))
    return "".join(out)


def _push(pending: list[Value | _Raw], opening: str, closing: str, parts: list[tuple[str, Value]]) -> None:
    pending.append(_Raw(closing))
    for position in range(len(parts) - 1, -1, -1):
        before, part = parts[position]
        pending.append(part)
        pending.append(_Raw(f", {before}" if position else before))
    pending.append(_Raw(opening))


def _literal(name: str) -> str:
    return quote(name) if _is_text(name) else json.dumps(name)


def _unmarked(kind: str, held: Value, moved: Moved) -> Value | _Raw:
    if kind == NUMBER and isinstance(held, str) and _NUMBER.fullmatch(held):
        return _Raw(held)
    if kind == TEXT and isinstance(held, str) and _BODY.fullmatch(held):
        return _Raw(f'"{held}"')
    if type(held) is int:
        if kind == OPERATION:
            return _Raw(_literal(name_of(moved.operation(held))))
        if kind == PAYLOAD:
            return moved.payload(held)
        if kind == CONTENT:
            return moved.content(held)
    raise MalformedInput(f"{kind} marks nothing that JSON has")
