"""What a syntax error means: a message for the commonest slips, and how to mend them so as to go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import attrs

from eclogue.core.syntax import Span
from eclogue.lowering.diagnostics import Diagnostic, Severity, did_you_mean
from eclogue.lowering.expectations import (
    COMPARATORS,
    COMPUTATIONS,
    DECLARATIONS,
    ENDINGS,
    OPERATORS,
    accepts,
    found,
    in_words,
)
from eclogue.lowering.lexer import Tokens
from eclogue.lowering.tables import END, INTEGER, NAME, TEXT, Tables

OPENERS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = {closer: opener for opener, closer in OPENERS.items()}
_STATEMENTS = ENDINGS | COMPUTATIONS
_VALUES = frozenset({NAME, INTEGER, TEXT, "null", "true", "false", "(", "[", "{", "not"})


@attrs.frozen
class Mend:
    """A change to the tokens after which the parser may go on: by default, read the token as `kind`."""

    kind: str = ""
    insert: bool = False
    drop: bool = False


@attrs.frozen
class Situation:
    """Where the parser is when it meets a token that cannot stand there.

    `openers` are the open brackets, as tokens, outermost first; `block` tells whether the innermost of
    them is a block's brace, and `statement` is the kind of the first token of the statement in that block.
    """

    grammar: Tables
    tokens: Tokens
    index: int
    states: tuple[int, ...]
    values: tuple[Any, ...]
    openers: tuple[int, ...]
    expected: frozenset[str]
    block: bool
    statement: str | None

    @property
    def kind(self) -> str:
        """The kind of the token in the way."""
        return self.tokens.kinds[self.index]

    def before(self, distance: int = 1) -> str:
        """Return the kind of a token before it."""
        return self.tokens.kinds[self.index - distance] if self.index >= distance else END

    def following(self) -> str:
        """Return the kind of the token after it."""
        return self.tokens.kinds[self.index + 1] if self.kind != END else END

    def span(self) -> Span:
        """Return the span of the token in the way."""
        return self.tokens.span(self.index, self.index)

    def found(self) -> str:
        """Return the token in the way, in words."""
        return found(self.tokens, self.index, self.grammar)

    def on_new_line(self) -> bool:
        """Return whether the token is the first on its line."""
        lines = self.tokens.lines
        return self.index == 0 or lines[self.index] != lines[self.index - 1]

    def error(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        *,
        notes: tuple[tuple[Span | None, str], ...] = (),
        hint: str | None = None,
    ) -> Diagnostic:
        """Return an error, by default about the token in the way."""
        return Diagnostic(code, Severity.ERROR, message, span or self.span(), notes, hint)


Explanation: TypeAlias = tuple[Diagnostic | None, Mend | None]
"""What to report, if anything, and how to go on; without a mend something has to be skipped."""


def explain(at: Situation) -> Explanation:
    """Return the best explanation of a syntax error."""
    for explanation in _EXPLANATIONS:
        result = explanation(at)
        if result is not None:
            return result
    return _unexpected(at)


def is_declaration(tokens: Tokens, index: int) -> bool:
    """Return whether a declaration begins at a token: its words may also be keys of records."""
    kind = tokens.kinds[index]
    if kind not in DECLARATIONS or tokens.kinds[index + 1] != NAME:
        return False
    return tokens.kinds[index - 1] != "." and tokens.kinds[index + 2] in _AFTER_NAME[kind]


_AFTER_NAME = {"effect": "{", "type": "=", "task": "(", "def": "(", "handler": "({"}


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
    begins = at.kind in _STATEMENTS or (at.kind in _VALUES and at.on_new_line())
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
    if opener is None:
        return at.error("EC0207", f"this `{at.kind}` closes nothing"), Mend(drop=True)
    notes = ((at.tokens.span(at.openers[-1], at.openers[-1]), "the innermost open bracket"),)
    if opener != "{" and OPENERS[opener] in at.expected:
        message = f"this `{at.kind}` does not close a `{opener}`"
        return at.error("EC0207", message, notes=notes), Mend(OPENERS[opener])
    return at.error("EC0207", f"this `{at.kind}` closes nothing", notes=notes), Mend(drop=True)


def _unclosed(at: Situation) -> Explanation:
    token = at.openers[-1]
    kind = at.tokens.kinds[token]
    closer = OPENERS[kind]
    before = "the end of the file" if at.kind == END else f"`{at.kind}`"
    notes: list[tuple[Span | None, str]] = [(at.span(), f"expected `{closer}` before {before}")]
    notes += _misleading_indentation(at)
    error = at.error(
        "EC0206", f"this `{kind}` is not closed", at.tokens.span(token, token), notes=tuple(notes)
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
    for advice in _ADVICE:
        result = advice(at)
        if result is not None:
            hint, mend = result
            return at.error("EC0201", message, hint=hint), mend
    return at.error("EC0201", message), None


Advice: TypeAlias = tuple[str, Mend | None]


def _advise_words(at: Situation) -> Advice | None:
    """Advise on a misspelt reserved word."""
    if at.kind != NAME or NAME in at.expected:
        return None
    words = [kind for kind in at.expected if kind in at.grammar.keywords]
    near = did_you_mean(at.tokens.text(at.index), words)
    return None if near is None else (f"did you mean `{near}`?", Mend(near))


def _advise_then(at: Situation) -> Advice | None:
    if at.kind == "{" and "then" in at.expected:
        return "write `if … then { … } else { … }`", Mend("then", insert=True)
    return None


def _advise_equals(at: Situation) -> Advice | None:
    if at.kind != "=":
        return None
    if at.block and at.before() == NAME and at.before(2) in (";", "{", "}"):
        return "a name is bound by `let x = …`", None
    if "==" in at.expected:
        return "equality is written `==`", Mend("==")
    return None


def _advise_else(at: Situation) -> Advice | None:
    if at.kind == "else" and at.before() == ";" and at.before(2) == "}":
        return "leave out the `;` before `else`", None
    return None


def _advise_unit(at: Situation) -> Advice | None:
    if at.kind == ")" and at.before() == "(" and at.before(2) in ("resume", "answer", "abort"):
        return f"without a value to give, write `{at.before(2)}(())`", None
    if at.kind in ("}", ";") and at.before() == "return":
        return "without a value to give, write `return ()`", None
    return None


def _advise_division(at: Situation) -> Advice | None:
    if at.kind == "/" and "*" in at.expected:
        return "there is no division", None
    return None


def _advise_for(at: Situation) -> Advice | None:
    if at.before() == "in" and at.before(3) == "for":
        return "`for` runs over a list that is written out: `for x in [1, 2] { … }`", None
    return None


def _advise_repeat(at: Situation) -> Advice | None:
    if at.before() == "repeat":
        return "the number of rounds is written out: `repeat 3 with x = 0 { … }`", None
    return None


def _advise_tier(at: Situation) -> Advice | None:
    if at.kind in ("ctl", "fun") and "reversible" in at.expected:
        hint = "say before it what can be undone: `reversible`, `compensable` or `irreversible`"
        return hint, Mend("reversible", insert=True)
    return None


def _advise_clause(at: Situation) -> Advice | None:
    if at.kind == NAME and at.expected >= {"ctl", "fun"}:
        return "a clause begins with `ctl` or `fun`", Mend("ctl", insert=True)
    return None


def _advise_type(at: Situation) -> Advice | None:
    if at.expected != {":"}:
        return None
    if at.kind in (",", ")"):
        return "parameters of tasks and operations have types: `x: Text`", None
    if at.before() == ")":
        return "say the type of the result: `: Any` if it may be anything", None
    return None


def _advise_braced(at: Situation) -> Advice | None:
    if at.before() == "}" and at.kind in OPERATORS and not at.expected & OPERATORS - {"-"}:
        return "what ends in a brace is no part of an expression: bind its value first, by `let`", None
    return None


def _advise_not(at: Situation) -> Advice | None:
    if at.kind == "not" and "(" in at.expected:
        return "put it in parentheses: `(not …)`", None
    return None


def _advise_word_before(at: Situation) -> Advice | None:
    """Advise on a misspelt word at the beginning of a statement, which was taken for a name."""
    if not at.block or at.before() != NAME or at.before(2) not in (";", "{", "}"):
        return None
    near = did_you_mean(at.tokens.text(at.index - 1), sorted(_STATEMENTS))
    return None if near is None else (f"did you mean `{near}` before it?", None)


def _advise_perform(at: Situation) -> Advice | None:
    if at.before(2) == "perform" and "." in at.expected:
        return "an operation is named with its effect: `perform fs.write(…)`", None
    return None


def _advise_task(at: Situation) -> Advice | None:
    if at.kind in _STATEMENTS and at.expected >= DECLARATIONS:
        return "statements stand in a task: `task main(): Any { … }`", None
    return None


_EXPLANATIONS: tuple[Callable[[Situation], Explanation | None], ...] = (
    _comparison_chain,
    _missing_semicolon,
    _bracket,
    _reserved,
    _computation_in_expression,
    _operation_as_call,
)

_ADVICE: tuple[Callable[[Situation], Advice | None], ...] = (
    _advise_then,
    _advise_equals,
    _advise_else,
    _advise_unit,
    _advise_division,
    _advise_for,
    _advise_repeat,
    _advise_tier,
    _advise_clause,
    _advise_type,
    _advise_braced,
    _advise_not,
    _advise_task,
    _advise_perform,
    _advise_words,
    _advise_word_before,
)
