"""What a syntax error means: a message for the commonest slips, and how to mend them so as to go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from eclogue.core.syntax import Span
from eclogue.lowering.diagnostics import Diagnostic
from eclogue.lowering.expectations import COMPARATORS, COMPUTATIONS, ENDINGS, accepts, in_words
from eclogue.lowering.lexer import Tokens
from eclogue.lowering.situation import (
    CLOSERS,
    OPENERS,
    STATEMENTS,
    VALUES,
    Mend,
    Situation,
    is_declaration,
)
from eclogue.lowering.syntax_advice import advise
from eclogue.lowering.tables import END, INTEGER, NAME

Explanation: TypeAlias = tuple[Diagnostic | None, Mend | None]
"""What to report, if anything, and how to go on; without a mend something has to be skipped."""


def explain(at: Situation) -> Explanation:
    """Return the best explanation of a syntax error."""
    for explanation in _EXPLANATIONS:
        result = explanation(at)
        if result is not None:
            return result
    return _unexpected(at)


# ------------------------------------------------------------------------------------------------
# Slips inside a statement


def _comparison_chain(at: Situation) -> Explanation | None:
    compared = any(type(value) is int and at.tokens.kinds[value] in COMPARATORS for value in at.values[-2:])
    if at.kind not in COMPARATORS or not compared:
        return None
    hint = "join two comparisons by `and`, or put one of them in parentheses"
    return at.error("EC0204", "comparisons do not stand in a row", hint=hint), Mend("and")


def _computation_in_expression(at: Situation) -> Explanation | None:
    if at.kind in COMPUTATIONS and INTEGER in at.expected and "(" in at.expected:
        what = f"`{at.kind}`"
    elif at.kind == "(" and at.before() == NAME and at.before(2) != "." and "*" in at.expected:
        what = "a call"
    else:
        return None
    hint = "bind its value first: `let x = …;`"
    return at.error("EC0208", f"{what} cannot stand inside an expression", hint=hint), None


def _operation_as_call(at: Situation) -> Explanation | None:
    if at.kind != "(" or at.before() != NAME or at.before(2) != "." or at.before(3) != NAME:
        return None
    name = f"{at.tokens.text(at.index - 3)}.{at.tokens.text(at.index - 1)}"
    message = f"expected {in_words(at.expected)}, found `(`"
    hint = f"to perform an operation, write `perform {name}(…)`"
    return at.error("EC0201", message, hint=hint), None


def _missing_semicolon(at: Situation) -> Explanation | None:
    begins = at.kind in STATEMENTS or (at.kind in VALUES and at.on_new_line())
    if not begins or ";" not in at.expected or not at.block:
        return None
    if at.statement in ("return", "answer", "abort"):
        return None, Mend(";", insert=True)  # The block says that nothing may follow.
    end = at.tokens.span(at.index - 1, at.index - 1)
    behind = Span(end.end_line, end.end_column, end.end_line, end.end_column)
    notes = ((at.span(), "before this statement"),)
    error = at.error("EC0202", "a semicolon is missing here", behind, notes=notes, hint="put a `;`")
    return error, Mend(";", insert=True)


def _reserved(at: Situation) -> Explanation | None:
    if at.kind not in at.grammar.keywords or NAME not in at.expected:
        return None
    if not _would_fit(at, NAME):
        return None
    hint = "choose another name; reserved words may only be keys of records"
    return at.error("EC0108", f"`{at.kind}` is a reserved word", hint=hint), Mend(NAME)


def _would_fit(at: Situation, kind: str) -> bool:
    """Return whether a token of this kind would let the parser go on with the token after it."""
    stack = list(at.states)
    while not isinstance(action := at.grammar.actions[stack[-1]].get(kind), int):
        if action is None:
            return False
        if action.size:
            del stack[-action.size :]
        stack.append(at.grammar.gotos[stack[-1]][action.rule])
    stack.append(action)
    return accepts(at.grammar, stack, at.following())


# ------------------------------------------------------------------------------------------------
# Brackets


def _wrong_separator(at: Situation) -> Explanation | None:
    """Explain a `;` between items in brackets that are closed on the same line."""
    if at.kind != ";" or "," not in at.expected or not at.openers:
        return None
    closer = OPENERS[at.tokens.kinds[at.openers[-1]]]
    if closer not in at.expected or at.following() not in VALUES or not _closed_on_line(at):
        return None
    message = f"expected `,` or `{closer}`, found `;`"
    return at.error("EC0201", message, hint="items in brackets are separated by `,`"), Mend(",")


def _closed_on_line(at: Situation) -> bool:
    """Return whether the innermost open bracket is closed before the line ends."""
    kinds, lines = at.tokens.kinds, at.tokens.lines
    depth = 1
    for token in range(at.index + 1, len(kinds)):
        if lines[token] != lines[at.index]:
            return False
        depth += (kinds[token] in OPENERS) - (kinds[token] in CLOSERS)
        if depth == 0:
            return True
    return False


def _bracket(at: Situation) -> Explanation | None:
    """Explain a bracket that is not closed, or one that closes nothing."""
    opener = at.tokens.kinds[at.openers[-1]] if at.openers else None
    if at.kind in CLOSERS and opener != CLOSERS[at.kind]:
        if any(at.tokens.kinds[token] == CLOSERS[at.kind] for token in at.openers):
            return _unclosed(at)
        return _stray_closer(at, opener)
    if opener is None:
        return None
    if at.kind == END or is_declaration(at.tokens, at.index):
        return _unclosed(at)
    if OPENERS[opener] in at.expected and not at.block and (at.kind == ";" or at.kind in ENDINGS):
        return _unclosed(at)
    return None


def _stray_closer(at: Situation, opener: str | None) -> Explanation:
    hint = f"take it out, or put a `{CLOSERS[at.kind]}` before it"
    if opener is None:
        return at.error("EC0207", f"this `{at.kind}` closes nothing", hint=hint), Mend(drop=True)
    notes = ((at.tokens.span(at.openers[-1], at.openers[-1]), "the innermost open bracket"),)
    if opener != "{" and OPENERS[opener] in at.expected:
        message = f"this `{at.kind}` does not close a `{opener}`"
        hint = f"write `{OPENERS[opener]}`"
        return at.error("EC0207", message, notes=notes, hint=hint), Mend(OPENERS[opener])
    error = at.error("EC0207", f"this `{at.kind}` closes nothing", notes=notes, hint=hint)
    return error, Mend(drop=True)


def _unclosed(at: Situation) -> Explanation:
    token = at.openers[-1]
    kind = at.tokens.kinds[token]
    closer = OPENERS[kind]
    before = "the end of the file" if at.kind == END else f"`{at.kind}`"
    notes: list[tuple[Span | None, str]] = [(at.span(), f"expected `{closer}` before {before}")]
    notes += _misleading_indentation(at)
    error = at.error(
        "EC0206",
        f"this `{kind}` is not closed",
        at.tokens.span(token, token),
        notes=tuple(notes),
        hint=f"put a `{closer}`",
    )
    mend = closer in at.expected and (at.kind in CLOSERS or at.kind == ";" or at.kind in ENDINGS)
    return error, Mend(closer, insert=True) if mend else None


def _misleading_indentation(at: Situation) -> list[tuple[Span | None, str]]:
    """Return a note on the first braces, since the declaration began, that are indented differently."""
    tokens = at.tokens
    open_tokens: list[int] = []
    for token in range(at.openers[0], at.index):
        kind = tokens.kinds[token]
        if kind == "{":
            open_tokens.append(token)
        elif kind == "}" and open_tokens:
            opener = open_tokens.pop()
            first = token == 0 or tokens.lines[token - 1] != tokens.lines[token]
            if first and _indentation(tokens, opener) != _indentation(tokens, token):
                note = "this `}` closes a brace that is indented differently; is one missing above it?"
                return [(tokens.span(token, token), note)]
    return []


def _indentation(tokens: Tokens, token: int) -> str:
    line = tokens.source.line(tokens.lines[token])
    return line[: len(line) - len(line.lstrip(" \t"))]


# ------------------------------------------------------------------------------------------------
# Everything else


def _unexpected(at: Situation) -> Explanation:
    message = f"expected {in_words(at.expected)}, found {at.found()}"
    hint, mend = advise(at) or (None, None)
    return at.error("EC0201", message, hint=hint), mend


_EXPLANATIONS: tuple[Callable[[Situation], Explanation | None], ...] = (
    _comparison_chain,
    _missing_semicolon,
    _reserved,
    _wrong_separator,
    _bracket,
    _computation_in_expression,
    _operation_as_call,
)
