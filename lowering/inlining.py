"""Which declarations use which: the order in which they are looked at, and recursion.

Calls of tasks and `def`s and uses of named handlers are expanded in place, so none may lead back to itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from eclogue.core.syntax import Span
from eclogue.lowering import ast
from eclogue.lowering.declarations import Declarations, Inlined
from eclogue.lowering.reporter import Reporter


@attrs.frozen(eq=False)
class _Use:
    target: Inlined
    span: Span


def inlining_order(declarations: Declarations, reporter: Reporter) -> tuple[Inlined, ...]:
    """Return the declarations with bodies, each after those that it uses, and report recursion (EC1161)."""
    walk = _Walk(declarations, reporter)
    for start in declarations.inlined:
        walk.visit(start)
    return tuple(walk.order)


class _Walk:
    """A walk over the uses, depth first."""

    def __init__(self, declarations: Declarations, reporter: Reporter) -> None:
        self.order: list[Inlined] = []
        self._declarations = declarations
        self._reporter = reporter
        self._entered: set[int] = set()
        self._recursive: set[int] = set()

    def visit(self, start: Inlined) -> None:
        """Visit what was not visited yet; a use of a declaration that is still open closes a cycle."""
        if id(start) in self._entered:
            return
        self._entered.add(id(start))
        path = [(start, _uses(start, self._declarations))]
        through: list[_Use] = []
        open_at = {id(start): 0}
        while path:
            declaration, uses = path[-1]
            use = next(uses, None)
            if use is None:
                path.pop()
                del through[-1:], open_at[id(declaration)]
                self.order.append(declaration)
            elif id(use.target) in open_at:
                self._report([*through[open_at[id(use.target)] :], use])
            elif id(use.target) not in self._entered:
                self._entered.add(id(use.target))
                open_at[id(use.target)] = len(path)
                path.append((use.target, _uses(use.target, self._declarations)))
                through.append(use)

    def _report(self, cycle: list[_Use]) -> None:
        """Report a cycle, once for where it begins: each use leads to the next one's declaration."""
        first = cycle[-1].target
        if id(first) in self._recursive:
            return
        self._recursive.add(id(first))
        users = [first, *(use.target for use in cycle[:-1])]
        notes: list[tuple[Span | None, str]] = [
            (use.span, f"`{user.name.text}` uses `{use.target.name.text}` here")
            for user, use in zip(users, cycle, strict=True)
        ]
        if len(notes) > _SHOWN:
            between = len(notes) - _SHOWN
            notes[_SHOWN - 1 : -1] = [(None, f"and so on, {between} more")]
        self._reporter.error(
            "EC1161",
            f"`{first.name.text}` leads back to itself",
            first.name.span,
            notes=tuple(notes),
            hint="there is no recursion; `repeat n with x = e while e { … }` bounds what is done again",
        )


_SHOWN = 10


def _uses(declaration: Inlined, declarations: Declarations) -> Iterator[_Use]:
    """Yield the declarations that one uses, in the order of the text."""
    blocks: tuple[ast.Block, ...]
    if isinstance(declaration, ast.HandlerDeclaration):
        blocks = tuple(clause.body for clause in declaration.block.clauses)
    else:
        blocks = (declaration.body,)
    for computation in _computations(blocks):
        target: Inlined | None = None
        if isinstance(computation, ast.CallComputation):
            target = declarations.callables.get(computation.callee.text)
        elif isinstance(computation, ast.HandleComputation) and isinstance(
            computation.handler, ast.HandlerReference
        ):
            target = declarations.handlers.get(computation.handler.name.text)
        if target is not None:
            yield _Use(target, computation.span)


def _computations(blocks: tuple[ast.Block, ...]) -> Iterator[ast.Computation]:
    """Yield the computations in some blocks that stand for themselves or hold blocks."""
    pending = list(reversed(blocks))
    while pending:
        block = pending.pop()
        inner: list[ast.Block] = []
        for statement in block.statements:
            if isinstance(statement, (ast.AnswerStatement, ast.AbortStatement)):
                continue
            yield statement.computation
            inner += blocks_of(statement.computation)
        pending += reversed(inner)


def blocks_of(computation: ast.Computation) -> tuple[ast.Block, ...]:
    """Return the blocks that a computation holds, in the order of the text."""
    if isinstance(computation, ast.HandleComputation):
        if isinstance(computation.handler, ast.HandlerReference):
            return (computation.body,)
        return (computation.body, *(clause.body for clause in computation.handler.clauses))
    if isinstance(computation, ast.IfComputation):
        return (
            (computation.then,)
            if computation.otherwise is None
            else (computation.then, computation.otherwise)
        )
    if isinstance(computation, (ast.RepeatComputation, ast.ForComputation)):
        return (computation.body,)
    if isinstance(computation, ast.BlockComputation):
        return (computation.block,)
    return ()
