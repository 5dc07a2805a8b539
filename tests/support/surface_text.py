"""Surface trees to text, in as many ways as the grammar allows: an oracle for the parser.

The words and signs come out as a list of tokens, with optional ones (trailing commas, parentheses,
semicolons, `else if`) put in at random; `laid_out` puts white space and comments between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, TypeAlias
from unicodedata import is_normalized

from eclogue.core.syntax import BinaryOperator
from eclogue.lowering import ast
from support.choices import chance

Tokens: TypeAlias = Iterator[str]

_NAME = re.compile(r"[^\W\d]\w*")
_PLAIN = re.compile(r"[ -!#-\[\]-~éß\U0001f600]")

# Levels of the expression grammar, from loose to tight.
_NOT, _CONCATENATION, _UNARY, _POSTFIX, _ATOM = 3, 5, 8, 9, 10
_LEVELS: dict[BinaryOperator | ast.SugaredOperator, tuple[int, int, int]] = {
    BinaryOperator.OR: (1, 1, 2),
    BinaryOperator.AND: (2, 2, 3),
    **dict.fromkeys(
        (
            *(BinaryOperator.EQ, BinaryOperator.NE, BinaryOperator.LT, BinaryOperator.LE),
            *ast.SugaredOperator,
        ),
        (4, 5, 5),
    ),
    BinaryOperator.CONCAT: (5, 5, 6),
    BinaryOperator.ADD: (6, 6, 7),
    BinaryOperator.SUB: (6, 6, 7),
    BinaryOperator.MUL: (7, 7, 8),
}
"""Of each operator its level, and those that its operands must have at least."""

_BRACED = (ast.IfComputation, ast.RepeatComputation, ast.ForComputation, ast.BlockComputation)


class SurfaceWriter:
    """Writes trees as tokens."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def text(self, file: ast.SourceFile) -> str:
        """Return a file's text."""
        return laid_out(self.rng, list(self.file(file)))

    def file(self, file: ast.SourceFile) -> Tokens:
        for declaration in file.declarations:
            yield from self.declaration(declaration)

    def _maybe(self, token: str) -> Tokens:
        if chance(self.rng, 0.4):
            yield token

    def _separated(self, items: Sequence[Any], write: Callable[[Any], Tokens]) -> Tokens:
        for position, item in enumerate(items):
            if position:
                yield ","
            yield from write(item)
        if items:
            yield from self._maybe(",")

    # -------------------------------------------------------------------------------- declarations

    def declaration(self, declaration: ast.Declaration) -> Tokens:
        match declaration:
            case ast.EffectDeclaration(name, operations):
                yield from ("effect", name.text, "{")
                for operation in operations:
                    yield from (operation.tier.value, operation.kind.value, operation.name.text)
                    yield from self._parameters(operation.parameters)
                    yield ":"
                    yield from self.type(operation.result)
                    yield from self._maybe(";")
                yield "}"
            case ast.TypeDeclaration(name, body):
                yield from ("type", name.text, "=")
                yield from self.type(body)
                yield from self._maybe(";")
            case ast.HandlerDeclaration(name, parameters, block):
                yield from ("handler", name.text)
                if parameters or chance(self.rng, 0.5):
                    yield from self._parameters(parameters)
                yield from self.clauses(block)
            case ast.TaskDeclaration(name, parameters, result, row, block):
                yield from ("task", name.text)
                yield from self._callable(parameters, result, row, block)
            case ast.DefDeclaration(name, parameters, result, row, block):
                yield from ("def", name.text)
                yield from self._callable(parameters, result, row, block)

    def _callable(
        self,
        parameters: tuple[ast.Parameter, ...],
        result: ast.Type | None,
        row: ast.Row | None,
        block: ast.Block,
    ) -> Tokens:
        yield from self._parameters(parameters)
        yield from self._annotation(result)
        if row is not None:
            yield from ("/", "{")
            yield from self._separated(row.entries, self._row_entry)
            yield "}"
        yield from self.block(block)

    def _parameters(self, parameters: tuple[ast.Parameter, ...]) -> Tokens:
        yield "("
        yield from self._separated(parameters, self._parameter)
        yield ")"

    def _parameter(self, parameter: ast.Parameter) -> Tokens:
        yield parameter.name.text
        yield from self._annotation(parameter.type)

    def _annotation(self, annotation: ast.Type | None) -> Tokens:
        if annotation is not None:
            yield ":"
            yield from self.type(annotation)

    def _row_entry(self, entry: ast.Name | ast.QualifiedName) -> Tokens:
        if isinstance(entry, ast.Name):
            yield entry.text
        else:
            yield from self._qualified(entry)

    def _qualified(self, name: ast.QualifiedName) -> Tokens:
        yield from (name.effect.text, ".", name.operation.text)

    def type(self, written: ast.Type) -> Tokens:
        match written:
            case ast.NamedType(name):
                yield name.text
            case ast.ListType(item):
                yield from ("List", "[")
                yield from self.type(item)
                yield "]"
            case ast.RecordType(fields):
                yield "{"
                yield from self._separated(fields, self._field_type)
                yield "}"
            case ast.LiteralType(ast.LiteralExpression(int() as value)) if value < 0:
                yield from ("-", str(-value))
            case ast.LiteralType(literal):
                yield from self.expression(literal, _ATOM)

    def _field_type(self, field: ast.FieldType) -> Tokens:
        yield self._key(field.key)
        if not field.required:
            yield "?"
        yield ":"
        yield from self.type(field.type)

    def _key(self, key: ast.Name) -> str:
        bare = _NAME.fullmatch(key.text) and is_normalized("NFC", key.text) and chance(self.rng, 0.7)
        return key.text if bare else self._quoted(key.text)

    # -------------------------------------------------------------------------------- statements

    def block(self, block: ast.Block) -> Tokens:
        yield "{"
        last = len(block.statements) - 1
        for position, statement in enumerate(block.statements):
            yield from self._statement(statement)
            if isinstance(statement, ast.RunStatement):
                open_ended = position == last and block.tail
                needed = not open_ended and (position == last or not braced(statement.computation))
            else:
                open_ended, needed = False, position != last
            if needed:
                yield ";"
            elif not open_ended:
                yield from self._maybe(";")
        yield "}"

    def _statement(self, statement: ast.Statement) -> Tokens:
        match statement:
            case ast.LetStatement(name, annotation, computation):
                yield from ("let", name.text)
                yield from self._annotation(annotation)
                yield "="
                yield from self.computation(computation)
            case ast.RunStatement(computation):
                yield from self.computation(computation)
            case ast.ReturnStatement(computation):
                yield "return"
                yield from self.computation(computation)
            case ast.AnswerStatement(value):
                yield "answer"
                yield from self._parenthesised(value)
            case ast.AbortStatement(value):
                yield "abort"
                yield from self._parenthesised(value)

    # -------------------------------------------------------------------------------- computations

    def computation(self, computation: ast.Computation) -> Tokens:
        match computation:
            case ast.PureComputation(expression):
                yield from self.expression(expression)
            case ast.PerformComputation(operation, arguments):
                yield "perform"
                yield from self._qualified(operation)
                yield from self._arguments(arguments)
            case ast.CallComputation(callee, arguments):
                yield callee.text
                yield from self._arguments(arguments)
            case ast.ResumeComputation(value):
                yield "resume"
                yield from self._parenthesised(value)
            case ast.HandleComputation(body, handler, completion):
                yield "handle"
                yield from self.block(body)
                yield "with"
                yield from self._handler(handler)
                yield from self._annotation(completion)
            case ast.IfComputation():
                yield from self._if(computation)
            case ast.RepeatComputation():
                yield from self._repeat(computation)
            case ast.ForComputation(variable, items, body):
                yield from ("for", variable.text, "in")
                yield from self.expression(items, _ATOM)
                yield from self.block(body)
            case ast.BlockComputation(block):
                yield "do"
                yield from self.block(block)

    def _arguments(self, arguments: tuple[ast.Expression, ...]) -> Tokens:
        yield "("
        yield from self._separated(arguments, self.expression)
        yield ")"

    def _parenthesised(self, expression: ast.Expression) -> Tokens:
        yield "("
        yield from self.expression(expression)
        yield ")"

    def _handler(self, handler: ast.HandlerBlock | ast.HandlerReference) -> Tokens:
        if isinstance(handler, ast.HandlerBlock):
            yield from self.clauses(handler)
            return
        yield handler.name.text
        if handler.arguments or chance(self.rng, 0.5):
            yield from self._arguments(handler.arguments)

    def _if(self, node: ast.IfComputation) -> Tokens:
        yield "if"
        yield from self.expression(node.condition)
        yield "then"
        yield from self.block(node.then)
        if node.otherwise is None:
            return
        yield "else"
        nested = only_if(node.otherwise)
        if nested is not None and chance(self.rng, 0.7):
            yield from self._if(nested)
        else:
            yield from self.block(node.otherwise)

    def _repeat(self, node: ast.RepeatComputation) -> Tokens:
        yield from ("repeat", str(node.count), "with", node.variable.text, "=")
        yield from self.expression(node.initial)
        if node.condition is not None:
            yield "while"
            yield from self.expression(node.condition)
        yield from self.block(node.body)

    def clauses(self, block: ast.HandlerBlock) -> Tokens:
        yield "{"
        for clause in block.clauses:
            if isinstance(clause, ast.ReturnClause):
                yield from ("return", "(", clause.parameter.text, ")")
            else:
                yield clause.kind.value
                yield from self._qualified(clause.operation)
                yield "("
                yield from self._separated(clause.parameters, lambda name: iter((name.text,)))
                yield ")"
            yield from self.block(clause.body)
        yield "}"

    # -------------------------------------------------------------------------------- expressions

    def expression(self, expression: ast.Expression, level: int = 1) -> Tokens:
        """Write an expression where the grammar wants one of at least this level."""
        own, tokens = self._expression(expression)
        if own < level or (chance(self.rng, 0.05) and not isinstance(expression, _NEVER_IN_PARENTHESES)):
            yield "("
            yield from tokens
            yield ")"
        else:
            yield from tokens

    def _expression(self, expression: ast.Expression) -> tuple[int, Tokens]:
        match expression:
            case ast.UnaryExpression(ast.UnaryOperator.NOT, operand):
                return _NOT, self._prefixed("not", operand, _NOT)
            case ast.UnaryExpression(_, operand):
                return _UNARY, self._prefixed("-", operand, _UNARY)
            case ast.BinaryExpression(operator, left, right):
                own, first, second = _LEVELS[operator]
                return own, self._binary(left, first, operator.value, right, second)
            case ast.ProjectExpression(subject, key):
                return _POSTFIX, self._project(subject, key)
            case ast.LiteralExpression(value):
                return _ATOM, self._literal(value)
            case ast.VariableExpression(name):
                return _ATOM, iter((name.text,))
            case ast.ListExpression(items):
                return _ATOM, self._bracketed("[", self._separated(items, self.expression), "]")
            case ast.RecordExpression(fields):
                return _ATOM, self._bracketed("{", self._separated(fields, self._field), "}")
        raise TypeError(expression)

    def _prefixed(self, sign: str, operand: ast.Expression, level: int) -> Tokens:
        yield sign
        yield from self.expression(operand, level)

    def _binary(
        self, left: ast.Expression, first: int, sign: str, right: ast.Expression, second: int
    ) -> Tokens:
        yield from self.expression(left, first)
        yield sign
        yield from self.expression(right, second)

    def _project(self, subject: ast.Expression, key: ast.Name) -> Tokens:
        yield from self.expression(subject, _POSTFIX)
        yield from (".", self._key(key))

    def _bracketed(self, opening: str, inside: Tokens, closing: str) -> Tokens:
        yield opening
        yield from inside
        yield closing

    def _field(self, field: ast.FieldExpression) -> Tokens:
        if field.shorthand:
            yield field.key.text
        else:
            yield from (self._key(field.key), ":")
            yield from self.expression(field.value)

    def _literal(self, value: bool | int | str | None) -> Tokens:
        if value is None:
            yield from ("(", ")") if chance(self.rng, 0.5) else ("null",)
        elif isinstance(value, bool):
            yield "true" if value else "false"
        elif isinstance(value, int):
            yield str(value)
        else:
            yield self._quoted(value)

    def _quoted(self, text: str) -> str:
        return f'"{"".join(map(self._escaped, text))}"'

    def _escaped(self, char: str) -> str:
        if _PLAIN.fullmatch(char) and chance(self.rng, 0.95):
            return char
        short = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}.get(char)
        if short is not None and chance(self.rng, 0.7):
            return short
        return f"\\u{{{ord(char):{self.rng.choice(('x', 'X', '06x'))}}}}"


_NEVER_IN_PARENTHESES = ast.LiteralExpression, ast.ListExpression
"""Where these stand, the grammar may want them bare (`for x in [..]`, a literal as a type)."""


def braced(computation: ast.Computation) -> bool:
    """Return whether a computation ends in the brace of a block, so that it needs no semicolon."""
    if isinstance(computation, ast.HandleComputation):
        return isinstance(computation.handler, ast.HandlerBlock) and computation.completion is None
    return isinstance(computation, _BRACED)


def only_if(block: ast.Block) -> ast.IfComputation | None:
    """Return the `if` that is all there is in a block, so that it may be written as `else if`."""
    if len(block.statements) == 1 and block.tail and isinstance(block.statements[0], ast.RunStatement):
        computation = block.statements[0].computation
        if isinstance(computation, ast.IfComputation):
            return computation
    return None


_SPACES = (" ", " ", " ", "\n", "\r\n", "\t", "  ", ' # a comment { "\n', "\n# é\n\n")
_WORD_END = re.compile(r"\w\Z")
_WORD_START = re.compile(r"[\w\"]")


def laid_out(rng: Random, tokens: Sequence[str]) -> str:
    """Return tokens as text, with white space and comments where it may stand, and where it must."""
    pieces: list[str] = []
    previous = ""
    for token in tokens:
        apart = (_WORD_END.search(previous) and _WORD_START.match(token)) or previous + token[:1] in _GLUED
        if apart or chance(rng, 0.6):
            pieces.append(rng.choice(_SPACES))
        pieces.append(token)
        previous = token
    return "".join(pieces)


_GLUED = {"++", "<=", ">=", "==", "<-", "+++", "!="}
"""Signs that would be read as one, or differently, if nothing stood between them."""
