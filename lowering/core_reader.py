"""Core programs from text: the converse of `core_printer`.

`parse_core(print_core(p))` is `p` but for the names of variables, spans, and the names of task and file.
"""

# The methods of the builder are named, and described, by the rules of the grammar.
# ruff: noqa: ARG002, D102

from __future__ import annotations

import sys
from typing import cast

from eclogue.core.schema import (
    Atom,
    FieldSchema,
    ListSchema,
    LiteralSchema,
    RecordSchema,
    record_schema,
)
from eclogue.core.syntax import (
    Abort,
    Answer,
    Binary,
    BinaryOperator,
    BodyIf,
    BodyLet,
    Check,
    Clause,
    Computation,
    Expression,
    Handle,
    If,
    Let,
    ListExpression,
    Literal,
    Not,
    Operation,
    Perform,
    Program,
    Project,
    RecordExpression,
    Resume,
    Return,
    Tier,
    Variable,
)
from eclogue.core.values import Value, record
from eclogue.lowering.builder import Children, TokenReader
from eclogue.lowering.diagnostics import Diagnostics, SourceText
from eclogue.lowering.lexer import Tokens, tokenize
from eclogue.lowering.parser import Parser, collector_paused
from eclogue.lowering.tables import TEXT, tables


def parse_core(source: SourceText) -> Program:
    """Return the program that a text describes, however deep it is.

    Raises `SourceErrors` with the first syntax error, or with the names that are not in scope (EC0301).
    """
    grammar = tables("core")
    diagnostics = Diagnostics(source)
    with collector_paused():
        tokens = tokenize(source, grammar, diagnostics)
        builder = CoreBuilder(tokens, diagnostics)
        parser = Parser(grammar, tokens, builder, diagnostics, max_nesting=sys.maxsize, recover=False)
        program = parser.run()
    diagnostics.raise_errors()
    return cast("Program", program)


class _Read:
    """A value that was read, kept apart from the tokens and gaps among a rule's children."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


_WORDS: dict[str, bool | None] = {"null": None, "true": True, "false": False}
_NAMED_ATOMS = {atom.value: atom for atom in Atom if atom is not Atom.NULL}


class CoreBuilder(TokenReader):
    """Makes core terms from the rules of the grammar; see `builder` for how the parser calls it.

    Binders are reduced before the terms in which they bind, so that the variables in scope are known.
    """

    def __init__(self, tokens: Tokens, diagnostics: Diagnostics) -> None:
        super().__init__(tokens, diagnostics)
        self._scope: list[str] = []
        self._places: dict[str, list[int]] = {}

    def _bind(self, token: int) -> str | None:
        """Put a variable in scope; return its name, or None for `_`."""
        name = self._key_text(token)
        self._places.setdefault(name, []).append(len(self._scope))
        self._scope.append(name)
        return None if name == "_" else name

    def _unbind(self) -> None:
        self._places[self._scope.pop()].pop()

    # Programs

    def core(self, children: Children, first: int, last: int) -> Program:
        *operations, body = children
        return Program(tuple(sorted(operations, key=lambda operation: operation.name)), body)

    def core_operation(self, children: Children, first: int, last: int) -> Operation:
        _, name, _, payload, _, result, tier = children
        return Operation(name, payload, result, Tier(self._kinds[tier]))

    def core_name(self, children: Children, first: int, last: int) -> str:
        if self._kinds[first] == TEXT:
            return self._key_text(first)
        return ".".join(self._key_text(child) for child in children[::2])

    # Schemas and values

    def schema_atom(self, children: Children, first: int, last: int) -> Atom:
        name = self._key_text(first)
        if name not in _NAMED_ATOMS:
            self._diagnostics.error("EC0301", f"there is no schema `{name}`", self._span(first, last))
        return _NAMED_ATOMS.get(name, Atom.ANY)

    def schema_null(self, children: Children, first: int, last: int) -> Atom:
        return Atom.NULL

    def schema_literal(self, children: Children, first: int, last: int) -> LiteralSchema:
        return LiteralSchema(children[1].value)

    def schema_list(self, children: Children, first: int, last: int) -> ListSchema:
        return ListSchema(children[1])

    def schema_record(self, children: Children, first: int, last: int) -> RecordSchema:
        fields = {child.key: child for child in children if type(child) is FieldSchema}
        if len(fields) < sum(type(child) is FieldSchema for child in children):
            self._diagnostics.error("EC0302", "a schema with a key twice", self._span(first, last))
        return record_schema(fields.values())

    def schema_field(self, children: Children, first: int, last: int) -> FieldSchema:
        key, optional, _, schema = children
        return FieldSchema(self._key_text(key), optional is None, schema)

    def value_word(self, children: Children, first: int, last: int) -> _Read:
        return _Read(_WORDS[self._kinds[first]])

    def value_integer(self, children: Children, first: int, last: int) -> _Read:
        return _Read(self._number(first))

    def value_negative(self, children: Children, first: int, last: int) -> _Read:
        return _Read(-self._number(last))

    def value_text(self, children: Children, first: int, last: int) -> _Read:
        return _Read(self._key_text(first))

    def value_list(self, children: Children, first: int, last: int) -> _Read:
        return _Read(tuple(child.value for child in children if type(child) is _Read))

    def value_record(self, children: Children, first: int, last: int) -> _Read:
        return _Read(record(child for child in children if type(child) is tuple))

    def value_field(self, children: Children, first: int, last: int) -> tuple[str, Value]:
        return self._key_text(first), children[2].value

    # Computations

    def core_let(self, children: Children, first: int, last: int) -> Let:
        (name, bound), body = children
        self._unbind()
        return Let(bound, body, name=name)

    def core_let_head(self, children: Children, first: int, last: int) -> tuple[str | None, Computation]:
        return self._bind(children[1]), children[3]

    def core_braces(self, children: Children, first: int, last: int) -> Computation:
        computation: Computation = children[1]
        return computation

    def core_return(self, children: Children, first: int, last: int) -> Return:
        return Return(children[1])

    def core_perform(self, children: Children, first: int, last: int) -> Perform:
        return Perform(children[1], children[3])

    def core_handle(self, children: Children, first: int, last: int) -> Handle:
        name, return_clause = children[6]
        return Handle(children[2], return_clause, tuple(children[7:-1]), name=name)

    def core_if(self, children: Children, first: int, last: int) -> If:
        return If(children[1], children[4], children[8])

    def core_return_clause(
        self, children: Children, first: int, last: int
    ) -> tuple[str | None, Computation]:
        self._unbind()
        return children[0], children[2]

    def core_return_head(self, children: Children, first: int, last: int) -> str | None:
        return self._bind(children[2])

    def core_clause(self, children: Children, first: int, last: int) -> Clause:
        (operation, name), _, body, _ = children
        self._unbind()
        return Clause(operation, body, name=name)

    def core_clause_head(self, children: Children, first: int, last: int) -> tuple[str, str | None]:
        return children[0], self._bind(children[2])

    # Clause bodies

    def body_let(self, children: Children, first: int, last: int) -> BodyLet:
        (name, bound), body = children
        self._unbind()
        return BodyLet(bound, body, name=name)

    def body_if(self, children: Children, first: int, last: int) -> BodyIf:
        return BodyIf(children[1], children[4], children[8])

    def body_answer(self, children: Children, first: int, last: int) -> Answer:
        return Answer(children[1])

    def body_abort(self, children: Children, first: int, last: int) -> Abort:
        return Abort(children[1])

    def body_resume(self, children: Children, first: int, last: int) -> Resume:
        (name, expression), body = children
        self._unbind()
        return Resume(expression, body, name=name)

    def core_resume_head(self, children: Children, first: int, last: int) -> tuple[str | None, Expression]:
        return self._bind(children[1]), children[4]

    # Expressions

    def core_variable(self, children: Children, first: int, last: int) -> Variable:
        name = self._key_text(first)
        places = self._places.get(name)
        if not places or name == "_":
            self._diagnostics.error("EC0301", f"the name `{name}` is not in scope", self._span(first, last))
            return Variable(0)
        return Variable(len(self._scope) - 1 - places[-1], name=name)

    def core_index(self, children: Children, first: int, last: int) -> Variable:
        return Variable(self._number(children[1]))

    def core_literal(self, children: Children, first: int, last: int) -> Literal:
        return Literal(children[0].value)

    def core_quoted(self, children: Children, first: int, last: int) -> Literal:
        return Literal(children[1].value)

    def core_list(self, children: Children, first: int, last: int) -> ListExpression:
        return ListExpression(
            tuple(child for child in children if child is not None and type(child) is not int)
        )

    def core_record(self, children: Children, first: int, last: int) -> RecordExpression:
        return RecordExpression(tuple(child for child in children if type(child) is tuple))

    def core_field(self, children: Children, first: int, last: int) -> tuple[str, Expression]:
        return self._key_text(first), children[2]

    def core_check(self, children: Children, first: int, last: int) -> Check:
        return Check(children[2], children[4])

    def core_project(self, children: Children, first: int, last: int) -> Project:
        return Project(children[0], self._key_text(children[2]))

    def core_parenthesis(self, children: Children, first: int, last: int) -> Expression:
        expression: Expression = children[1]
        return expression

    def core_not(self, children: Children, first: int, last: int) -> Not:
        return Not(children[1])

    def core_binary(self, children: Children, first: int, last: int) -> Binary:
        left, operator, right = children
        return Binary(BinaryOperator(self._kinds[operator]), left, right)
