"""Contracts of pure functions of the core and the validator, in the docstrings, for CrossHair to attack.

Its model of regular expressions has no `start(NAME)`, which the reader needs: texts are made concrete.
"""

from __future__ import annotations

import ntpath
import posixpath
from typing import Any

from crosshair import deep_realize

from eclogue.core.canonical import SAFE_INTEGER, escape_key, read, text_of
from eclogue.core.errors import MalformedInput
from eclogue.core.outcomes import HostAnswer
from eclogue.core.paths import ROOT
from eclogue.core.schema import Atom, FieldSchema, ListSchema, LiteralSchema, conforms, record_schema
from eclogue.core.trace import START_REF, Closing, HandlerSelection, SelectionClosed
from eclogue.core.values import equal, record
from eclogue.validator import trace_file, verification
from eclogue.validator.answers import answers_from_value, answers_text, answers_to_value, read_answers
from eclogue.validator.trace_file import line, read_line

HEX = "0123456789abcdef"


def integers_come_back(number: int) -> bool:
    """post: _"""
    return read(deep_realize(text_of(number))) == number


def texts_come_back(text: str) -> bool:
    """pre: len(text) < 4 and all(ord(c) < 0xD800 for c in text)
    post: _
    """
    return read(deep_realize(text_of(text))) == text


def escaped_keys_differ(left: str, right: str) -> bool:
    """pre: left != right and len(left) < 4 and len(right) < 4
    post: _
    """
    return escape_key(left) != escape_key(right)


def atoms_keep_kinds_apart(number: int, flag: bool) -> bool:
    """post: _"""
    return conforms(Atom.INT, number) and not conforms(Atom.INT, flag) and not conforms(Atom.BOOL, number)


def a_position_is_no_key(position: int) -> bool:
    """pre: position >= 0
    post: _
    """
    return str(ROOT / "a" / position) == f"a[{position}]"


def lists_come_back(numbers: list[int]) -> bool:
    """pre: len(numbers) < 4
    post: _
    """
    value = tuple(deep_realize(numbers))
    return equal(read(text_of(value)), value)


def records_come_back(fields: dict[str, int]) -> bool:
    """pre: len(fields) < 3 and all(ord(c) < 0xD800 for key in fields for c in key)
    post: _
    """
    value = record(deep_realize(fields))
    return equal(read(text_of(value)), value)


def lists_conform_item_by_item(items: list[int | bool]) -> bool:
    """pre: len(items) < 4
    post: _
    """
    return conforms(ListSchema(Atom.INT), tuple(items)) == all(type(item) is int for item in items)


def records_conform_key_by_key(fields: dict[str, int | bool]) -> bool:
    """pre: len(fields) < 3 and all(len(key) < 2 for key in fields)
    post: _
    """
    schema = record_schema([FieldSchema("a", True, Atom.INT), FieldSchema("b", False, Atom.BOOL)])
    expected = "a" in fields and all(
        (key == "a" and type(item) is int) or (key == "b" and type(item) is bool)
        for key, item in fields.items()
    )
    return conforms(schema, record(fields)) == expected


def literals_conform_to_themselves_alone(wanted: int, given: int, flag: bool) -> bool:
    """post: _"""
    schema = LiteralSchema(wanted)
    return conforms(schema, given) == (wanted == given) and not conforms(schema, flag)


def refs_have_one_form(end: str) -> bool:
    """pre: len(end) < 4
    post: _
    """
    text = f"sha256:{'0' * 62}{end}"
    expected = len(end) == 2 and all(c in HEX for c in end)
    return (
        _refused(lambda: trace_file._ref({"ref": text})) != expected
        and _refused(lambda: verification._ref(text, "")) != expected
    )


def refs_have_one_beginning(start: str) -> bool:
    """pre: len(start) < 9
    post: _
    """
    return _refused(lambda: trace_file._ref({"ref": start + "0" * 64})) == (start != "sha256:")


def numbers_of_records_are_natural(number: int, flag: bool) -> bool:
    """post: _"""
    fits = 0 <= number < SAFE_INTEGER
    return _refused(lambda: trace_file._natural({"seq": number}, "seq")) == (not fits) and _refused(
        lambda: trace_file._natural({"seq": flag}, "seq")
    )


def spans_have_four_places(places: list[int]) -> bool:
    """pre: len(places) < 6
    post: _
    """
    fits = len(places) == 4 and all(0 < place < SAFE_INTEGER for place in places)
    return _refused(lambda: trace_file._span({"span": tuple(places)})) == (not fits)


def selections_come_back(number: int, declaration: int, captured: int) -> bool:
    """pre: all(0 <= n < 2 ** 53 for n in (number, declaration, captured))
    post: _
    """
    made = HandlerSelection(declaration, captured)
    return read_line(deep_realize(line(number, made, None, START_REF))) == (number, made, START_REF, None)


def closings_come_back(number: int, selection: int, failed: bool) -> bool:
    """pre: all(0 <= n < 2 ** 53 for n in (number, selection))
    post: _
    """
    made = SelectionClosed(Closing.FAILED if failed else Closing.DROPPED, selection, number)
    return read_line(deep_realize(line(number, made, None, START_REF))) == (number, made, START_REF, None)


def plain_names_stay_in_the_folder(name: str) -> bool:
    """pre: len(name) < 4
    post: _
    """
    if not verification.plain_name(name):
        return True
    inside = posixpath.basename(name) == name == ntpath.basename(name)
    return inside and name not in ("", ".", "..") and not ntpath.splitdrive(name)[0] and "\0" not in name


def words_are_plain_names(name: str) -> bool:
    """pre: 0 < len(name) < 4 and all("a" <= c <= "z" for c in name)
    post: _
    """
    return verification.plain_name(name) and verification.plain_name(f"{name}.jsonl")


def answers_come_back(value: int, operation: str | None) -> bool:
    """pre: operation is None or len(operation) < 4
    post: _
    """
    answers = (HostAnswer(value, operation), HostAnswer(record({"value": value}), operation))
    found = answers_from_value(answers_to_value(answers))
    return all(
        equal(old.value, new.value) and old.operation == new.operation
        for old, new in zip(answers, found, strict=True)
    )


def answers_are_read_as_they_are_written(values: list[int | None]) -> bool:
    """pre: len(values) < 3
    post: _
    """
    answers = tuple(HostAnswer(deep_realize(value)) for value in values)
    return [each.value for each in read_answers(answers_text(answers))] == [each.value for each in answers]


def _refused(reads: Any) -> bool:
    try:
        reads()
    except MalformedInput:
        return True
    return False


def wrong_on_purpose(number: int) -> bool:
    """post: _"""
    return number != 7
