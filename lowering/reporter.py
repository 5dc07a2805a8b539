"""Errors with the nearest of the names that were meant, for the passes over a surface tree."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from eclogue.core.syntax import Span
from eclogue.lowering import ast
from eclogue.lowering.diagnostics import Diagnostics, SourceText, did_you_mean

_SUGGESTIONS = 200
"""So many unknown names get a suggestion; a file with more of them has another trouble."""
_CANDIDATES = 2_000
"""So many names are compared with an unknown one."""


class Reporter(Diagnostics):
    """Collects diagnostics, and knows how to say some things that several passes say."""

    def __init__(self, source: SourceText) -> None:
        super().__init__(source)
        self._suggestions = _SUGGESTIONS

    def suggestion(self, name: str, candidates: Iterable[str]) -> str | None:
        """Return the candidate that was probably meant; the work for a whole file is bounded.

        Of a name of one letter nothing can be said.
        """
        if self._suggestions == 0 or len(name) == 1:
            return None
        self._suggestions -= 1
        return did_you_mean(name, islice(candidates, _CANDIDATES))

    def unknown(
        self,
        code: str,
        what: str,
        name: ast.Name,
        candidates: Iterable[str],
        *,
        hint: str | None = None,
        notes: tuple[tuple[Span | None, str], ...] = (),
    ) -> None:
        """Report a name that stands for nothing; a near candidate goes before the hint that is given."""
        near = self.suggestion(name.text, candidates)
        if near is not None:
            hint = f"did you mean `{near}`?"
        self.error(code, f"unknown {what} `{name.text}`", name.span, notes=notes, hint=hint)

    def twice(self, code: str, what: str, name: ast.Name, first: Span, hint: str | None = None) -> None:
        """Report something that is declared or given a second time."""
        self.error(
            code, f"{what} `{name.text}` twice", name.span, notes=((first, "first here"),), hint=hint
        )

    def count(
        self, what: str, given: int, wanted: int, span: Span, declared: Span, names: Iterable[str]
    ) -> None:
        """Report a wrong number of arguments (EC1151)."""
        listed = ", ".join(names)
        self.error(
            "EC1151",
            f"{what} takes {_arguments(wanted)}, not {given}",
            span,
            notes=((declared, "declared here"),),
            hint=f"the parameters are ({listed})" if listed else "write `()`",
        )


def _arguments(number: int) -> str:
    return {0: "no arguments", 1: "one argument"}.get(number, f"{number} arguments")
