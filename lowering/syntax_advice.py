"""Hints for tokens that cannot stand where they do, by what was probably meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from eclogue.lowering.diagnostics import did_you_mean
from eclogue.lowering.expectations import DECLARATIONS, OPERATORS
from eclogue.lowering.situation import STATEMENTS, Mend, Situation
from eclogue.lowering.tables import NAME

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
    near = did_you_mean(at.tokens.text(at.index - 1), sorted(STATEMENTS | {"else"}))
    return None if near is None else (f"did you mean `{near}` before it?", None)


def _advise_perform(at: Situation) -> Advice | None:
    if at.before(2) == "perform" and "." in at.expected:
        return "an operation is named with its effect: `perform fs.write(…)`", None
    return None


def _advise_task(at: Situation) -> Advice | None:
    if at.kind in STATEMENTS and at.expected >= DECLARATIONS:
        return "statements stand in a task: `task main(): Any { … }`", None
    return None


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


def advise(at: Situation) -> Advice | None:
    """Return a hint, and how to go on, where something is known to help."""
    for advice in _ADVICE:
        result = advice(at)
        if result is not None:
            return result
    return None
