"""The surface tree: what was written, with spans. `grammar.lark` says how; `lower.py` what it means.

Nodes are immutable; equality compares structure and ignores spans, so that `parse(print(x)) == x` can be
tested. Spans cover the node's own text, without surrounding comments and parentheses.

The parser bounds how deep brackets and prefix operators nest (`parser.MAX_NESTING`). Chains of binary
operators, of projections and of `else if` are not bounded, and their trees are as deep as they are long:
what walks a tree must not recurse along them. Equality of nodes does; `same` does not.
"""

from __future__ import annotations

import enum
from typing import Any, TypeAlias, Union

import attrs

from eclogue.core.syntax import BinaryOperator, Span, Tier


def _span() -> Span:
    return attrs.field(eq=False, kw_only=True, repr=False)  # type: ignore[no-any-return]


@attrs.frozen
class Name:
    """An identifier where it stands."""

    text: str
    span: Span = _span()


@attrs.frozen
class QualifiedName:
    """`effect.operation`."""

    effect: Name
    operation: Name
    span: Span = _span()

    def __str__(self) -> str:
        return f"{self.effect.text}.{self.operation.text}"


# ------------------------------------------------------------------------------------------------
# Types: surface forms of schemas


@attrs.frozen
class NamedType:
    """`Unit`, `Bool`, `Int`, `Text`, `Any`, or the name of a `type` declaration."""

    name: Name
    span: Span = _span()


@attrs.frozen
class ListType:
    """`List[T]`."""

    item: Type
    span: Span = _span()


@attrs.frozen
class FieldType:
    """`k: T` or `k?: T`."""

    key: Name
    required: bool
    type: Type
    span: Span = _span()


@attrs.frozen
class RecordType:
    """`{k: T, k?: T}`."""

    fields: tuple[FieldType, ...]
    span: Span = _span()


@attrs.frozen
class LiteralType:
    """A literal as a type: `"ok"`, `0`, `true`."""

    literal: LiteralExpression
    span: Span = _span()


Type: TypeAlias = Union[NamedType, ListType, RecordType, LiteralType]

# ------------------------------------------------------------------------------------------------
# Expressions: pure


@attrs.frozen
class LiteralExpression:
    """`()`, `null`, `true`, `false`, an int, or a text. `()` and `null` are the same."""

    value: bool | int | str | None = attrs.field(eq=lambda value: (type(value), value))
    span: Span = _span()


@attrs.frozen
class VariableExpression:
    """`x`."""

    name: Name
    span: Span = _span()


@attrs.frozen
class ListExpression:
    """`[e, …]`."""

    items: tuple[Expression, ...]
    span: Span = _span()


@attrs.frozen
class FieldExpression:
    """`k: e` in a record; the parser writes the shorthand `{k}` out as `k: k` with `shorthand` set."""

    key: Name
    value: Expression
    shorthand: bool = False
    span: Span = _span()


@attrs.frozen
class RecordExpression:
    """`{k: e, …}`; keys may be written as names or as text in quotes."""

    fields: tuple[FieldExpression, ...]
    span: Span = _span()


@attrs.frozen
class ProjectExpression:
    """`e.k`."""

    subject: Expression
    key: Name
    span: Span = _span()


class UnaryOperator(enum.Enum):
    """The unary operators; `-e` is `0 - e`."""

    NOT = "not"
    NEGATE = "-"


@attrs.frozen
class UnaryExpression:
    """`not e` or `-e`."""

    operator: UnaryOperator
    operand: Expression
    span: Span = _span()


class SugaredOperator(enum.Enum):
    """Comparisons that the core does not have: `a > b` is `not (a <= b)`."""

    GT = ">"
    GE = ">="


@attrs.frozen
class BinaryExpression:
    """`e ⊕ e`."""

    operator: BinaryOperator | SugaredOperator
    left: Expression
    right: Expression
    span: Span = _span()


Expression: TypeAlias = Union[
    LiteralExpression,
    VariableExpression,
    ListExpression,
    RecordExpression,
    ProjectExpression,
    UnaryExpression,
    BinaryExpression,
]

# ------------------------------------------------------------------------------------------------
# Computations


@attrs.frozen
class PureComputation:
    """An expression where a computation may stand."""

    expression: Expression
    span: Span = _span()


@attrs.frozen
class PerformComputation:
    """`perform effect.operation(e, …)`."""

    operation: QualifiedName
    arguments: tuple[Expression, ...]
    span: Span = _span()


@attrs.frozen
class CallComputation:
    """`f(e, …)`: a task or a `def`, inlined."""

    callee: Name
    arguments: tuple[Expression, ...]
    span: Span = _span()


@attrs.frozen
class HandleComputation:
    """`handle { … } with { clauses }: T` or `handle { … } with h(e, …): T`.

    `completion` is the type of what the clauses complete with; left out, it is `Any`.
    """

    body: Block
    handler: HandlerBlock | HandlerReference
    completion: Type | None
    span: Span = _span()


@attrs.frozen
class HandlerReference:
    """A named handler in use; `arguments` is empty where the parentheses are left out."""

    name: Name
    arguments: tuple[Expression, ...]
    span: Span = _span()


@attrs.frozen
class IfComputation:
    """`if e then { … } else { … }`; `else if` nests in a block of one statement.

    `otherwise` is None where there is no `else`.
    """

    condition: Expression
    then: Block
    otherwise: Block | None
    span: Span = _span()


@attrs.frozen
class RepeatComputation:
    """`repeat n with x = e while e { … }`: at most n rounds; its value is the last state."""

    count: int
    count_span: Span = attrs.field(eq=False)
    variable: Name
    initial: Expression
    condition: Expression | None
    body: Block
    span: Span = _span()


@attrs.frozen
class ForComputation:
    """`for x in [e, …] { … }`: its value is the list of the rounds' values."""

    variable: Name
    items: ListExpression
    body: Block
    span: Span = _span()


@attrs.frozen
class ResumeComputation:
    """`resume(e)`."""

    value: Expression
    span: Span = _span()


@attrs.frozen
class BlockComputation:
    """`do { … }`: a block of its own, for its scope."""

    block: Block
    span: Span = _span()


Computation: TypeAlias = Union[
    PureComputation,
    PerformComputation,
    CallComputation,
    HandleComputation,
    IfComputation,
    RepeatComputation,
    ForComputation,
    ResumeComputation,
    BlockComputation,
]

# ------------------------------------------------------------------------------------------------
# Statements and blocks


@attrs.frozen
class LetStatement:
    """`let x: T = c;`; the name `_` binds nothing that can be used."""

    name: Name
    type: Type | None
    computation: Computation
    span: Span = _span()


@attrs.frozen
class RunStatement:
    """`c;`: run a computation and discard its value (or return it, see `Block`)."""

    computation: Computation
    span: Span = _span()


@attrs.frozen
class ReturnStatement:
    """`return c`: stands last in a block."""

    computation: Computation
    span: Span = _span()


@attrs.frozen
class AnswerStatement:
    """`answer(e)`: completes a clause without resuming; stands last."""

    value: Expression
    span: Span = _span()


@attrs.frozen
class AbortStatement:
    """`abort(e)`: completes a clause without resuming, and says so; stands last."""

    value: Expression
    span: Span = _span()


Statement: TypeAlias = Union[LetStatement, RunStatement, ReturnStatement, AnswerStatement, AbortStatement]


@attrs.frozen
class Block:
    """`{ s; … }`. The span includes the braces.

    A block that does not end in `return`, `answer` or `abort` has the value of its last statement if that
    is a computation without a semicolon behind it (`tail` is set), else `()`.
    """

    statements: tuple[Statement, ...]
    tail: bool = False
    span: Span = _span()


# ------------------------------------------------------------------------------------------------
# Handlers


class ClauseKind(enum.Enum):
    """`ctl` clauses say on each path how they complete; `fun` clauses resume once, implicitly."""

    CTL = "ctl"
    FUN = "fun"


@attrs.frozen
class ClauseDeclaration:
    """`ctl effect.operation(x, …) { … }` or the same with `fun`."""

    kind: ClauseKind
    operation: QualifiedName
    parameters: tuple[Name, ...]
    body: Block
    span: Span = _span()


@attrs.frozen
class ReturnClause:
    """`return(x) { … }`."""

    parameter: Name
    body: Block
    span: Span = _span()


@attrs.frozen
class HandlerBlock:
    """`{ return(x) { … } ctl … fun … }`, in the order written. The span includes the braces."""

    clauses: tuple[ClauseDeclaration | ReturnClause, ...]
    span: Span = _span()


# ------------------------------------------------------------------------------------------------
# Declarations


@attrs.frozen
class Parameter:
    """`x: T`; the type may be left out in a `def` or a named handler."""

    name: Name
    type: Type | None
    span: Span = _span()


@attrs.frozen
class OperationDeclaration:
    """`tier ctl name(x: T, …): T` inside an effect."""

    tier: Tier
    kind: ClauseKind
    name: Name
    parameters: tuple[Parameter, ...]
    result: Type
    span: Span = _span()


@attrs.frozen
class EffectDeclaration:
    """`effect name { operation … }`."""

    name: Name
    operations: tuple[OperationDeclaration, ...]
    span: Span = _span()


@attrs.frozen
class TypeDeclaration:
    """`type Name = T`."""

    name: Name
    type: Type
    span: Span = _span()


@attrs.frozen
class Row:
    """`/ {effect, effect.operation, …}`: an upper bound on the operations that escape."""

    entries: tuple[Name | QualifiedName, ...]
    span: Span = _span()


@attrs.frozen
class TaskDeclaration:
    """`task name(x: T, …): T / row { … }`."""

    name: Name
    parameters: tuple[Parameter, ...]
    result: Type
    row: Row | None
    body: Block
    span: Span = _span()


@attrs.frozen
class DefDeclaration:
    """`def name(x, …): T / row { … }`: a computation with parameters, inlined where it is called."""

    name: Name
    parameters: tuple[Parameter, ...]
    result: Type | None
    row: Row | None
    body: Block
    span: Span = _span()


@attrs.frozen
class HandlerDeclaration:
    """`handler name(x, …) { clauses }`, inlined where it is used."""

    name: Name
    parameters: tuple[Parameter, ...]
    block: HandlerBlock
    span: Span = _span()


Declaration: TypeAlias = Union[
    EffectDeclaration, TypeDeclaration, TaskDeclaration, DefDeclaration, HandlerDeclaration
]


@attrs.frozen
class Comment:
    """`# …` to the end of the line, without the line end. Comments belong to the file, not to nodes."""

    text: str
    span: Span = _span()
    alone: bool = attrs.field(kw_only=True)
    """Whether nothing but white space stands before it on its line."""


@attrs.frozen
class SourceFile:
    """A whole `.ecl` file."""

    declarations: tuple[Declaration, ...]
    comments: tuple[Comment, ...] = attrs.field(eq=False, default=())
    span: Span = _span()


# ------------------------------------------------------------------------------------------------
# Comparison


def same(left: object, right: object) -> bool:
    """Return whether two trees are equal, without recursion: they may be of any depth."""
    pending: list[tuple[Any, Any]] = [(left, right)]
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, tuple) and isinstance(b, tuple):
            if len(a) != len(b):
                return False
            pending.extend(zip(a, b, strict=True))
        elif attrs.has(type(a)):
            names = (field.name for field in attrs.fields(type(a)) if field.eq)
            pending.extend((getattr(a, name), getattr(b, name)) for name in names)
        elif a != b:
            return False
    return True
