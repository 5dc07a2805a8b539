"""Terms of the core language (SPEC §4): expressions, computations, clause bodies, programs.

Terms are nameless: a variable is a de Bruijn index, 0 for the innermost binder. Names and spans are
annotations for people (`span`, `name`); no rule reads them and no digest covers them. Nodes are immutable
and may be shared; a term may be a million levels deep, so equality is identity and nothing recurses.
"""

from __future__ import annotations

import enum
from typing import TypeAlias, Union

import attrs

from eclogue.core.schema import Schema
from eclogue.core.values import Value


@attrs.frozen(order=True)
class Span:
    """A half-open range of source text; lines and columns count from 1, columns in characters."""

    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class Tier(enum.Enum):
    """What can be done about an effect once it has happened."""

    REVERSIBLE = "reversible"
    COMPENSABLE = "compensable"
    IRREVERSIBLE = "irreversible"


class BinaryOperator(enum.Enum):
    """The binary operators (rules `expr.*`); `and` and `or` are strict in both operands."""

    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    ADD = "+"
    SUB = "-"
    MUL = "*"
    CONCAT = "++"
    AND = "and"
    OR = "or"


def _span() -> Span | None:
    return attrs.field(default=None, kw_only=True, repr=False)  # type: ignore[no-any-return]


def _name() -> str | None:
    return attrs.field(default=None, kw_only=True)  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------------------------
# Expressions


@attrs.frozen(eq=False)
class Literal:
    """`v`."""

    value: Value
    span: Span | None = _span()


@attrs.frozen(eq=False)
class Variable:
    """`x`, by its de Bruijn index."""

    index: int
    span: Span | None = _span()
    name: str | None = _name()


@attrs.frozen(eq=False)
class ListExpression:
    """`[e, …]`."""

    items: tuple[Expression, ...]
    span: Span | None = _span()


@attrs.frozen(eq=False)
class RecordExpression:
    """`{k: e, …}`: evaluated left to right; of a key that occurs twice the later one wins."""

    fields: tuple[tuple[str, Expression], ...]
    span: Span | None = _span()


@attrs.frozen(eq=False)
class Project:
    """`e.k`."""

    subject: Expression
    key: str
    span: Span | None = _span()


@attrs.frozen(eq=False)
class Not:
    """`not e`."""

    subject: Expression
    span: Span | None = _span()


@attrs.frozen(eq=False)
class Binary:
    """`e ⊕ e`."""

    operator: BinaryOperator
    left: Expression
    right: Expression
    span: Span | None = _span()


@attrs.frozen(eq=False)
class Check:
    """`check(s, e)`: the value of `e`, or the failure `schema`."""

    schema: Schema
    subject: Expression
    span: Span | None = _span()


Expression: TypeAlias = Union[
    Literal, Variable, ListExpression, RecordExpression, Project, Not, Binary, Check
]

# ------------------------------------------------------------------------------------------------
# Computations


@attrs.frozen(eq=False)
class Return:
    """`return e`."""

    expression: Expression
    span: Span | None = _span()


@attrs.frozen(eq=False)
class Let:
    """`let x = c; c`: binds one variable in `body`, called `name`."""

    bound: Computation
    body: Computation
    span: Span | None = _span()
    name: str | None = _name()


@attrs.frozen(eq=False)
class Perform:
    """`perform op(e)`."""

    operation: str
    payload: Expression
    span: Span | None = _span()


@attrs.frozen(eq=False)
class Handle:
    """`handle c with { return(x) c; op(x) b … }`.

    `return_clause` binds one variable, called `name`; operations differ between `clauses`.
    """

    body: Computation
    return_clause: Computation
    clauses: tuple[Clause, ...]
    span: Span | None = _span()
    name: str | None = _name()


@attrs.frozen(eq=False)
class If:
    """`if e then c else c`."""

    condition: Expression
    then: Computation
    otherwise: Computation
    span: Span | None = _span()


Computation: TypeAlias = Union[Return, Let, Perform, Handle, If]

# ------------------------------------------------------------------------------------------------
# Clause bodies


@attrs.frozen(eq=False)
class Clause:
    """`op(x) b`: binds one variable, the payload, in `body`; it is called `name`."""

    operation: str
    body: Body
    span: Span | None = _span()
    name: str | None = _name()


@attrs.frozen(eq=False)
class BodyLet:
    """`let x = c; b`: binds one variable in `body`."""

    bound: Computation
    body: Body
    span: Span | None = _span()
    name: str | None = _name()


@attrs.frozen(eq=False)
class BodyIf:
    """`if e then b else b`."""

    condition: Expression
    then: Body
    otherwise: Body
    span: Span | None = _span()


@attrs.frozen(eq=False)
class Answer:
    """`answer e`: complete with this value, not resuming."""

    expression: Expression
    span: Span | None = _span()


@attrs.frozen(eq=False)
class Abort:
    """`abort e`: as `answer`, and say so in the trace."""

    expression: Expression
    span: Span | None = _span()


@attrs.frozen(eq=False)
class Resume:
    """`let x = resume e; c`: binds one variable in `body`."""

    expression: Expression
    body: Computation
    span: Span | None = _span()
    name: str | None = _name()


Body: TypeAlias = Union[BodyLet, BodyIf, Answer, Abort, Resume]

# ------------------------------------------------------------------------------------------------
# Programs


@attrs.frozen(eq=False)
class Operation:
    """The declaration of an operation, named `effect.operation`."""

    name: str
    payload: Schema
    result: Schema
    tier: Tier


@attrs.frozen(eq=False)
class Program:
    """A closed computation and the operations that it may perform.

    `operations` are in ascending order of their names. `task` and `source` (a file name) are
    annotations, as names and spans are.
    """

    operations: tuple[Operation, ...]
    body: Computation
    task: str | None = attrs.field(default=None, kw_only=True)
    source: str | None = attrs.field(default=None, kw_only=True)
