"""Random surface trees: anything that the grammar allows, whether it makes sense or not."""

from __future__ import annotations

from random import Random

from eclogue.core.syntax import BinaryOperator, Tier
from eclogue.lowering import ast
from support.choices import Weighted, chance
from support.surface_nodes import NOWHERE, name

NAMES = ("a", "b", "x", "y", "run", "fs", "model", "call", "write", "_", "x1", "größe", "名前", "Int", "T")
KEYS = (
    *NAMES,
    "with",
    "return",
    "a b",
    "",
    "$int",
    'q"\\',
    "\n",
    "1",
    "\U0001f600",
    "\u2118",
    "q\u0301",
    "e\u0301",
)
TEXTS = ("", "a", "fix: ", 'q"\\', "\n\t\r\x01", "é", "\U0001f600", "# no comment", "\u202e\u2028")

_EXPRESSIONS = Weighted(
    (6, "atom"), (1, "list"), (2, "record"), (2, "project"), (1, "unary"), (5, "binary")
)
_COMPUTATIONS = Weighted(
    (5, "pure"),
    (4, "perform"),
    (1, "call"),
    (4, "handle"),
    (2, "if"),
    (1, "repeat"),
    (1, "for"),
    (2, "resume"),
    (1, "do"),
)
_DECLARATIONS = Weighted((3, "effect"), (1, "type"), (3, "task"), (1, "def"), (1, "handler"))


class AnySurface:
    """Any surface tree; `fuel` is about how many nodes a part may have."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def file(self, fuel: int) -> ast.SourceFile:
        count = self.rng.randint(0, 4)
        declarations = tuple(self.declaration(fuel // max(1, count)) for _ in range(count))
        return ast.SourceFile(declarations, span=NOWHERE)

    def name(self) -> ast.Name:
        return name(self.rng.choice(NAMES))

    def qualified(self) -> ast.QualifiedName:
        return ast.QualifiedName(self.name(), self.name(), span=NOWHERE)

    # -------------------------------------------------------------------------------- declarations

    def declaration(self, fuel: int) -> ast.Declaration:
        rng, form = self.rng, _DECLARATIONS.pick(self.rng)
        if form == "effect":
            operations = tuple(self._operation() for _ in range(rng.randint(0, 3)))
            return ast.EffectDeclaration(self.name(), operations, span=NOWHERE)
        if form == "type":
            return ast.TypeDeclaration(self.name(), self.type(2), span=NOWHERE)
        if form == "handler":
            return ast.HandlerDeclaration(self.name(), self._parameters(), self.handler(fuel), span=NOWHERE)
        row = self._row() if chance(rng, 0.3) else None
        if form == "task":
            return ast.TaskDeclaration(
                self.name(), self._parameters(typed=True), self.type(2), row, self.block(fuel), span=NOWHERE
            )
        result = self.type(2) if chance(rng, 0.3) else None
        return ast.DefDeclaration(
            self.name(), self._parameters(), result, row, self.block(fuel), span=NOWHERE
        )

    def _operation(self) -> ast.OperationDeclaration:
        rng = self.rng
        return ast.OperationDeclaration(
            rng.choice(list(Tier)),
            rng.choice(list(ast.ClauseKind)),
            self.name(),
            self._parameters(typed=True),
            self.type(2),
            span=NOWHERE,
        )

    def _parameters(self, *, typed: bool = False) -> tuple[ast.Parameter, ...]:
        always = 1.0 if typed else 0.5
        return tuple(
            ast.Parameter(self.name(), self.type(1) if chance(self.rng, always) else None, span=NOWHERE)
            for _ in range(self.rng.randint(0, 2))
        )

    def _row(self) -> ast.Row:
        entries = tuple(
            self.name() if chance(self.rng, 0.5) else self.qualified()
            for _ in range(self.rng.randint(0, 2))
        )
        return ast.Row(entries, span=NOWHERE)

    def type(self, depth: int) -> ast.Type:
        rng = self.rng
        form = rng.randrange(6) if depth else rng.randrange(4)
        if form <= 2:
            named = rng.choice(("Unit", "Bool", "Int", "Text", "Any", *NAMES))
            return ast.NamedType(name(named), span=NOWHERE)
        if form == 3:
            negative = chance(rng, 0.2)
            literal = self._literal(-rng.randint(1, 9)) if negative else self.literal()
            return ast.LiteralType(literal, span=NOWHERE)
        if form == 4:
            return ast.ListType(self.type(depth - 1), span=NOWHERE)
        fields = tuple(
            ast.FieldType(self._key(), chance(rng, 0.6), self.type(depth - 1), span=NOWHERE)
            for _ in range(rng.randint(0, 3))
        )
        return ast.RecordType(fields, span=NOWHERE)

    # -------------------------------------------------------------------------------- expressions

    def _key(self) -> ast.Name:
        return name(self.rng.choice(KEYS))

    def _literal(self, value: bool | int | str | None) -> ast.LiteralExpression:
        return ast.LiteralExpression(value, span=NOWHERE)

    def literal(self) -> ast.LiteralExpression:
        rng = self.rng
        choices = (None, True, False, rng.randint(0, 20), 2**53, 10**30)
        return self._literal(rng.choice(TEXTS) if chance(rng, 0.4) else rng.choice(choices))

    def expression(self, fuel: int) -> ast.Expression:
        rng = self.rng
        form = _EXPRESSIONS.pick(rng) if fuel > 0 else "atom"
        if form == "list":
            return self._list(fuel)
        if form == "record":
            fields = tuple(self._field(fuel // 3) for _ in range(rng.randint(0, 3)))
            return ast.RecordExpression(fields, span=NOWHERE)
        if form == "project":
            return ast.ProjectExpression(self.expression(fuel - 1), self._key(), span=NOWHERE)
        if form == "unary":
            operator = rng.choice(list(ast.UnaryOperator))
            return ast.UnaryExpression(operator, self.expression(fuel - 1), span=NOWHERE)
        if form == "binary":
            operators = (*BinaryOperator, *ast.SugaredOperator)
            left, right = self.expression(fuel // 2), self.expression(fuel // 2)
            return ast.BinaryExpression(rng.choice(operators), left, right, span=NOWHERE)
        if chance(rng, 0.5):
            return self.literal()
        return ast.VariableExpression(self.name(), span=NOWHERE)

    def _list(self, fuel: int) -> ast.ListExpression:
        return ast.ListExpression(self._arguments(fuel, 3), span=NOWHERE)

    def _arguments(self, fuel: int, most: int = 2) -> tuple[ast.Expression, ...]:
        return tuple(self.expression(fuel // most) for _ in range(self.rng.randint(0, most)))

    def _field(self, fuel: int) -> ast.FieldExpression:
        if chance(self.rng, 0.3):
            key = self.name()
            return ast.FieldExpression(
                key, ast.VariableExpression(key, span=NOWHERE), shorthand=True, span=NOWHERE
            )
        return ast.FieldExpression(self._key(), self.expression(fuel), span=NOWHERE)

    # -------------------------------------------------------------------------------- computations

    def computation(self, fuel: int) -> ast.Computation:
        rng = self.rng
        form = _COMPUTATIONS.pick(rng) if fuel > 3 else "pure"
        if form == "perform":
            return ast.PerformComputation(self.qualified(), self._arguments(4), span=NOWHERE)
        if form == "call":
            return ast.CallComputation(self.name(), self._arguments(4), span=NOWHERE)
        if form == "handle":
            return self._handle(fuel)
        if form == "if":
            otherwise = self.block(fuel // 3) if chance(rng, 0.6) else None
            return ast.IfComputation(self.expression(3), self.block(fuel // 3), otherwise, span=NOWHERE)
        if form == "repeat":
            condition = self.expression(2) if chance(rng, 0.5) else None
            return ast.RepeatComputation(
                rng.choice((0, 1, 2, 3, 1000)),
                NOWHERE,
                self.name(),
                self.expression(2),
                condition,
                self.block(fuel // 2),
                span=NOWHERE,
            )
        if form == "for":
            return ast.ForComputation(self.name(), self._list(6), self.block(fuel // 2), span=NOWHERE)
        if form == "resume":
            return ast.ResumeComputation(self.expression(3), span=NOWHERE)
        if form == "do":
            return ast.BlockComputation(self.block(fuel - 1), span=NOWHERE)
        return ast.PureComputation(self.expression(min(fuel, 6)), span=NOWHERE)

    def _handle(self, fuel: int) -> ast.HandleComputation:
        rng = self.rng
        completion = self.type(1) if chance(rng, 0.3) else None
        if chance(rng, 0.25):
            handler: ast.HandlerBlock | ast.HandlerReference = ast.HandlerReference(
                self.name(), self._arguments(3), span=NOWHERE
            )
        else:
            handler = self.handler(fuel // 2)
        return ast.HandleComputation(self.block(fuel // 2), handler, completion, span=NOWHERE)

    def handler(self, fuel: int) -> ast.HandlerBlock:
        count = self.rng.randint(0, 3)
        clauses = tuple(self._clause(fuel // max(1, count)) for _ in range(count))
        return ast.HandlerBlock(clauses, span=NOWHERE)

    def _clause(self, fuel: int) -> ast.ClauseDeclaration | ast.ReturnClause:
        rng = self.rng
        if chance(rng, 0.25):
            return ast.ReturnClause(self.name(), self.block(fuel), span=NOWHERE)
        parameters = tuple(self.name() for _ in range(rng.randint(0, 2)))
        return ast.ClauseDeclaration(
            rng.choice(list(ast.ClauseKind)), self.qualified(), parameters, self.block(fuel), span=NOWHERE
        )

    # -------------------------------------------------------------------------------- statements

    def block(self, fuel: int) -> ast.Block:
        rng = self.rng
        count = rng.randint(0, 3)
        share = fuel // max(1, count)
        statements: list[ast.Statement] = [self._statement(share) for _ in range(count)]
        if chance(rng, 0.5):
            statements.append(self._last(share))
        tail = bool(statements) and isinstance(statements[-1], ast.RunStatement) and chance(rng, 0.6)
        return ast.Block(tuple(statements), tail=tail, span=NOWHERE)

    def _statement(self, fuel: int) -> ast.Statement:
        computation = self.computation(fuel)
        if chance(self.rng, 0.5):
            return ast.RunStatement(computation, span=NOWHERE)
        schema = self.type(1) if chance(self.rng, 0.2) else None
        return ast.LetStatement(self.name(), schema, computation, span=NOWHERE)

    def _last(self, fuel: int) -> ast.Statement:
        form = self.rng.randrange(4)
        if form == 0:
            return ast.AnswerStatement(self.expression(4), span=NOWHERE)
        if form == 1:
            return ast.AbortStatement(self.expression(4), span=NOWHERE)
        return ast.ReturnStatement(self.computation(fuel), span=NOWHERE)
