"""JSON that is signed and compared: one way to write it, and a reader that lets nothing pass twice.

What is written has sorted keys, no white space, and no numbers but integers below 2^53: for keys of the
Basic Multilingual Plane that is RFC 8785.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from eclogue.core.errors import MalformedInput

MAX_BYTES = 64 << 20
"""The most bytes of one document."""
_SAFE = 1 << 53


def written(document: object) -> bytes:
    """Return a document's bytes."""
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def read_strictly(data: bytes, depth: int | None = None) -> Any:
    """Return a document, nested at most so deeply if `depth` is given.

    Raises `MalformedInput`, also for a key that stands twice, and for fractions.
    """
    if len(data) > MAX_BYTES:
        raise MalformedInput(f"more than {MAX_BYTES >> 20} MiB")
    try:
        found = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_members,
            parse_float=_no_number,
            parse_constant=_no_number,
            parse_int=_integer,
        )
        written(found)  # refuses half a surrogate pair, and what is nested too deeply to be written
    except UnicodeEncodeError:
        raise MalformedInput("a lone surrogate is not text") from None
    except UnicodeDecodeError as error:
        raise MalformedInput(f"invalid UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise MalformedInput(error.msg[:1].lower() + error.msg[1:], error.pos) from None
    except RecursionError:
        raise MalformedInput(_TOO_DEEP) from None
    if depth is not None and _is_deeper(found, depth):
        raise MalformedInput(_TOO_DEEP)
    return found


_TOO_DEEP = "nested too deeply"


def _is_deeper(document: Any, depth: int) -> bool:
    """Whether a document is nested more deeply; a list or an object without members is one deep."""
    level = [document]
    for _ in range(depth):
        level = [
            inner
            for item in level
            if isinstance(item, (dict, list))
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return any(isinstance(item, (dict, list)) for item in level)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise MalformedInput(f"the key {json.dumps(twice)} stands twice in one object")
    return found


def _no_number(text: str) -> NoReturn:
    raise MalformedInput(f"{text[:20]} is no integer")


def _integer(text: str) -> int:
    if len(text) > 17 or not -_SAFE < int(text) < _SAFE:
        raise MalformedInput(f"{text[:20]} is too large for an integer")
    return int(text)
