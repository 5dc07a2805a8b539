"""The denotational reading: computations as trees, `handle` as a fold over trees (SPEC §6).

This is the free-monad account of algebraic effects. A computation denotes a finite tree

    t ::= ValueLeaf v | OperationNode(op, v, k) | Failed reason | PerformedNode(op, v, t)

where `k` is a function from values to trees: an operation waits for an answer and says how to go on with
one. `PerformedNode` is a writer's node: it says that an operation was performed here, handled or not, so
that the order of all of them can be read off a tree. Two functions on trees make up the whole theory:

    ValueLeaf v            >>= f  =  f v
    OperationNode(op, v, k) >>= f  =  OperationNode(op, v, λw. k w >>= f)
    Failed r               >>= f  =  Failed r

    fold h (ValueLeaf v)            =  the return clause of h, of v
    fold h (OperationNode(op, v, k)) =  the clause of h for op, of v, resuming with λw. fold h (k w)
                                       or, without one, OperationNode(op, v, λw. fold h (k w))
    fold h (Failed r)               =  Failed r

and both pass a `PerformedNode` through. Below they are `_bind` and `Handler.fold`; `computation_tree` and
`body_tree` say what terms denote, with one equation for each form.

Trees are lazy. A *delayed* tree (`Evaluated`, `Denoted`, `Applied`, `Bound`, `Folded`, `Put`) stands for
the tree that `force` finds out, one node at a time and without recursion. A tree may be forced any number
of times and a continuation called with any number of values: that is what makes branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, Union
from weakref import WeakKeyDictionary

import attrs

from eclogue.core.denote_expressions import EMPTY, Environment, Meter, condition_failed, evaluate
from eclogue.core.errors import AnswerRefused, LimitExceeded
from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.outcomes import Completed, Exhausted, Failed, HostAnswer, Suspended
from eclogue.core.syntax import (
    Abort,
    Answer,
    Body,
    BodyIf,
    BodyLet,
    Clause,
    Computation,
    Expression,
    Handle,
    If,
    Let,
    Perform,
    Program,
    Resume,
    Return,
    Span,
)
from eclogue.core.values import ByValue, Value

# ------------------------------------------------------------------------------------------------
# Trees. Nodes are made in great numbers, so they are plain slotted classes; none is ever changed.

Function: TypeAlias = "Callable[[Value], Tree]"
"""A function from values to trees."""


@attrs.define(eq=False, repr=False, weakref_slot=False)
class ValueLeaf:
    """`v`: the computation is over and gave this value."""

    value: Value


@attrs.define(eq=False, repr=False, weakref_slot=False)
class OperationNode:
    """`op(v, λw. t)`: an operation waits for its answer, and `continuation` says how to go on.

    `span` is where it was performed.
    """

    operation: str
    payload: Value
    continuation: Function
    span: Span | None


@attrs.define(eq=False, repr=False, weakref_slot=False)
class PerformedNode:
    """An operation was performed here; the computation goes on as `rest`."""

    operation: str
    payload: Value
    rest: Tree


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Evaluated:
    """Delayed: the value of an expression, or its failure."""

    expression: Expression
    environment: Environment


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Denoted:
    """Delayed: what a computation denotes."""

    computation: Computation
    environment: Environment


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Applied:
    """Delayed: a function from values to trees, applied."""

    function: Function
    value: Value


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Bound:
    """Delayed: `tree >>= then`."""

    tree: Tree
    then: Function


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Folded:
    """Delayed: the fold of a handler over a tree."""

    tree: Tree
    handler: Handler


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Put:
    """Delayed: a tree with all these binds and folds around it, the innermost first."""

    tree: Tree
    surroundings: Surroundings


Surroundings: TypeAlias = "tuple[Union[Function, Handler], Surroundings] | None"
"""Nested binds (as their functions) and folds around a tree, from the inside out: a linked list."""

Head: TypeAlias = Union[ValueLeaf, OperationNode, PerformedNode, Failed]
"""A tree whose root is known."""

Tree: TypeAlias = Union[Head, Evaluated, Denoted, Applied, Bound, Folded, Put]


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Abstraction:
    """`λx. ⟦c⟧ρ,x`: a computation with one open variable, in its environment."""

    computation: Computation
    environment: Environment

    def __call__(self, value: Value) -> Tree:
        """Return the tree for this value of the variable."""
        return computation_tree(self.computation, self.environment.extended(value))


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Chain:
    """`λv. first v >>= second`: functions from values to trees, one after the other.

    A chain of many that grew at its end is turned over when it is called, so that each function is
    moved once however often the chain is interrupted by an operation, captured, lengthened and resumed.
    """

    first: Function
    second: Function

    def __call__(self, value: Value) -> Tree:
        """Return the tree for this value."""
        first, rest = self.first, self.second
        while isinstance(first, Chain):  # (f; g); rest is f; (g; rest)
            rest = Chain(first.second, rest)
            first = first.first
        return Bound(first(value), rest)


# ------------------------------------------------------------------------------------------------
# What terms denote


def computation_tree(computation: Computation, environment: Environment) -> Tree:
    """Return the tree that a computation denotes; only its root is looked at here.

    Rules `core0.return`, `core0.let`, `core0.perform`, `core0.handle`, `core0.if`, `core0.err`.
    """
    match computation:
        case Return(expression):
            return Evaluated(expression, environment)
        case Let(bound, body):
            return Bound(Denoted(bound, environment), Abstraction(body, environment))
        case Perform(operation, payload, span=span):
            return Bound(
                Evaluated(payload, environment),
                lambda value: PerformedNode(
                    operation, value, OperationNode(operation, value, ValueLeaf, span)
                ),
            )
        case Handle(body):
            return Folded(Denoted(body, environment), Handler(computation, environment))
        case If(condition, then, otherwise):
            return Bound(
                Evaluated(condition, environment),
                lambda value: (
                    computation_tree(then if value else otherwise, environment)
                    if isinstance(value, bool)
                    else condition_failed(condition, value)
                ),
            )


def body_tree(body: Body, environment: Environment, resume: Function) -> Tree:
    """Return the tree that a clause body denotes, with what `resume` stands for in it.

    Rules `body.let`, `body.if`, `body.answer`, `body.abort`, `body.resume`, `body.err`. The body stands
    outside its handler: nothing here mentions the handler but `resume`, which has it inside.
    """
    match body:
        case BodyLet(bound, rest):
            return Bound(
                Denoted(bound, environment),
                lambda value: body_tree(rest, environment.extended(value), resume),
            )
        case BodyIf(condition, then, otherwise):
            return Bound(
                Evaluated(condition, environment),
                lambda value: (
                    body_tree(then if value else otherwise, environment, resume)
                    if isinstance(value, bool)
                    else condition_failed(condition, value)
                ),
            )
        case Answer(expression) | Abort(expression):
            return Evaluated(expression, environment)
        case Resume(expression, afterwards):
            resumed = Bound(Evaluated(expression, environment), resume)
            return Bound(resumed, Abstraction(afterwards, environment))


# ------------------------------------------------------------------------------------------------
# The two functions on trees


def _bind(head: ValueLeaf | OperationNode | Failed, then: Function) -> Tree:
    """Return `head >>= then`."""
    match head:
        case ValueLeaf(value):
            return then(value)
        case OperationNode(operation, payload, continuation, span):
            return OperationNode(operation, payload, Chain(continuation, then), span)
        case Failed():
            return head


class Handler:
    """The fold of one `handle … with …`, in the environment of its clauses."""

    __slots__ = ("clauses", "environment", "return_clause")

    def __init__(self, handle: Handle, environment: Environment) -> None:
        self.return_clause = Abstraction(handle.return_clause, environment)
        self.clauses = _clauses(handle)
        self.environment = environment

    def fold(self, head: ValueLeaf | OperationNode | Failed) -> Tree:
        """Return the fold of a tree with this root. The handler is deep: it goes on inside `resume`.

        Rules `frame.handler` (a value), `frame.catch`, `frame.skip`, `frame.fail`.
        """
        match head:
            case ValueLeaf(value):
                return self.return_clause(value)
            case OperationNode(operation, payload, continuation, span):
                resume: Function = lambda value: Folded(Applied(continuation, value), self)  # noqa: E731
                clause = self.clauses.get(operation)
                if clause is None:
                    return OperationNode(operation, payload, resume, span)
                return body_tree(clause.body, self.environment.extended(payload), resume)
            case Failed():
                return head


_clauses_by_operation: WeakKeyDictionary[Handle, dict[str, Clause]] = WeakKeyDictionary()


def _clauses(handle: Handle) -> dict[str, Clause]:
    """Return a handler's clauses by operation, made once for each term."""
    clauses = _clauses_by_operation.get(handle)
    if clauses is None:
        clauses = {clause.operation: clause for clause in handle.clauses}
        _clauses_by_operation[handle] = clauses
    return clauses


# ------------------------------------------------------------------------------------------------
# Forcing


def denote(program: Program) -> Tree:
    """Return the tree that a program denotes. Nothing is computed before it is forced."""
    return Denoted(program.body, EMPTY)


def force(tree: Tree, meter: Meter) -> Head:
    """Return the tree with its root known. Raises `LimitExceeded` (`limit.exhausted`).

    Binds and folds that wait for the root of what is inside them are kept in a linked list, so nothing
    recurses, and a `PerformedNode` passes through all of them in one step:

        PerformedNode(op, v, t) >>= f    =  PerformedNode(op, v, t >>= f)
        fold h (PerformedNode(op, v, t))  =  PerformedNode(op, v, fold h t)
    """
    around: Surroundings = None
    while True:
        meter.count_step()
        if isinstance(tree, Bound):
            around = (tree.then, around)
            tree = tree.tree
        elif isinstance(tree, Evaluated):
            result = evaluate(tree.expression, tree.environment, meter)
            tree = result if isinstance(result, Failed) else ValueLeaf(result)
        elif isinstance(tree, Denoted):
            tree = computation_tree(tree.computation, tree.environment)
        elif isinstance(tree, Applied):
            tree = tree.function(tree.value)
        elif isinstance(tree, Folded):
            around = (tree.handler, around)
            tree = tree.tree
        elif isinstance(tree, Put):
            around = _joined(tree.surroundings, around)
            tree = tree.tree
        elif around is None:
            return tree
        elif isinstance(tree, PerformedNode):
            return PerformedNode(tree.operation, tree.payload, Put(tree.rest, around))
        else:
            nearest, around = around
            tree = nearest.fold(tree) if isinstance(nearest, Handler) else _bind(tree, nearest)


def _joined(inner: Surroundings, outer: Surroundings) -> Surroundings:
    """Return the surroundings `inner`, and around them `outer`."""
    if outer is None:
        return inner
    nearest_first: list[Function | Handler] = []
    while inner is not None:
        nearest, inner = inner
        nearest_first.append(nearest)
    for nearest in reversed(nearest_first):
        outer = (nearest, outer)
    return outer


# ------------------------------------------------------------------------------------------------
# Reading


@attrs.frozen(unsafe_hash=False)
class Reading:
    """How a program ends, and every operation that it performed on the way, handled ones too.

    `performed` has operations and payloads in the order in which they were performed. A suspended reading
    has a `suspension` to go on from; that is not compared.
    """

    outcome: Completed | Suspended | Failed | Exhausted
    performed: tuple[tuple[str, Value], ...] = attrs.field(eq=ByValue)
    suspension: Suspension | None = attrs.field(default=None, eq=False, repr=False)


@attrs.frozen(eq=False, repr=False)
class Suspension:
    """An operation that no handler caught, at the top of a tree; it may be answered several times."""

    node: OperationNode
    performed: tuple[tuple[str, Value], ...]

    def read(self, answers: Sequence[HostAnswer], *, limits: Limits = DEFAULT) -> Reading:
        """Go on from here with the host's answers, as `read` does; the limits are for this part alone."""
        return _read(self.node, self.performed, answers, limits)


def read(program: Program, answers: Sequence[HostAnswer] = (), *, limits: Limits = DEFAULT) -> Reading:
    """Force a program's tree, feeding the host's answers in order to the operations that reach the top.

    A limit that is met gives `Exhausted` (`limit.exhausted`). Raises `AnswerRefused` for an answer to
    another operation than the one that waits, and for more answers than suspensions (`host.observe`).
    """
    return _read(denote(program), (), answers, limits)


def _read(
    tree: Tree,
    before: tuple[tuple[str, Value], ...],
    answers: Sequence[HostAnswer],
    limits: Limits,
) -> Reading:
    meter = Meter(limits)
    performed = list(before)
    try:
        top = _top(tree, performed, meter)
        for answer in answers:
            top = _top(_answered(top, answer), performed, meter)
    except LimitExceeded as exceeded:
        return Reading(Exhausted(exceeded.limit, exceeded.bound), tuple(performed))
    match top:
        case ValueLeaf(value):
            return Reading(Completed(value), tuple(performed))
        case Failed():
            return Reading(top, tuple(performed))
        case OperationNode(operation, payload, _, span):
            suspension = Suspension(top, tuple(performed))
            return Reading(Suspended(operation, payload, span), suspension.performed, suspension)


def _top(
    tree: Tree, performed: list[tuple[str, Value]], meter: Meter
) -> ValueLeaf | OperationNode | Failed:
    """Force a tree through its writer's nodes, which are added to `performed`."""
    head = force(tree, meter)
    while isinstance(head, PerformedNode):
        performed.append((head.operation, head.payload))
        head = force(head.rest, meter)
    return head


def _answered(top: ValueLeaf | OperationNode | Failed, answer: HostAnswer) -> Tree:
    """Return the tree that goes on with the host's answer."""
    if not isinstance(top, OperationNode):
        raise AnswerRefused("an answer is left over: no operation waits for it")
    if answer.operation not in (None, top.operation):
        raise AnswerRefused(f"the answer is for {answer.operation}, but {top.operation} waits")
    return Applied(top.continuation, answer.value)
