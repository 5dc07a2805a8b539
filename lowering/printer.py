"""The surface tree as text, plainly laid out, with the fewest parentheses: `parse(print_source(x)) == x`.

Statements, clauses and declarations stand on lines of their own; nothing else is broken, which is what
`formatter` is for. Comments are not part of the tree and do not appear. Nothing here recurses.

A negative number is an expression only as `-n`, which is an operator and its operand; a negative literal as
an expression cannot be written, and is printed as what it equals.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from eclogue.core.canonical import decimal
from eclogue.core.syntax import BinaryOperator
from eclogue.lowering import ast


class _Break(enum.Enum):
    """A line end, and what becomes of the indentation behind it."""

    STAY = 0
    DEEPER = 1
    BACK = -1


# Levels of the expression grammar, from loose to tight.
_LOOSEST, _NOT, _NEGATIVE, _POSTFIX, _ATOM = 1, 3, 8, 9, 10
_COMPARISON = (4, 5, 5)
_LEVELS: dict[BinaryOperator | ast.SugaredOperator, tuple[int, int, int]] = {
    BinaryOperator.OR: (1, 1, 2),
    BinaryOperator.AND: (2, 2, 3),
    BinaryOperator.EQ: _COMPARISON,
    BinaryOperator.NE: _COMPARISON,
    BinaryOperator.LT: _COMPARISON,
    BinaryOperator.LE: _COMPARISON,
    ast.SugaredOperator.GT: _COMPARISON,
    ast.SugaredOperator.GE: _COMPARISON,
    BinaryOperator.CONCAT: (5, 5, 6),
    BinaryOperator.ADD: (6, 6, 7),
    BinaryOperator.SUB: (6, 6, 7),
    BinaryOperator.MUL: (7, 7, 8),
}
"""Of each operator its own level, and the lowest levels of its operands without parentheses."""

_Piece: TypeAlias = "str | _Break | tuple[Any, int]"
"""Text, a line end, or a node to be written where an expression of at least a level is wanted."""

_INDENTATION = "  "
_DEEPEST_INDENTATION = 40


def print_source(file: ast.SourceFile) -> str:
    """Return the text of a file, which ends in a line end unless it is empty."""
    pieces: list[_Piece] = []
    for position, declaration in enumerate(file.declarations):
        if position:
            pieces.append("\n")
        pieces += [_node(declaration), "\n"]
    return _written(pieces)


def print_expression(expression: ast.Expression) -> str:
    """Return the text of an expression, on one line."""
    return _written([_node(expression)])


def print_type(written: ast.Type) -> str:
    """Return the text of a type, on one line."""
    return _written([_node(written)])


def quote(text: str) -> str:
    """Return a text literal; what cannot be seen is escaped."""
    return f'"{"".join(_escaped(char) for char in text)}"' if _NEEDS_ESCAPE.search(text) else f'"{text}"'


_NEEDS_ESCAPE = re.compile(r"[^ -!#-\[\]-~]")
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isprintable() else f"\\u{{{ord(char):x}}}"


def print_key(key: str) -> str:
    """Return a record key: bare if it can be a name, else in quotes."""
    bare = key.isidentifier() and (key.isascii() or unicodedata.is_normalized("NFC", key))
    return key if bare else quote(key)


def _node(node: object, level: int = _LOOSEST) -> _Piece:
    return node, level


def _written(pieces: Sequence[_Piece]) -> str:
    out: list[str] = []
    depth = 0
    pending: list[_Piece] = list(reversed(pieces))
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            out.append(piece)
        elif isinstance(piece, _Break):
            depth += piece.value
            out.append("\n" + _INDENTATION * min(depth, _DEEPEST_INDENTATION))
        else:
            node, level = piece
            pending.extend(reversed(_pieces(node, level)))
    return "".join(out)


def _pieces(node: Any, level: int) -> list[_Piece]:
    own = _level(node)
    pieces = _WRITERS[type(node)](node)
    return ["(", *pieces, ")"] if own < level else pieces


def _level(node: Any) -> int:
    if isinstance(node, ast.BinaryExpression):
        return _LEVELS[node.operator][0]
    if isinstance(node, ast.UnaryExpression):
        return _NOT if node.operator is ast.UnaryOperator.NOT else _NEGATIVE
    if isinstance(node, ast.LiteralExpression) and type(node.value) is int and node.value < 0:
        return _NEGATIVE
    return _POSTFIX if isinstance(node, ast.ProjectExpression) else _ATOM


def _separated(nodes: Sequence[Any], opening: str, closing: str) -> list[_Piece]:
    pieces: list[_Piece] = [opening]
    for position, node in enumerate(nodes):
        if position:
            pieces.append(", ")
        pieces.append(_node(node))
    pieces.append(closing)
    return pieces


def _lines(nodes: Sequence[Any]) -> list[_Piece]:
    """Return nodes in braces, on a line each."""
    if not nodes:
        return ["{}"]
    pieces: list[_Piece] = ["{"]
    for position, node in enumerate(nodes):
        pieces += [_Break.STAY if position else _Break.DEEPER, _node(node)]
    return [*pieces, _Break.BACK, "}"]


def _annotation(annotation: ast.Type | None) -> list[_Piece]:
    return [] if annotation is None else [": ", _node(annotation)]


# ------------------------------------------------------------------------------------------------
# Declarations


def _effect(node: ast.EffectDeclaration) -> list[_Piece]:
    return [f"effect {node.name.text} ", *_lines(node.operations)]


def _operation(node: ast.OperationDeclaration) -> list[_Piece]:
    head = f"{node.tier.value} {node.kind.value} {node.name.text}"
    return [head, *_separated(node.parameters, "(", ")"), *_annotation(node.result)]


def _type_declaration(node: ast.TypeDeclaration) -> list[_Piece]:
    return [f"type {node.name.text} = ", _node(node.type)]


def _task(node: ast.TaskDeclaration | ast.DefDeclaration) -> list[_Piece]:
    word = "task" if isinstance(node, ast.TaskDeclaration) else "def"
    pieces: list[_Piece] = [f"{word} {node.name.text}", *_separated(node.parameters, "(", ")")]
    pieces += _annotation(node.result)
    if node.row is not None:
        pieces += [" / ", *_separated(node.row.entries, "{", "}")]
    return [*pieces, " ", _node(node.body)]


def _handler(node: ast.HandlerDeclaration) -> list[_Piece]:
    parameters = _separated(node.parameters, "(", ")") if node.parameters else []
    return [f"handler {node.name.text}", *parameters, " ", _node(node.block)]


def _parameter(node: ast.Parameter) -> list[_Piece]:
    return [node.name.text, *_annotation(node.type)]


# ------------------------------------------------------------------------------------------------
# Types


def _field_type(node: ast.FieldType) -> list[_Piece]:
    return [print_key(node.key.text), "" if node.required else "?", *_annotation(node.type)]


# ------------------------------------------------------------------------------------------------
# Blocks


def _block(node: ast.Block) -> list[_Piece]:
    pieces: list[_Piece] = ["{"]
    for position, statement in enumerate(node.statements):
        pieces.append(_Break.STAY if position else _Break.DEEPER)
        pieces.append(_node(statement))
        if _needs_semicolon(node, position):
            pieces.append(";")
    if not node.statements:
        return ["{}"]
    if len(node.statements) == 1 and not _holds_block(node.statements[0]):
        return ["{ ", *pieces[2:], " }"]
    return [*pieces, _Break.BACK, "}"]


def _needs_semicolon(block: ast.Block, position: int) -> bool:
    statement = block.statements[position]
    last = position == len(block.statements) - 1
    if isinstance(statement, ast.RunStatement):
        return not block.tail if last else not ends_in_brace(statement.computation)
    return not last or isinstance(statement, ast.LetStatement)


def ends_in_brace(computation: ast.Computation) -> bool:
    """Return whether a computation needs no semicolon behind it when it is a statement."""
    if isinstance(computation, ast.HandleComputation):
        return isinstance(computation.handler, ast.HandlerBlock) and computation.completion is None
    return isinstance(computation, _BRACED)


_BRACED = (ast.IfComputation, ast.RepeatComputation, ast.ForComputation, ast.BlockComputation)
_WITH_COMPUTATION = (ast.LetStatement, ast.RunStatement, ast.ReturnStatement)


def _holds_block(statement: ast.Statement) -> bool:
    return isinstance(statement, _WITH_COMPUTATION) and isinstance(
        statement.computation, (*_BRACED, ast.HandleComputation)
    )


def _let(node: ast.LetStatement) -> list[_Piece]:
    return [f"let {node.name.text}", *_annotation(node.type), " = ", _node(node.computation)]


def _valued(word: str) -> Callable[[Any], list[_Piece]]:
    """Return the writer of something of the form `word(e)`."""
    return lambda node: [f"{word}(", _node(node.value), ")"]


# ------------------------------------------------------------------------------------------------
# Computations


def _perform(node: ast.PerformComputation) -> list[_Piece]:
    return ["perform ", _node(node.operation), *_separated(node.arguments, "(", ")")]


def _call(node: ast.CallComputation) -> list[_Piece]:
    return [node.callee.text, *_separated(node.arguments, "(", ")")]


def _handle(node: ast.HandleComputation) -> list[_Piece]:
    pieces: list[_Piece] = ["handle ", _node(node.body), " with ", _node(node.handler)]
    return [*pieces, *_annotation(node.completion)]


def _handler_reference(node: ast.HandlerReference) -> list[_Piece]:
    return [node.name.text, *(_separated(node.arguments, "(", ")") if node.arguments else [])]


def _if(node: ast.IfComputation) -> list[_Piece]:
    pieces: list[_Piece] = ["if ", _node(node.condition), " then ", _node(node.then)]
    if node.otherwise is not None:
        nested = _only_if(node.otherwise)
        pieces += [" else ", _node(node.otherwise if nested is None else nested)]
    return pieces


def _only_if(block: ast.Block) -> ast.IfComputation | None:
    """Return the `if` that a block consists of, where `else if` says the same."""
    if len(block.statements) != 1 or not block.tail:
        return None
    statement = block.statements[0]
    if isinstance(statement, ast.RunStatement) and isinstance(statement.computation, ast.IfComputation):
        return statement.computation
    return None


def _repeat(node: ast.RepeatComputation) -> list[_Piece]:
    head = f"repeat {decimal(node.count)} with {node.variable.text} = "
    pieces: list[_Piece] = [head, _node(node.initial)]
    if node.condition is not None:
        pieces += [" while ", _node(node.condition)]
    return [*pieces, " ", _node(node.body)]


def _for(node: ast.ForComputation) -> list[_Piece]:
    return [f"for {node.variable.text} in ", _node(node.items), " ", _node(node.body)]


def _clause(node: ast.ClauseDeclaration) -> list[_Piece]:
    parameters = _separated(node.parameters, "(", ") ")
    return [f"{node.kind.value} ", _node(node.operation), *parameters, _node(node.body)]


def _return_clause(node: ast.ReturnClause) -> list[_Piece]:
    return [f"return({node.parameter.text}) ", _node(node.body)]


# ------------------------------------------------------------------------------------------------
# Expressions


def _literal(node: ast.LiteralExpression) -> list[_Piece]:
    value = node.value
    if value is None:
        return ["()"]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [decimal(value) if isinstance(value, int) else quote(value)]


def _field(node: ast.FieldExpression) -> list[_Piece]:
    if node.shorthand:
        return [node.key.text]
    return [print_key(node.key.text), ": ", _node(node.value)]


def _project(node: ast.ProjectExpression) -> list[_Piece]:
    return [_node(node.subject, _POSTFIX), ".", print_key(node.key.text)]


def _unary(node: ast.UnaryExpression) -> list[_Piece]:
    if node.operator is ast.UnaryOperator.NOT:
        return ["not ", _node(node.operand, _NOT)]
    return ["-", _node(node.operand, _NEGATIVE)]


def _binary(node: ast.BinaryExpression) -> list[_Piece]:
    _, left, right = _LEVELS[node.operator]
    return [_node(node.left, left), f" {node.operator.value} ", _node(node.right, right)]


_WRITERS: dict[type, Callable[[Any], list[_Piece]]] = {
    ast.Name: lambda node: [node.text],
    ast.QualifiedName: lambda node: [str(node)],
    ast.EffectDeclaration: _effect,
    ast.OperationDeclaration: _operation,
    ast.TypeDeclaration: _type_declaration,
    ast.TaskDeclaration: _task,
    ast.DefDeclaration: _task,
    ast.HandlerDeclaration: _handler,
    ast.Parameter: _parameter,
    ast.NamedType: lambda node: [node.name.text],
    ast.ListType: lambda node: ["List[", _node(node.item), "]"],
    ast.RecordType: lambda node: _separated(node.fields, "{", "}"),
    ast.FieldType: _field_type,
    ast.LiteralType: lambda node: [_node(node.literal)],
    ast.Block: _block,
    ast.LetStatement: _let,
    ast.RunStatement: lambda node: [_node(node.computation)],
    ast.ReturnStatement: lambda node: ["return ", _node(node.computation)],
    ast.AnswerStatement: _valued("answer"),
    ast.AbortStatement: _valued("abort"),
    ast.PureComputation: lambda node: [_node(node.expression)],
    ast.PerformComputation: _perform,
    ast.CallComputation: _call,
    ast.ResumeComputation: _valued("resume"),
    ast.HandleComputation: _handle,
    ast.HandlerReference: _handler_reference,
    ast.IfComputation: _if,
    ast.RepeatComputation: _repeat,
    ast.ForComputation: _for,
    ast.BlockComputation: lambda node: ["do ", _node(node.block)],
    ast.HandlerBlock: lambda node: _lines(node.clauses),
    ast.ClauseDeclaration: _clause,
    ast.ReturnClause: _return_clause,
    ast.LiteralExpression: _literal,
    ast.VariableExpression: lambda node: [node.name.text],
    ast.ListExpression: lambda node: _separated(node.items, "[", "]"),
    ast.FieldExpression: _field,
    ast.RecordExpression: lambda node: _separated(node.fields, "{", "}"),
    ast.ProjectExpression: _project,
    ast.UnaryExpression: _unary,
    ast.BinaryExpression: _binary,
}
