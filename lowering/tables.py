"""The grammar as tables: what Lark makes of `grammar.lark`, in the form that lexer and parser read.

Lark analyses the grammar; its table is then driven by `parser.py` rather than by Lark's own loop, which
is several times slower and has no place for recovery after an error. Kinds of tokens are the literal text
of a terminal (`"let"`, `"{"`), or `NAME`, `INTEGER`, `TEXT`, or `END` behind the last token.
"""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import Any, TypeAlias

import attrs
from lark import Lark
from lark.parsers.lalr_analysis import Shift

NAME = "NAME"
INTEGER = "INTEGER"
TEXT = "TEXT"
END = "$END"
_CLASSES = (NAME, INTEGER, TEXT)
_STARTS = ("file", "core")


@attrs.frozen(eq=False)
class Reduction:
    """A rule that the parser may reduce by, with `size` children.

    `action` names the builder's method for it, unless it is `transparent` (its single child stands for it)
    or `repeated` (its value is the list of its children, to stand among the children of another rule).
    `layout` says which child stands where, -1 meaning an optional part that was left out; it is None where
    no part was. `splice` tells whether there are lists among the children; `nesting` is what it adds to the
    depth.
    """

    rule: str
    size: int
    action: str
    transparent: bool
    repeated: bool
    layout: tuple[int, ...] | None
    splice: bool
    nesting: int


Action: TypeAlias = "int | Reduction"
"""Shift to a state, or reduce."""


@attrs.frozen(eq=False)
class Tables:
    """The tables for one start symbol.

    `actions[state][kind]` says what to do with a token, `gotos[state][rule]` where to go after a reduction.
    `keywords` and `marks` are the words and the punctuation of this language, `patterns` the regular
    expressions of the classes of tokens.
    """

    start: int
    final: int
    actions: tuple[dict[str, Action], ...]
    gotos: tuple[dict[str, int], ...]
    keywords: frozenset[str]
    marks: tuple[str, ...]
    patterns: dict[str, str]


@functools.cache
def tables(start: str) -> Tables:
    """Return the tables for the start symbol `file` or `core`; computed once in a process."""
    grammar = _grammar()
    conf = grammar.parse_interactive("", start=start).parser_state.parse_conf
    kinds = _kinds(grammar)
    actions: list[dict[str, Action]] = [{} for _ in conf.states]
    gotos: list[dict[str, int]] = [{} for _ in conf.states]
    for state in _reachable(conf):
        for symbol, (action, argument) in conf.states[state].items():
            if symbol not in kinds:
                gotos[state][str(symbol)] = argument
            elif action is Shift:
                actions[state][kinds[symbol]] = argument
            else:
                actions[state][kinds[symbol]] = _reduction(argument)
    shifted = {kind for row in actions for kind, action in row.items() if isinstance(action, int)}
    texts = shifted - {*_CLASSES, END}
    patterns = {item.name: item.pattern.value for item in grammar.terminals if item.name in _CLASSES}
    return Tables(
        start=conf.start_state,
        final=conf.end_state,
        actions=tuple(actions),
        gotos=tuple(gotos),
        keywords=frozenset(text for text in texts if text.isidentifier()),
        marks=tuple(sorted((text for text in texts if not text.isidentifier()), key=len, reverse=True)),
        patterns=patterns,
    )


def grammar_text() -> str:
    """Return the text of `grammar.lark`."""
    return (files("eclogue.lowering") / "grammar.lark").read_text(encoding="utf-8")


@functools.cache
def _grammar() -> Lark:
    return Lark(
        grammar_text(),
        parser="lalr",
        start=list(_STARTS),
        keep_all_tokens=True,
        maybe_placeholders=True,
    )


def _kinds(grammar: Lark) -> dict[str, str]:
    """Return the kind of token for each of Lark's names of terminals."""
    kinds = {END: END}
    for terminal in grammar.terminals:
        kinds[terminal.name] = terminal.name if terminal.name in _CLASSES else terminal.pattern.value
    return kinds


def _reachable(conf: Any) -> set[int]:
    """Return the states of Lark's table that can be reached from its start state."""
    seen = {conf.start_state}
    pending = [conf.start_state]
    while pending:
        for action, argument in conf.states[pending.pop()].values():
            if action is Shift and argument not in seen:
                seen.add(argument)
                pending.append(argument)
    return seen


@functools.cache
def _reduction(rule: Any) -> Reduction:
    name = str(rule.origin.name)  # plain text: comparing tokens of Lark's is slow
    size = len(rule.expansion)
    return Reduction(
        rule=name,
        size=size,
        action=str(rule.alias or name),
        transparent=size == 1 and rule.options.expand1 and rule.alias is None,
        repeated=name.startswith("_"),
        layout=_layout(rule.options.empty_indices, size),
        splice=any(symbol.name.startswith("_") and not symbol.is_term for symbol in rule.expansion),
        nesting=_NESTING.get(rule.alias or name, 0),
    )


_NESTING = {"prefix": 1, "unary": -1}


def _layout(left_out: tuple[bool, ...], size: int) -> tuple[int, ...] | None:
    """Return where a rule's children go, from Lark's flags for what was left out between them."""
    if not any(left_out):
        return None
    positions = iter(range(size))
    return tuple(-1 if absent else next(positions) for absent in left_out)
