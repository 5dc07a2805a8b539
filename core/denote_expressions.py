"""Expressions as the denotational reading evaluates them: environments, limits, `⟦e⟧ρ` (SPEC §5).

An expression denotes a value or a failure; nothing is raised for what the program does wrong. The
evaluator is direct and iterative: it walks the term in postorder with a stack of its own. It shares no
code with the machine.
"""

from __future__ import annotations

from time import monotonic

from eclogue.core.canonical import quote
from eclogue.core.errors import (
    SCHEMA,
    TYPE,
    UNBOUND,
    CannotHappen,
    LimitExceeded,
    missing_key,
)
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import Failed
from eclogue.core.schema import Atom, ListSchema, LiteralSchema, RecordSchema, Schema, conforms
from eclogue.core.syntax import (
    Binary,
    BinaryOperator,
    Check,
    Expression,
    ListExpression,
    Literal,
    Not,
    Project,
    RecordExpression,
    Span,
    Variable,
)
from eclogue.core.values import RecordValue, Value, equal, kind_name, record


class Environment:
    """A persistent stack of values: what the de Bruijn indices of a term stand for.

    `extended` takes constant time and shares its predecessor, `look_up` takes time logarithmic in the
    index (Myers' random-access stack, 1983): beside the next outer cell, each cell knows one that is
    further out, and the distances of these jumps are those of a skew binary number system.
    """

    __slots__ = ("jump", "length", "outer", "value")

    def __init__(self, value: Value, outer: Environment | None) -> None:
        """Make the cell of a value around `outer`; without one, the empty environment."""
        self.value = value
        self.outer = self if outer is None else outer
        self.length: int = 0
        self.jump: Environment = self
        if outer is not None:
            near, far = outer.jump, outer.jump.jump
            self.length = outer.length + 1
            self.jump = far if outer.length - near.length == near.length - far.length else outer

    def extended(self, value: Value) -> Environment:
        """Return this environment with one more innermost variable."""
        return Environment(value, self)

    def look_up(self, index: int) -> Value:
        """Return the value of a variable; `index` counts from the innermost and is below `length`."""
        place = self.length - index
        cell = self
        while cell.length > place:
            cell = cell.outer if cell.jump.length < place else cell.jump
        return cell.value


EMPTY = Environment(None, None)


class Meter:
    """What one run has used of its limits; each method raises `LimitExceeded` (`limit.exhausted`).

    It watches `steps` (here: nodes of the tree that were forced), `seconds`, and, of what expressions
    build, `text_length`, `list_length` and `integer_bits`. This reading writes no canonical bytes and
    so never meets `value_size`; it does not watch `memory`.
    """

    def __init__(self, limits: Limits = DEFAULT) -> None:
        self.limits = limits
        self.steps = 0
        self._most_steps = float("inf") if limits.steps is None else limits.steps
        self._deadline = None if limits.seconds is None else monotonic() + limits.seconds

    def count_step(self) -> None:
        """Count one forced node."""
        self.steps += 1
        if self.steps > self._most_steps:
            raise LimitExceeded("steps", self._most_steps)
        if self._deadline is not None:
            self.look_at_clock()

    def look_at_clock(self) -> None:
        """Notice that the time is over."""
        if self._deadline is not None and monotonic() >= self._deadline:
            raise LimitExceeded("seconds", self.limits.seconds or 0)

    def allow(self, limit: str, size: int) -> None:
        """Allow a text, list or integer of this size to be built; `limit` names the bound to hold."""
        bound: int = getattr(self.limits, limit)
        if size > bound:
            raise LimitExceeded(limit, bound)


def evaluate(expression: Expression, environment: Environment, meter: Meter) -> Value | Failed:
    """Return what an expression denotes: a value, or the first failure from left to right.

    Rules `expr.literal`, `expr.variable`, `expr.list`, `expr.record`, `expr.project`, `expr.not`,
    `expr.binary`, `expr.check`; a failure has the span of the innermost node that failed.
    The operands of a node are all evaluated before their kinds are looked at. A node that occurs several
    times in the term (terms are DAGs in memory) is evaluated once: within one expression the environment
    is the same everywhere. Raises `LimitExceeded`.
    """
    values: list[Value] = []
    known: dict[int, Value] = {}
    pending: list[tuple[Expression, bool]] = [(expression, False)]
    while pending:
        node, operands_stand = pending.pop()
        if operands_stand:
            start = len(values) - len(_operands(node))
            result = _apply(node, values[start:], meter)
            if isinstance(result, Failed):
                return result
            del values[start:]
            values.append(result)
            known[id(node)] = result
        elif isinstance(node, Literal):
            values.append(node.value)
        elif isinstance(node, Variable):
            if node.index >= environment.length:
                return Failed(UNBOUND, node.span, f"nothing is bound to {node.name or 'this variable'}")
            values.append(environment.look_up(node.index))
        elif id(node) in known:
            values.append(known[id(node)])
        else:
            pending.append((node, True))
            pending.extend((operand, False) for operand in reversed(_operands(node)))
    return values[0]


def _operands(node: Expression) -> tuple[Expression, ...]:
    """Return a node's immediate parts in the order of their evaluation."""
    if isinstance(node, Binary):
        return (node.left, node.right)
    if isinstance(node, (Project, Not, Check)):
        return (node.subject,)
    if isinstance(node, ListExpression):
        return node.items
    if isinstance(node, RecordExpression):
        return tuple(item for _, item in node.fields)
    raise CannotHappen("a literal or a variable has no operands")


def _apply(node: Expression, operands: list[Value], meter: Meter) -> Value | Failed:
    """Return what a node gives for its operands' values."""
    meter.look_at_clock()
    if isinstance(node, Binary):
        return _binary(node, operands[0], operands[1], meter)
    if isinstance(node, Project):
        return _project(node, operands[0])
    if isinstance(node, Check):
        return _check(node, operands[0])
    if isinstance(node, Not):
        subject = operands[0]
        if isinstance(subject, bool):
            return not subject
        return _wrong_kind(node.span, "Bool", subject)
    if isinstance(node, ListExpression):
        meter.allow("list_length", len(operands))
        return tuple(operands)
    if isinstance(node, RecordExpression):
        return record(zip((key for key, _ in node.fields), operands, strict=True))
    raise CannotHappen("a literal or a variable is not applied to anything")


def _project(node: Project, subject: Value) -> Value | Failed:
    """`expr.project`."""
    if not isinstance(subject, RecordValue):
        return _wrong_kind(node.span, "Record", subject)
    if node.key not in subject.fields:
        return Failed(missing_key(node.key), node.span, f"the record has no key {quote(node.key)}")
    return subject.fields[node.key]


def _check(node: Check, subject: Value) -> Value | Failed:
    """`expr.check`."""
    if conforms(node.schema, subject):
        return subject
    wanted, found = _schema_name(node.schema), kind_name(subject)
    if wanted == found:
        return Failed(SCHEMA, node.span, f"this {wanted} does not fit its schema")
    return Failed(SCHEMA, node.span, f"expected {wanted}, found {found}")


def _binary(node: Binary, left: Value, right: Value, meter: Meter) -> Value | Failed:
    """`expr.binary`: only here, when both operands have values, does the left one's kind matter."""
    operator = node.operator
    if operator is BinaryOperator.EQ:
        return equal(left, right)
    if operator is BinaryOperator.NE:
        return not equal(left, right)
    if operator is BinaryOperator.CONCAT:
        return _concatenate(node, left, right, meter)
    if operator is BinaryOperator.AND or operator is BinaryOperator.OR:
        if not isinstance(left, bool):
            return _wrong_kind(node.span, "Bool", left)
        if not isinstance(right, bool):
            return _wrong_kind(node.span, "Bool", right)
        return left and right if operator is BinaryOperator.AND else left or right
    if type(left) is not int:
        return _wrong_kind(node.span, "Int", left)
    if type(right) is not int:
        return _wrong_kind(node.span, "Int", right)
    return _of_integers(operator, left, right, meter)


def _of_integers(operator: BinaryOperator, left: int, right: int, meter: Meter) -> int:
    """Compare or calculate; a result is at most one bit over the bound before it is refused."""
    if operator is BinaryOperator.LT:
        return left < right
    if operator is BinaryOperator.LE:
        return left <= right
    if operator is BinaryOperator.ADD:
        result = left + right
    elif operator is BinaryOperator.SUB:
        result = left - right
    else:
        if left and right:
            meter.allow("integer_bits", left.bit_length() + right.bit_length() - 1)
        result = left * right
    meter.allow("integer_bits", result.bit_length())
    return result


def _concatenate(node: Binary, left: Value, right: Value, meter: Meter) -> Value | Failed:
    """`++`: two texts or two lists."""
    if isinstance(left, str):
        if not isinstance(right, str):
            return _wrong_kind(node.span, "Text", right)
        meter.allow("text_length", len(left) + len(right))
        return left + right
    if isinstance(left, tuple):
        if not isinstance(right, tuple):
            return _wrong_kind(node.span, "List", right)
        meter.allow("list_length", len(left) + len(right))
        return left + right
    return _wrong_kind(node.span, "Text or List", left)


def _wrong_kind(span: Span | None, wanted: str, found: Value) -> Failed:
    return Failed(TYPE, span, f"expected {wanted}, found {kind_name(found)}")


def condition_failed(condition: Expression, found: Value) -> Failed:
    """Return the failure of an `if` whose condition is not a boolean."""
    return _wrong_kind(condition.span, "Bool", found)


_ATOM_NAMES: dict[Atom, str] = {
    Atom.ANY: "Any",
    Atom.NULL: "Unit",
    Atom.BOOL: "Bool",
    Atom.INT: "Int",
    Atom.TEXT: "Text",
}


def _schema_name(schema: Schema) -> str:
    """Return the kind of value that a schema asks for, in the words of `kind_name`."""
    if isinstance(schema, Atom):
        return _ATOM_NAMES[schema]
    if isinstance(schema, LiteralSchema):
        return kind_name(schema.value)
    if isinstance(schema, ListSchema):
        return "List"
    assert isinstance(schema, RecordSchema)
    return "Record"
