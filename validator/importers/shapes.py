"""The shape of a JSON document against a JSON Schema, so that the first thing that is wrong can be named.

Of JSON Schema this knows what `schema/atif.schema.json` uses: `$ref` to `$defs`, `type`, `enum`,
`properties`, `required`, `additionalProperties: false`, `items`, `minItems` and `minimum`. Anything else
in a schema is an error of the schema. Values are those of `foreign_json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from eclogue.core.errors import CannotHappen
from eclogue.core.values import RecordValue, Value
from eclogue.lowering.diagnostics import did_you_mean
from eclogue.validator.importers.foreign_json import (
    is_object,
    is_string,
    items,
    members,
    name_of,
    number_token,
)
from eclogue.validator.importers.json_places import Path, path_text

Schema = Mapping[str, Any]

_KNOWN = frozenset(
    [
        "$schema",
        "$id",
        "$defs",
        "$ref",
        "title",
        "description",
        "type",
        "enum",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "minimum",
    ]
)


@attrs.frozen
class Problem:
    """What is wrong with a document, and where; `at_key` says that a key is meant, not its value."""

    path: Path
    message: str
    hint: str | None = None
    at_key: bool = False


def first_problem(value: Value, schema: Schema) -> Problem | None:
    """Return the first thing in a document that its schema does not allow, in the order of its keys."""
    pending: list[tuple[Value, Schema, Path]] = [(value, schema, ())]
    while pending:
        item, rules, path = pending.pop()
        rules = _resolved(rules, schema)
        problem = _type(item, rules, path) or _limits(item, rules, path) or _keys(item, rules, path)
        if problem is not None:
            return problem
        properties = rules.get("properties", {})
        parts = [
            (part, properties[key], (*path, key))
            for key, part in members(item).items()
            if key in properties
        ]
        if "items" in rules:
            parts += [(part, rules["items"], (*path, place)) for place, part in enumerate(items(item))]
        pending += reversed(parts)
    return None


def _resolved(rules: Schema, schema: Schema) -> Schema:
    if not rules.keys() <= _KNOWN:
        raise CannotHappen(f"a schema uses {sorted(rules.keys() - _KNOWN)}")
    while "$ref" in rules:
        rules = schema["$defs"][rules["$ref"].removeprefix("#/$defs/")]
    return rules


# ------------------------------------------------------------------------------------------------
# Types

_WORDS = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def _type(value: Value, rules: Schema, path: Path) -> Problem | None:
    wanted = rules.get("type", ())
    wanted = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    if not wanted or any(_has_type(value, name) for name in wanted):
        return None
    words = " or ".join(_WORDS[name] for name in wanted if name != "null")
    return Problem(path, f"`{path_text(path)}` should be {words}, and is {_found(value)}")


def _has_type(value: Value, name: str) -> bool:
    match name:
        case "object":
            return is_object(value)
        case "array":
            return isinstance(value, tuple)
        case "string":
            return is_string(value)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
    if type(value) is int:
        return True
    token = number_token(value)
    return token is not None and (name == "number" or is_whole(token))


def is_whole(token: str) -> bool:
    """Return whether a number's token has no fraction, such as `1.0` or `2.5e1`; none of it is computed."""
    mantissa, _, exponent = token.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("-")
    zeros = len(digits) - len(digits.rstrip("0"))
    if not digits.strip("0"):
        return True
    shift = exponent.lstrip("+-").lstrip("0") or "0"
    if len(shift) > len(str(len(digits))) + 1:
        return not exponent.startswith("-")
    moved = -int(shift) if exponent.startswith("-") else int(shift)
    return moved - len(fraction) + zeros >= 0


def _found(value: Value) -> str:
    names = ("object", "array", "string", "boolean", "null", "integer", "number")
    return next(_WORDS[name] for name in names if _has_type(value, name))


# ------------------------------------------------------------------------------------------------
# Other rules


def _limits(value: Value, rules: Schema, path: Path) -> Problem | None:
    if "enum" in rules and value not in rules["enum"]:
        near = did_you_mean(value, rules["enum"]) if isinstance(value, str) else None
        return Problem(
            path,
            f"`{path_text(path)}` should be one of {', '.join(rules['enum'])}",
            None if near is None else f"did you mean `{near}`?",
        )
    if isinstance(value, tuple) and len(value) < rules.get("minItems", 0):
        return Problem(path, f"`{path_text(path)}` should have an item")
    if "minimum" in rules and _below(value, rules["minimum"]):
        return Problem(path, f"`{path_text(path)}` should be at least {rules['minimum']}")
    return None


def _below(value: Value, bound: int) -> bool:
    if type(value) is int:
        return value < bound
    token = number_token(value)
    if token is None:
        return False
    nonzero = any(digit in "123456789" for digit in token.lower().partition("e")[0])
    return (token.startswith("-") and nonzero) or (bound > 0 and not nonzero)


def _keys(value: Value, rules: Schema, path: Path) -> Problem | None:
    if not isinstance(value, RecordValue) or not is_object(value) or "properties" not in rules:
        return None
    properties = rules["properties"]
    for key in value.fields:
        if key not in properties:
            near = did_you_mean(key, properties)
            name = name_of(key)
            shown = path_text((*path, name)).encode("utf-8", "replace").decode()
            return Problem(
                (*path, name),
                f"`{shown}` is no field of {rules['title']}",
                f"did you mean `{near}`?" if near else "what a format has no field for goes into `extra`",
                at_key=True,
            )
    for key in rules.get("required", ()):
        if key not in value.fields:
            needed = ", ".join(rules["required"])
            return Problem(
                path, f"`{path_text((*path, key))}` is missing", f"{rules['title']} needs {needed}"
            )
    return None
