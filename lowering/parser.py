"""From text to the surface tree.

`parse` is an LALR(1) parser: it drives the tables that Lark made of `grammar.lark`, with explicit stacks,
in time linear in the text. Brackets and prefix operators nest at most `MAX_NESTING` deep, counted together;
chains of binary operators, of projections and of `else if` are not bounded, and their trees are deep.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from eclogue.lowering import ast
from eclogue.lowering.builder import SurfaceBuilder, methods
from eclogue.lowering.diagnostics import Diagnostics, SourceText
from eclogue.lowering.lexer import Tokens, tokenize
from eclogue.lowering.recovery import Recovery
from eclogue.lowering.tables import END, Tables, tables

MAX_NESTING = 1_000
"""How deep brackets and prefix operators may nest in a source."""

_NESTING = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def parse(source: SourceText) -> ast.SourceFile:
    """Return the surface tree of a source; raises `SourceErrors` with the syntax errors found, in order."""
    grammar = tables("file")
    diagnostics = Diagnostics(source)
    with collector_paused():
        tokens = tokenize(source, grammar, diagnostics)
        builder = SurfaceBuilder(tokens, diagnostics)
        tree = Parser(grammar, tokens, builder, diagnostics).run()
    diagnostics.raise_errors()
    return cast("ast.SourceFile", tree)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector of cycles: it would visit a growing tree, which has none, many times."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Parser:
    """One run over some tokens: a stack of states, and beside it the values and first tokens of symbols.

    `builder` has a method for each rule of the grammar. Without `recover` the first error is the last.
    """

    def __init__(
        self,
        grammar: Tables,
        tokens: Tokens,
        builder: object,
        diagnostics: Diagnostics,
        *,
        max_nesting: int = MAX_NESTING,
        recover: bool = True,
    ) -> None:
        self.grammar = grammar
        self.tokens = tokens
        self.functions = methods(builder)
        self.max_nesting = max_nesting
        self.states = [grammar.start]
        self.values: list[Any] = [None]
        self.firsts = [0]
        self.recovery = Recovery(grammar, tokens, self.states, self.values, diagnostics, go_on=recover)

    def run(self) -> object:
        """Return what the builder made of the start symbol; raises `SourceErrors` where it must stop."""
        actions = self.grammar.actions
        gotos = self.grammar.gotos
        final = self.grammar.final
        functions = self.functions
        kinds = self.tokens.kinds
        states, values, firsts = self.states, self.values, self.firsts
        nesting = 0
        index = 0
        while True:
            kind = kinds[index]
            action = actions[states[-1]].get(kind)
            if isinstance(action, int):
                states.append(action)
                values.append(index)
                firsts.append(index)
                if kind in _NESTING:
                    nesting += _NESTING[kind]
                    if nesting > self.max_nesting:
                        self.recovery.nested_too_deeply(index, self.max_nesting)
                index += 1
                continue
            if action is None:
                index = self.recovery.recover(index)
                del firsts[len(states) :]
                nesting = len(self.recovery.open_brackets())
                continue
            if action.transparent:
                states[-1] = gotos[states[-2]][action.rule]
                if kind == END and states[-1] == final:
                    return values[-1]
                continue
            size = action.size
            children: list[Any] = []
            first = index
            if size:
                first = firsts[-size]
                children = values[-size:]
                del states[-size:], values[-size:], firsts[-size:]
            if action.layout is not None:
                children = [None if place < 0 else children[place] for place in action.layout]
            if action.splice:
                children = _spliced(children)
            if action.nesting:
                nesting += action.nesting
                if nesting > self.max_nesting:
                    self.recovery.nested_too_deeply(first, self.max_nesting)
            if action.repeated:
                value: object = children
            else:
                value = functions[action.action](children, first, index - 1)
            values.append(value)
            firsts.append(first)
            states.append(gotos[states[-1]][action.rule])
            if kind == END and states[-1] == final:
                return value


def _spliced(children: list[Any]) -> list[Any]:
    """Return children with the children of repetitions among them; extends the first list in place."""
    head = children[0]
    result, rest = (head, children[1:]) if type(head) is list else ([], children)
    for child in rest:
        if type(child) is list:
            result.extend(child)
        else:
            result.append(child)
    return result
