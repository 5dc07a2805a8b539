"""Contracts of pure functions of the core, in the docstrings, for CrossHair to attack.

Its model of regular expressions has no `start(NAME)`, which the reader needs: texts are made concrete.
"""

from __future__ import annotations

from crosshair import deep_realize

from eclogue.core.canonical import escape_key, read, text_of
from eclogue.core.paths import ROOT
from eclogue.core.schema import Atom, conforms


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


def wrong_on_purpose(number: int) -> bool:
    """post: _"""
    return number != 7
