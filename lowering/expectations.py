"""What the parser expects at a place, and how to say it in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eclogue.lowering.lexer import Tokens
from eclogue.lowering.tables import END, INTEGER, NAME, TEXT, Tables

COMPARATORS = frozenset({"==", "!=", "<", "<=", ">", ">="})
OPERATORS = frozenset({"*", "+", "-", "++", "and", "or", "."}) | COMPARATORS
ENDINGS = frozenset({"let", "return", "answer", "abort"})
COMPUTATIONS = frozenset({"perform", "handle", "if", "repeat", "for", "do", "resume"})
DECLARATIONS = frozenset({"effect", "type", "task", "def", "handler"})
TIERS = frozenset({"reversible", "compensable", "irreversible"})
_OPERAND = frozenset({"-", "(", "[", "{", NAME, INTEGER, TEXT, "null", "true", "false"})
_TYPE = frozenset({NAME, "List", "{", "(", "-", INTEGER, TEXT, "null", "true", "false"})

_PHRASES: tuple[tuple[frozenset[str], str], ...] = (
    (_OPERAND | {"not"} | COMPUTATIONS | ENDINGS, "a statement"),
    (_OPERAND | {"not"} | COMPUTATIONS, "a computation"),
    (_OPERAND, "an expression"),
    (_TYPE, "a type"),
    (DECLARATIONS, "a declaration"),
    (TIERS, "an operation"),
    (frozenset({"ctl", "fun", "return"}), "a clause"),
    (frozenset({"ctl", "fun"}), "`ctl` or `fun`"),
)
_CLASSES = {NAME: "a name", INTEGER: "a number", TEXT: "a text", END: "the end of the file"}
_FEW_OPERATORS = 3
_LONGEST_NAME = 40


def accepts(grammar: Tables, states: Sequence[int], kind: str) -> bool:
    """Return whether a token of this kind could come next."""
    base = len(states)
    pushed: list[int] = []
    while True:
        state = pushed[-1] if pushed else states[base - 1]
        action = grammar.actions[state].get(kind)
        if action is None:
            return False
        if isinstance(action, int):
            return True
        dropped = min(action.size, len(pushed))
        del pushed[len(pushed) - dropped :]
        base -= action.size - dropped
        state = pushed[-1] if pushed else states[base - 1]
        pushed.append(grammar.gotos[state][action.rule])
        if kind == END and pushed[-1] == grammar.final:
            return True


def expected(grammar: Tables, states: Sequence[int]) -> frozenset[str]:
    """Return the kinds of tokens that could come next."""
    candidates = grammar.actions[states[-1]]
    return frozenset(kind for kind in candidates if accepts(grammar, states, kind))


def in_words(kinds: Iterable[str]) -> str:
    """Return kinds of tokens in words, the more general ones first, as in "an expression or `)`"."""
    rest = set(kinds)
    phrases: list[str] = []
    if len(rest) > len(_OPERAND) and rest >= DECLARATIONS | TIERS | COMPUTATIONS:
        # Only a record key may be any reserved word.
        phrases.append("a key")
        rest = {kind for kind in rest if not kind.isidentifier() and kind != TEXT}
    for members, phrase in _PHRASES:
        if members <= rest:
            phrases.append(phrase)
            rest -= members | {"not"}
    if len(OPERATORS & rest) >= _FEW_OPERATORS:
        phrases.append("an operator")
        rest -= OPERATORS
    phrases += [_CLASSES[kind] for kind in _CLASSES if kind in rest]
    phrases += [f"`{kind}`" for kind in sorted(rest - _CLASSES.keys())]
    return alternatives(phrases)


def alternatives(phrases: Sequence[str]) -> str:
    """Return phrases joined by commas and `or`."""
    if len(phrases) < 2:
        return "".join(phrases)
    return f"{', '.join(phrases[:-1])} or {phrases[-1]}"


def found(tokens: Tokens, index: int, grammar: Tables) -> str:
    """Return a token in words."""
    kind = tokens.kinds[index]
    text = tokens.text(index)
    shown = text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"
    if kind == END:
        return "the end of the file"
    if kind == TEXT:
        return f"the text {shown}"
    if kind == INTEGER:
        return f"the number `{shown}`"
    if kind == NAME:
        return f"the name `{shown}`"
    if kind in grammar.keywords:
        return f"the reserved word `{kind}`"
    return f"`{kind}`"
