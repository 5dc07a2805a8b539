"""The bound on what a program expands to.

Calls, named handlers and loops are written out, so that a short source may stand for a huge program. Its
nodes are counted as those of a tree, although inlined parts are shared in memory, and counted before a loop
is written out. A source beyond the bound is refused; the language as such would allow it.
"""

from __future__ import annotations

from eclogue.core.syntax import Span
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceErrors

EXPANSION_BOUND = 2_000_000
"""Nodes of a program as a tree, those of the schemas in it included."""

UNSUPPORTED_CODES = frozenset({"EC3001"})
"""The codes of errors by which a correct source is beyond this implementation (exit code 3, not 2)."""


class ExpansionRefused(SourceErrors):
    """The errors of a source are none but that its expansion is too large (EC3001)."""


class TooManyNodes(Exception):
    """The bound is exceeded; `span` is that of the part with which it was."""

    def __init__(self, span: Span | None) -> None:
        super().__init__(f"more than {EXPANSION_BOUND} nodes")
        self.span = span


class Budget:
    """Counts the nodes of one program against the bound."""

    def __init__(self, bound: int = EXPANSION_BOUND) -> None:
        self.bound = bound
        self.spent = 0

    def spend(self, nodes: int, span: Span | None) -> None:
        """Count some nodes; raises `TooManyNodes` beyond the bound."""
        self.spent += nodes
        if self.spent > self.bound:
            raise TooManyNodes(span)

    def require(self, nodes: int, span: Span | None) -> None:
        """Raise `TooManyNodes` if so many more would be beyond the bound."""
        if self.spent + nodes > self.bound:
            raise TooManyNodes(span)


def too_large(task: str, name: Span, span: Span | None) -> Diagnostic:
    """Return the error for a task whose expansion is beyond the bound (EC3001)."""
    return Diagnostic(
        "EC3001",
        Severity.ERROR,
        f"the expansion of `{task}` has more than {EXPANSION_BOUND:,} nodes",
        span or name,
        notes=((name, f"`{task}` is declared here"),),
        hint="loops and calls are written out: do less in a loop, or let the host repeat an operation",
    )
