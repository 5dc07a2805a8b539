"""The surface tree from the rules of the grammar.

The parser calls a method here for each rule it reduces by, with the rule's children and the numbers of its
first and last token. A child is a token's number, what another method returned, or None for an optional
part that was left out; a repetition's children stand among the others.
"""

# The methods are named, and described, by the rules of the grammar, and all take the same arguments.
# ruff: noqa: ARG002, D102

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable
from typing import Any, TypeAlias

from eclogue.core.canonical import integer
from eclogue.core.syntax import BinaryOperator, Tier
from eclogue.lowering import ast
from eclogue.lowering.diagnostics import Diagnostics
from eclogue.lowering.lexer import Tokens
from eclogue.lowering.spelling import MAX_DIGITS
from eclogue.lowering.tables import INTEGER, NAME, TEXT

Children: TypeAlias = list[Any]
Method: TypeAlias = Callable[[Children, int, int], object]

_OPERATORS: dict[str, BinaryOperator | ast.SugaredOperator] = {
    **{operator.value: operator for operator in BinaryOperator},
    **{operator.value: operator for operator in ast.SugaredOperator},
}
_TIERS = {tier.value: tier for tier in Tier}
_KINDS = {kind.value: kind for kind in ast.ClauseKind}
_UNARY = {operator.value: operator for operator in ast.UnaryOperator}
_WORDS: dict[str, bool | None] = {"null": None, "true": True, "false": False}

_ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.))")
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_MAX_SCALAR = 0x10FFFF


def methods(builder: object) -> dict[str, Method]:
    """Return a builder's methods by the names that the grammar uses."""
    return {
        name.rstrip("_") if keyword.iskeyword(name.rstrip("_")) else name: getattr(builder, name)
        for name in dir(builder)
        if not name.startswith("_")
    }


def unquoted(literal: str) -> str:
    """Return the text that a literal in quotes stands for; escapes that are refused stay as they are."""
    body = literal[1:-1]
    return _ESCAPE.sub(_unescaped, body) if "\\" in body else body


def _unescaped(match: re.Match[str]) -> str:
    digits, char = match.groups()
    if digits is None:
        return _SIMPLE_ESCAPES.get(char, char)
    code = int(digits, 16)
    return chr(code) if code <= _MAX_SCALAR else match[0]


def normalised(name: str) -> str:
    """Return a name in NFC: names that differ only in how they are composed are the same name."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


class TokenReader:
    """What tokens stand for."""

    def __init__(self, tokens: Tokens, diagnostics: Diagnostics) -> None:
        self._tokens = tokens
        self._diagnostics = diagnostics
        self._kinds = tokens.kinds
        self._span = tokens.span

    def _key_text(self, token: int) -> str:
        """Return what a name, a reserved word or a text in quotes stands for as a record's key."""
        text = self._tokens.text(token)
        return unquoted(text) if self._kinds[token] == TEXT else normalised(text)

    def _number(self, token: int) -> int:
        digits = self._tokens.text(token)
        # What is not a number was reported, and zero stands in for it.
        return integer(digits) if len(digits) <= MAX_DIGITS and digits.isdecimal() else 0


class SurfaceBuilder(TokenReader):
    """Makes the nodes of `ast`; reports what the grammar does not say to `diagnostics`."""

    def _name(self, token: int) -> ast.Name:
        return ast.Name(normalised(self._tokens.text(token)), span=self._span(token, token))

    def _key(self, token: int) -> ast.Name:
        return ast.Name(self._key_text(token), span=self._span(token, token))

    # Files and declarations

    def file(self, children: Children, first: int, last: int) -> ast.SourceFile:
        source = self._tokens.source
        span = source.span(0, len(source.text))
        return ast.SourceFile(tuple(children), tuple(self._tokens.comments), span=span)

    def effect(self, children: Children, first: int, last: int) -> ast.EffectDeclaration:
        return ast.EffectDeclaration(
            self._name(children[1]), tuple(children[3:-1]), span=self._span(first, last)
        )

    def operation(self, children: Children, first: int, last: int) -> ast.OperationDeclaration:
        tier, kind, name, parameters, _, result, semicolon = children
        return ast.OperationDeclaration(
            _TIERS[self._kinds[tier]],
            _KINDS[self._kinds[kind]],
            self._name(name),
            parameters,
            result,
            span=self._span(first, last if semicolon is None else semicolon - 1),
        )

    def type_declaration(self, children: Children, first: int, last: int) -> ast.TypeDeclaration:
        _, name, _, body, semicolon = children
        end = last if semicolon is None else semicolon - 1
        return ast.TypeDeclaration(self._name(name), body, span=self._span(first, end))

    def task(self, children: Children, first: int, last: int) -> ast.TaskDeclaration:
        _, name, parameters, _, result, row, block = children
        return ast.TaskDeclaration(
            self._name(name), parameters, result, row, block, span=self._span(first, last)
        )

    def def_(self, children: Children, first: int, last: int) -> ast.DefDeclaration:
        _, name, parameters, _, result, row, block = children
        return ast.DefDeclaration(
            self._name(name), parameters, result, row, block, span=self._span(first, last)
        )

    def handler(self, children: Children, first: int, last: int) -> ast.HandlerDeclaration:
        _, name, parameters, clauses = children
        return ast.HandlerDeclaration(
            self._name(name), parameters or (), clauses, span=self._span(first, last)
        )

    def parameters(self, children: Children, first: int, last: int) -> tuple[ast.Parameter, ...]:
        return tuple(child for child in children if type(child) is ast.Parameter)

    typed_parameters = parameters

    def parameter(self, children: Children, first: int, last: int) -> ast.Parameter:
        return ast.Parameter(self._name(children[0]), children[2], span=self._span(first, last))

    typed_parameter = parameter

    def row(self, children: Children, first: int, last: int) -> ast.Row:
        entries: list[ast.Name | ast.QualifiedName] = []
        for child in children:
            if type(child) is ast.QualifiedName:
                entries.append(child)
            elif type(child) is int and self._kinds[child] == NAME:
                entries.append(self._name(child))
        return ast.Row(tuple(entries), span=self._span(first, last))

    def qualified(self, children: Children, first: int, last: int) -> ast.QualifiedName:
        effect, _, operation = children
        return ast.QualifiedName(self._name(effect), self._name(operation), span=self._span(first, last))

    # Types

    def named_type(self, children: Children, first: int, last: int) -> ast.NamedType:
        name = self._name(children[0])
        return ast.NamedType(name, span=name.span)

    def list_type(self, children: Children, first: int, last: int) -> ast.ListType:
        return ast.ListType(children[2], span=self._span(first, last))

    def record_type(self, children: Children, first: int, last: int) -> ast.RecordType:
        fields = tuple(child for child in children if type(child) is ast.FieldType)
        return ast.RecordType(fields, span=self._span(first, last))

    def field_type(self, children: Children, first: int, last: int) -> ast.FieldType:
        key, optional, _, body = children
        return ast.FieldType(self._key(key), optional is None, body, span=self._span(first, last))

    def literal_type(self, children: Children, first: int, last: int) -> ast.LiteralType:
        return ast.LiteralType(children[0], span=children[0].span)

    def negative_type(self, children: Children, first: int, last: int) -> ast.LiteralType:
        span = self._span(first, last)
        return ast.LiteralType(ast.LiteralExpression(-self._number(children[1]), span=span), span=span)

    # Blocks and statements

    def block(self, children: Children, first: int, last: int) -> ast.Block:
        statements = [child for child in children if child is not None and type(child) is not int]
        self._check_ends(statements)
        # The last child is the brace, the one before it a statement without a semicolon, if there is one;
        # before that stands the semicolon of a statement that ends in a brace, or None where it has none.
        open_ended = children[-2] is not None or (len(children) > 3 and children[-3] is None)
        tail = open_ended and type(statements[-1]) is ast.RunStatement
        return ast.Block(tuple(statements), tail, span=self._span(first, last))

    def _check_ends(self, statements: list[ast.Statement]) -> None:
        for position, statement in enumerate(statements[:-1]):
            if isinstance(statement, _ENDS):
                what = _END_NAMES[type(statement)]
                self._diagnostics.error(
                    "EC0203",
                    f"a statement after `{what}`",
                    statements[position + 1].span,
                    notes=((statement.span, "the block ends here"),),
                    hint=f"`{what}` stands last in its block",
                )
                return

    def let(self, children: Children, first: int, last: int) -> ast.LetStatement:
        _, name, _, annotation, _, computation = children
        return ast.LetStatement(self._name(name), annotation, computation, span=self._span(first, last))

    def return_(self, children: Children, first: int, last: int) -> ast.ReturnStatement:
        return ast.ReturnStatement(children[1], span=self._span(first, last))

    def answer(self, children: Children, first: int, last: int) -> ast.AnswerStatement:
        return ast.AnswerStatement(children[2], span=self._span(first, last))

    def abort(self, children: Children, first: int, last: int) -> ast.AbortStatement:
        return ast.AbortStatement(children[2], span=self._span(first, last))

    def run(self, children: Children, first: int, last: int) -> ast.RunStatement:
        return ast.RunStatement(children[0], span=children[0].span)

    # Computations

    def pure(self, children: Children, first: int, last: int) -> ast.PureComputation:
        return ast.PureComputation(children[0], span=self._span(first, last))

    def perform(self, children: Children, first: int, last: int) -> ast.PerformComputation:
        return ast.PerformComputation(children[1], children[2], span=self._span(first, last))

    def call(self, children: Children, first: int, last: int) -> ast.CallComputation:
        return ast.CallComputation(self._name(children[0]), children[1], span=self._span(first, last))

    def arguments(self, children: Children, first: int, last: int) -> tuple[ast.Expression, ...]:
        return tuple(child for child in children if child is not None and type(child) is not int)

    def resume(self, children: Children, first: int, last: int) -> ast.ResumeComputation:
        return ast.ResumeComputation(children[2], span=self._span(first, last))

    def handle(self, children: Children, first: int, last: int) -> ast.HandleComputation:
        return ast.HandleComputation(children[1], children[3], None, span=self._span(first, last))

    def handle_typed(self, children: Children, first: int, last: int) -> ast.HandleComputation:
        _, body, _, handler, _, completion = children
        return ast.HandleComputation(body, handler, completion, span=self._span(first, last))

    handle_named = handle_typed

    def handler_reference(self, children: Children, first: int, last: int) -> ast.HandlerReference:
        return ast.HandlerReference(
            self._name(children[0]), children[1] or (), span=self._span(first, last)
        )

    def branch(self, children: Children, first: int, last: int) -> tuple[int, ast.Expression, ast.Block]:
        return first, children[1], children[3]

    def if_(self, children: Children, first: int, last: int) -> ast.IfComputation:
        """Nest a chain of branches from its end."""
        branches = [child for child in children if type(child) is tuple]
        otherwise: ast.Block | None = children[-1]
        start, condition, then = branches.pop()
        while branches:
            span = self._span(start, last)
            nested = ast.IfComputation(condition, then, otherwise, span=span)
            otherwise = ast.Block((ast.RunStatement(nested, span=span),), True, span=span)
            start, condition, then = branches.pop()
        return ast.IfComputation(condition, then, otherwise, span=self._span(start, last))

    def repeat(self, children: Children, first: int, last: int) -> ast.RepeatComputation:
        _, count, _, variable, _, initial, _, condition, body = children
        return ast.RepeatComputation(
            self._number(count),
            self._span(count, count),
            self._name(variable),
            initial,
            condition,
            body,
            span=self._span(first, last),
        )

    def for_(self, children: Children, first: int, last: int) -> ast.ForComputation:
        _, variable, _, items, body = children
        return ast.ForComputation(self._name(variable), items, body, span=self._span(first, last))

    def do(self, children: Children, first: int, last: int) -> ast.BlockComputation:
        return ast.BlockComputation(children[1], span=self._span(first, last))

    # Handlers

    def clauses(self, children: Children, first: int, last: int) -> ast.HandlerBlock:
        return ast.HandlerBlock(tuple(children[1:-1]), span=self._span(first, last))

    def clause(self, children: Children, first: int, last: int) -> ast.ClauseDeclaration:
        kind, operation, parameters, body = children
        return ast.ClauseDeclaration(
            _KINDS[self._kinds[kind]], operation, parameters, body, span=self._span(first, last)
        )

    def clause_parameters(self, children: Children, first: int, last: int) -> tuple[ast.Name, ...]:
        return tuple(
            self._name(child) for child in children if child is not None and self._kinds[child] == NAME
        )

    def return_clause(self, children: Children, first: int, last: int) -> ast.ReturnClause:
        return ast.ReturnClause(self._name(children[2]), children[4], span=self._span(first, last))

    # Expressions

    def binary(self, children: Children, first: int, last: int) -> ast.BinaryExpression:
        left, operator, right = children
        return ast.BinaryExpression(
            _OPERATORS[self._kinds[operator]], left, right, span=self._span(first, last)
        )

    def prefix(self, children: Children, first: int, last: int) -> ast.UnaryOperator:
        return _UNARY[self._kinds[first]]

    def unary(self, children: Children, first: int, last: int) -> ast.UnaryExpression:
        return ast.UnaryExpression(children[0], children[1], span=self._span(first, last))

    def project(self, children: Children, first: int, last: int) -> ast.ProjectExpression:
        return ast.ProjectExpression(children[0], self._key(children[2]), span=self._span(first, last))

    def parenthesis(self, children: Children, first: int, last: int) -> ast.Expression:
        expression: ast.Expression = children[1]
        return expression

    def variable(self, children: Children, first: int, last: int) -> ast.VariableExpression:
        name = self._name(first)
        return ast.VariableExpression(name, span=name.span)

    def literal(self, children: Children, first: int, last: int) -> ast.LiteralExpression:
        kind = self._kinds[first]
        value: bool | int | str | None
        if kind == TEXT:
            value = unquoted(self._tokens.text(first))
        elif kind == INTEGER:
            value = self._number(first)
        else:
            value = _WORDS[kind]
        return ast.LiteralExpression(value, span=self._span(first, last))

    def unit_literal(self, children: Children, first: int, last: int) -> ast.LiteralExpression:
        return ast.LiteralExpression(None, span=self._span(first, last))

    def list_expression(self, children: Children, first: int, last: int) -> ast.ListExpression:
        items = tuple(child for child in children if child is not None and type(child) is not int)
        return ast.ListExpression(items, span=self._span(first, last))

    def record_expression(self, children: Children, first: int, last: int) -> ast.RecordExpression:
        fields = tuple(child for child in children if type(child) is ast.FieldExpression)
        return ast.RecordExpression(fields, span=self._span(first, last))

    def field(self, children: Children, first: int, last: int) -> ast.FieldExpression:
        return ast.FieldExpression(self._key(children[0]), children[2], span=self._span(first, last))

    def shorthand(self, children: Children, first: int, last: int) -> ast.FieldExpression:
        name = self._name(first)
        variable = ast.VariableExpression(name, span=name.span)
        return ast.FieldExpression(name, variable, True, span=name.span)


_ENDS = (ast.ReturnStatement, ast.AnswerStatement, ast.AbortStatement)
_END_NAMES: dict[type, str] = {
    ast.ReturnStatement: "return",
    ast.AnswerStatement: "answer",
    ast.AbortStatement: "abort",
}
