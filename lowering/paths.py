"""Paths through a clause body: where control statements may stand, and where each path ends.

`resume`, `answer` and `abort` are *control*. On a `ctl` clause's own paths they stand in the clause's block
and in the `if`s and `do`s directly in it, and nowhere else.
"""

from __future__ import annotations

import enum

import attrs

from eclogue.core.schema import Schema
from eclogue.core.syntax import Span
from eclogue.lowering import ast
from eclogue.lowering.expressions import Expected
from eclogue.lowering.reporter import Reporter

Control = ast.ResumeComputation | ast.AnswerStatement | ast.AbortStatement


def control_nodes(body: ast.Block) -> frozenset[int]:
    """Return the ids of the `if`s and `do`s on a clause's own paths that have control in them."""
    found: set[int] = set()
    # Depth first; `above` are the `if`s and `do`s around a block. All of them hold what it holds, so that
    # marking stops at the first that is marked already, and the whole takes linear time.
    pending: list[tuple[ast.Block, _Above]] = [(body, None)]
    while pending:
        block, above = pending.pop()
        for statement in block.statements:
            if isinstance(statement, (ast.AnswerStatement, ast.AbortStatement)):
                _mark(above, found)
                continue
            computation = statement.computation
            if isinstance(computation, ast.ResumeComputation):
                _mark(above, found)
            elif isinstance(computation, ast.BlockComputation):
                pending.append((computation.block, (computation, above)))
            elif isinstance(computation, ast.IfComputation):
                pending.append((computation.then, (computation, above)))
                if computation.otherwise is not None:
                    pending.append((computation.otherwise, (computation, above)))
    return frozenset(found)


_Above = tuple[ast.Computation, "_Above"] | None


def _mark(above: _Above, found: set[int]) -> None:
    while above is not None:
        node, above = above
        if id(node) in found:
            return
        found.add(id(node))


# ------------------------------------------------------------------------------------------------
# Places


class Place(enum.Enum):
    """The innermost thing around a block that decides about control; the text is for messages."""

    TASK = "a task"
    DEF = "a `def`"
    HANDLED = "a handled block"
    LOOP = "a loop"
    RETURN_CLAUSE = "a return clause"
    FUN_CLAUSE = "a `fun` clause"
    CLAUSE = "a `ctl` clause"


@attrs.define(eq=False)
class ClausePath:
    """The path that is being checked through a `ctl` clause."""

    operation: str
    resumption: Expected | None
    """What the operation's result must be: the value of `resume`."""
    comes_back: Schema
    """The type of what a `resume` returns."""
    completion: Expected | None
    """What the clause completes with."""
    controls: frozenset[int]
    resumed: Span | None = None
    """The `resume` that the path has passed."""
    misplaced: bool = False
    """Whether control was found in the clause where it may not stand; that it is missing is no wonder."""


@attrs.frozen(eq=False)
class Where:
    """Where a block stands. `path` is there on a `ctl` clause's own paths only."""

    place: Place
    path: ClausePath | None = None
    in_clause: bool = False
    """Whether a clause is around it, however far out."""
    around: ClausePath | None = None
    """The path from which it was entered, if that is one through a `ctl` clause."""

    def within(self, place: Place) -> Where:
        """Return the place inside a nested construct, where the clause around has no say."""
        in_clause = self.in_clause or self.place in (Place.CLAUSE, Place.FUN_CLAUSE)
        around = None if place is Place.FUN_CLAUSE else self.path or self.around
        return Where(place, None, in_clause, around)

    def beside(self) -> Where:
        """Return the same place for a part without control."""
        return self if self.path is None else Where(self.place, None, True, self.path)


@attrs.frozen(eq=False)
class Use:
    """What becomes of a block's value."""

    expected: Expected | None = None
    follows: bool = False
    """Whether anything is done after the block on the same path."""
    dropped: bool = False
    """Whether the value is discarded."""


@attrs.frozen(eq=False)
class Flow:
    """How a block or computation comes to its end."""

    type: Schema
    open_ends: int = 1
    """How many paths go on behind it; a computation without control is one."""
    controls: bool = False
    branch_resumes: bool = False
    """Whether it is an `if`, or ends in one, of which a branch resumes."""


# ------------------------------------------------------------------------------------------------
# Messages


def control_name(node: Control) -> str:
    """Return the keyword of a control statement."""
    if isinstance(node, ast.ResumeComputation):
        return "resume"
    return "answer" if isinstance(node, ast.AnswerStatement) else "abort"


def report_misplaced(node: Control, where: Where, reporter: Reporter) -> None:
    """Report control off a `ctl` clause's own paths (EC2201, EC2202, EC2203)."""
    keyword = control_name(node)
    if where.around is not None:
        where.around.misplaced = True
    if where.place is Place.FUN_CLAUSE:
        hint = "end with `return e`: it resumes with that value" if keyword == "resume" else None
        reporter.error(
            "EC2203",
            f"`{keyword}` in a `fun` clause, which resumes by itself",
            node.span,
            hint=hint or "only a `ctl` clause can complete otherwise, for an operation declared `ctl`",
        )
        return
    code = "EC2201" if keyword == "resume" else "EC2202"
    if not where.in_clause or where.place in (Place.TASK, Place.DEF):
        reporter.error(
            code,
            f"`{keyword}` outside of a clause, in {where.place.value}",
            node.span,
            hint="the value of a block is given with `return e`",
        )
        return
    inner = {
        Place.HANDLED: "under a nested `handle`",
        Place.LOOP: "in a loop",
        Place.RETURN_CLAUSE: "in a return clause",
    }[where.place]
    hints = {
        Place.HANDLED: "let the `handle` return a value, and decide by it behind the `handle`",
        Place.LOOP: "let the loop return a value, and decide behind it",
        Place.RETURN_CLAUSE: "a return clause gives its value with `return e`",
    }
    reporter.error(code, f"`{keyword}` {inner}", node.span, hint=hints[where.place])


def report_after_resume(node: Control, path: ClausePath, reporter: Reporter) -> None:
    """Report control on a path that has resumed already (EC2204, EC2205)."""
    notes: tuple[tuple[Span | None, str], ...] = ((path.resumed, "resumed here"),)
    keyword = control_name(node)
    if keyword == "resume":
        reporter.error(
            "EC2204",
            "`resume` a second time on the same path",
            node.span,
            notes=notes,
            hint="a resumption is used at most once; `perform` the operation again to ask again",
        )
    else:
        reporter.error(
            "EC2205",
            f"`{keyword}` after the `resume` on the same path",
            node.span,
            notes=notes,
            hint="after a resume the clause completes with `return e`",
        )


def report_open_end(path: ClausePath, span: Span, what: str, reporter: Reporter) -> None:
    """Report a path through a `ctl` clause that completes in no way (EC2206)."""
    if path.misplaced:
        return
    reporter.error(
        "EC2206",
        f"{what} without `resume`, `answer` or `abort`",
        span,
        hint=f"`resume(e)` goes on where `{path.operation}` was performed, `answer(e)` completes with `e`",
    )


def report_statement_after(
    flow: Flow, before: ast.Statement, after: ast.Statement, reporter: Reporter
) -> None:
    """Report a statement that cannot be reached, or not by one path alone (EC2207, EC2208, EC2209)."""
    if flow.branch_resumes:
        reporter.error(
            "EC2208",
            "a statement after an `if` that resumes",
            after.span,
            notes=((before.span, "a branch of this resumes"),),
            hint="put it into the branches that need it, or decide first: `let v = if …; resume(v)`",
        )
    elif flow.open_ends == 0:
        reporter.error(
            "EC2207",
            "a statement that no path reaches",
            after.span,
            notes=((before.span, "every path ends in this"),),
            hint="leave it out, or put it before",
        )
    else:
        reporter.error(
            "EC2209",
            "a statement that several paths of an `if` lead to",
            after.span,
            notes=(
                (before.span, "more than one branch of this goes on, and another completes the clause"),
            ),
            hint="test first what completes the clause, in an `if` of its own",
        )
