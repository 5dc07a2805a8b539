"""Static checks of expressions: names, keys, kinds of operands. Finds certain errors only.

An expression of which nothing is known is never wrong, and a wrong one counts as one of which nothing is
known, so that one mistake is reported once. Nothing recurses: `a ++ b ++ …` is as deep as it is long.
"""

from __future__ import annotations

import attrs

from eclogue.core.schema import Atom, FieldSchema, ListSchema, RecordSchema, Schema, record_schema
from eclogue.core.syntax import BinaryOperator, Span
from eclogue.lowering import ast
from eclogue.lowering.reporter import Reporter
from eclogue.lowering.scopes import Scope
from eclogue.lowering.static_types import (
    EMPTY_LIST,
    Mismatch,
    atom_of,
    join,
    key_text,
    literal_type,
    mismatch,
    type_text,
)


@attrs.frozen
class Expected:
    """A schema that a value is checked against, and where that is said."""

    schema: Schema
    declared: Span | None
    what: str
    """What has the schema, such as: the parameter `path` of `fs.read`."""
    whole: str | None = None
    """What that is a part of, if it is a part."""

    def part(self, schema: Schema, name: str) -> Expected:
        """Return what is expected of a part, which is named by itself and its whole, and not deeper."""
        if self.whole is None:
            return Expected(schema, self.declared, f"{name} of {self.what}", self.what)
        return Expected(schema, self.declared, f"a part of {self.whole}", self.whole)


@attrs.define(eq=False)
class Binding:
    """A variable in scope."""

    type: Schema
    span: Span
    wanted: bool = False
    """Whether to warn if it is not used."""
    used: bool = False


_INT = Expected(Atom.INT, None, "")
_BOOL = Expected(Atom.BOOL, None, "")

_ORDER = (BinaryOperator.LT, BinaryOperator.LE, ast.SugaredOperator.GT, ast.SugaredOperator.GE)
_ARITHMETIC = (BinaryOperator.ADD, BinaryOperator.SUB, BinaryOperator.MUL)
_LOGIC = (BinaryOperator.AND, BinaryOperator.OR)
_EQUALITY = (BinaryOperator.EQ, BinaryOperator.NE)

_Task = tuple[ast.Expression, "Expected | None", bool]


class ExpressionChecker:
    """Checks expressions in a scope, which its owner moves."""

    def __init__(self, reporter: Reporter) -> None:
        self.scope: Scope[Binding] = Scope()
        self._reporter = reporter

    def check(self, expression: ast.Expression, expected: Expected | None = None) -> Schema:
        """Return the type of an expression; report what is wrong in it or not as `expected`."""
        pending: list[_Task] = [(expression, expected, False)]
        types: list[Schema] = []
        while pending:
            node, wanted, ready = pending.pop()
            if not ready:
                parts = self._parts(node, wanted)
                if parts:
                    pending.append((node, wanted, True))
                    pending.extend((part, its, False) for part, its in reversed(parts))
                    continue
            types.append(self._type(node, types))
            if wanted is not None and not _is_checked_by_parts(node, wanted.schema):
                self.compare(types[-1], wanted, node.span)
        return types[0]

    def condition(self, expression: ast.Expression) -> None:
        """Check the condition of an `if` or a `while`."""
        found = self.check(expression)
        if mismatch(found, Atom.BOOL) is not None:
            self._reporter.error(
                "EC1205",
                f"a condition is a `Bool`, this is `{type_text(found)}`",
                expression.span,
                hint='compare it with something, as in `x == ""`',
            )

    def compare(self, found: Schema, expected: Expected, span: Span, hint: str | None = None) -> None:
        """Report a value that can never have the schema that it is checked against (EC1201)."""
        difference = mismatch(found, expected.schema)
        if difference is not None:
            self._report_mismatch(difference, expected, span, hint)

    def _report_mismatch(
        self, difference: Mismatch, expected: Expected, span: Span, hint: str | None
    ) -> None:
        place = "".join(f".{key_text(key)}" for key in difference.path)
        at = f" at `{place}`" if place else ""
        self._reporter.error(
            "EC1201",
            f"{expected.what} is {difference.expected}{at}, this is {difference.got}",
            span,
            notes=((expected.declared, "declared here"),) if expected.declared else (),
            hint=hint,
        )

    # Parts, with what is expected of them

    def _parts(
        self, node: ast.Expression, expected: Expected | None
    ) -> list[tuple[ast.Expression, Expected | None]]:
        if isinstance(node, ast.ListExpression):
            item = None
            if expected is not None and isinstance(expected.schema, ListSchema):
                item = expected.part(expected.schema.item, "an item")
            return [(part, item) for part in node.items]
        if isinstance(node, ast.RecordExpression):
            return self._fields(node, expected)
        if isinstance(node, ast.ProjectExpression):
            return [(node.subject, None)]
        if isinstance(node, ast.UnaryExpression):
            return [(node.operand, None)]
        if isinstance(node, ast.BinaryExpression):
            return [(node.left, None), (node.right, None)]
        return []

    def _fields(
        self, node: ast.RecordExpression, expected: Expected | None
    ) -> list[tuple[ast.Expression, Expected | None]]:
        seen: dict[str, ast.Name] = {}
        for field in node.fields:
            if field.key.text in seen:
                first = seen[field.key.text].span
                self._reporter.twice("EC1104", "key", field.key, first, "leave one of them out")
            else:
                seen[field.key.text] = field.key
        if expected is None or not isinstance(expected.schema, RecordSchema):
            return [(field.value, None) for field in node.fields]
        self._compare_keys(node, seen, expected, expected.schema)
        parts: list[tuple[ast.Expression, Expected | None]] = []
        for field in node.fields:
            declared = expected.schema.by_key.get(field.key.text)
            its = None
            if declared is not None:
                its = expected.part(declared.schema, f"the key `{key_text(declared.key)}`")
            parts.append((field.value, its))
        return parts

    def _compare_keys(
        self,
        node: ast.RecordExpression,
        given: dict[str, ast.Name],
        expected: Expected,
        schema: RecordSchema,
    ) -> None:
        notes = ((expected.declared, "declared here"),) if expected.declared else ()
        missing = [field.key for field in schema.fields if field.required and field.key not in given]
        for key, name in given.items():
            if key not in schema.by_key:
                near = self._reporter.suggestion(key, [*missing, *schema.by_key])
                self._reporter.error(
                    "EC1206",
                    f"{expected.what} has no key `{key_text(key)}`",
                    name.span,
                    notes=notes,
                    hint=f"did you mean `{near}`?" if near else f"its type is `{type_text(schema)}`",
                )
                if near in missing:
                    missing.remove(near)
        if missing:
            listed = ", ".join(f"`{key_text(key)}`" for key in missing)
            self._reporter.error(
                "EC1207",
                f"{expected.what} needs the key{'s' if len(missing) > 1 else ''} {listed}",
                node.span,
                notes=notes,
                hint=f"its type is `{type_text(schema)}`",
            )

    # Types, from those of the parts, which are taken from the end of `types`

    def _type(self, node: ast.Expression, types: list[Schema]) -> Schema:
        if isinstance(node, ast.VariableExpression):
            return self._variable(node.name)
        if isinstance(node, ast.LiteralExpression):
            return literal_type(node.value)
        if isinstance(node, ast.BinaryExpression):
            right = types.pop()
            return self._binary(node, types.pop(), right)
        if isinstance(node, ast.ProjectExpression):
            return self._projection(node, types.pop())
        if isinstance(node, ast.UnaryExpression):
            return self._unary(node, types.pop())
        if isinstance(node, ast.RecordExpression):
            found = _taken(types, len(node.fields))
            by_key = {
                field.key.text: FieldSchema(field.key.text, True, schema)
                for field, schema in zip(node.fields, found, strict=True)
            }
            return record_schema(by_key.values())
        items = _taken(types, len(node.items))
        if not items:
            return EMPTY_LIST
        joined = items[0]
        for item in items[1:]:
            joined = join(joined, item)
        return ListSchema(joined)

    def _variable(self, name: ast.Name) -> Schema:
        binding = self.scope.find(name.text)
        if binding is not None:
            binding.used = True
            return binding.type
        hint = None
        if name.text == "_":
            hint = "`_` binds nothing: give the value a name"
        self._reporter.unknown("EC1001", "variable", name, self.scope.names(), hint=hint)
        return Atom.ANY

    def _projection(self, node: ast.ProjectExpression, subject: Schema) -> Schema:
        if subject is Atom.ANY:
            return Atom.ANY
        if not isinstance(subject, RecordSchema):
            self._reporter.error(
                "EC1203",
                f"`{type_text(subject)}` has no keys",
                node.key.span,
                hint="only records have keys",
            )
            return Atom.ANY
        field = subject.by_key.get(node.key.text)
        if field is not None:
            return field.schema
        near = self._reporter.suggestion(node.key.text, subject.by_key)
        self._reporter.error(
            "EC1202",
            f"there is no key `{key_text(node.key.text)}` in `{type_text(subject)}`",
            node.key.span,
            hint=f"did you mean `{near}`?" if near else None,
        )
        return Atom.ANY

    def _unary(self, node: ast.UnaryExpression, operand: Schema) -> Schema:
        wanted = Atom.BOOL if node.operator is ast.UnaryOperator.NOT else Atom.INT
        if not self._is_operand(node.operator.value, node.operand, operand, wanted):
            return Atom.ANY
        if isinstance(node.operand, ast.LiteralExpression) and type(node.operand.value) is int:
            return literal_type(-node.operand.value)
        return wanted

    def _binary(self, node: ast.BinaryExpression, left: Schema, right: Schema) -> Schema:
        operator = node.operator
        if operator in _EQUALITY:
            return Atom.BOOL
        if operator is BinaryOperator.CONCAT:
            return self._concatenation(node, left, right)
        wanted = Atom.BOOL if operator in _LOGIC else Atom.INT
        for operand, found in ((node.left, left), (node.right, right)):
            if not self._is_operand(operator.value, operand, found, wanted):
                return Atom.ANY
        return Atom.INT if operator in _ARITHMETIC else Atom.BOOL

    def _is_operand(self, operator: str, node: ast.Expression, found: Schema, wanted: Atom) -> bool:
        """Return whether a value may be an operand, or report that it can not (EC1204)."""
        if mismatch(found, wanted) is None:
            return True
        hint = None
        if operator == "+" and atom_of(found) is Atom.TEXT:
            hint = "texts are joined with `++`"
        elif operator == "+" and isinstance(found, ListSchema):
            hint = "lists are joined with `++`"
        self._reporter.error(
            "EC1204",
            f"`{operator}` takes `{type_text(wanted)}`, this is `{type_text(found)}`",
            node.span,
            hint=hint,
        )
        return False

    def _concatenation(self, node: ast.BinaryExpression, left: Schema, right: Schema) -> Schema:
        kinds: list[Atom | None] = []
        for operand, found in ((node.left, left), (node.right, right)):
            if atom_of(found) is Atom.TEXT:
                kinds.append(Atom.TEXT)
            elif isinstance(found, ListSchema):
                kinds.append(None)
            elif found is not Atom.ANY:
                hint = "numbers are added with `+`" if atom_of(found) is Atom.INT else None
                self._reporter.error(
                    "EC1204",
                    f"`++` takes two texts or two lists, this is `{type_text(found)}`",
                    operand.span,
                    hint=hint,
                )
                return Atom.ANY
        if len(set(kinds)) > 1:
            self._reporter.error(
                "EC1204",
                f"`++` takes two texts or two lists, not `{type_text(left)}` and `{type_text(right)}`",
                node.span,
                hint="put the single item in brackets, as in `xs ++ [x]`",
            )
            return Atom.ANY
        if kinds and kinds[0] is Atom.TEXT:
            return Atom.TEXT
        if isinstance(left, ListSchema) and isinstance(right, ListSchema):
            if left is EMPTY_LIST:
                return right
            return left if right is EMPTY_LIST else ListSchema(join(left.item, right.item))
        return ListSchema(Atom.ANY) if kinds else Atom.ANY


def _taken(types: list[Schema], number: int) -> list[Schema]:
    start = len(types) - number
    taken = types[start:]
    del types[start:]
    return taken


def _is_checked_by_parts(node: ast.Expression, schema: Schema) -> bool:
    """Return whether `_parts` passed on what is expected, so that the whole need not be compared again."""
    if isinstance(node, ast.ListExpression):
        return isinstance(schema, ListSchema)
    return isinstance(node, ast.RecordExpression) and isinstance(schema, RecordSchema)
