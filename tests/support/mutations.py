"""Random damage to source texts: what people leave behind in the middle of an edit, and worse."""

from __future__ import annotations

import re
from random import Random

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\w+|\s+|.', re.DOTALL)

_INSERTED = (
    *"{}()[];:,.=+-*/?<>!\"\\#@'`~$%^&| \n\r\t\x00\x0c\u202e\u2028\ufeff\ud800é🙂0_",
    *(" let ", " return ", " resume(x) ", " abort(1) ", " answer(()) ", " if ", " then ", " else ", " do "),
    *(
        " perform ",
        " handle ",
        " with ",
        " for ",
        " in ",
        " repeat ",
        " while ",
        " not ",
        " and ",
        " task ",
    ),
    *('"', '"\\', "\\u{d800}", "\\u{110000}", "0x1F", "007", "1.5", "1e9", "9" * 40, "x" * 300),
    *(" task ", "((((", "}}}}", "# ", "== ==", "+ + +", "->", "//", "&&"),
    *("task t(): Int { 1 }", "effect e { reversible ctl o(): Int }"),
)
"""What is put in: signs, words, halves of tokens, whole declarations."""


def mutated(rng: Random, text: str) -> str:
    """Return a text after a few random edits."""
    pieces = _TOKEN.findall(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        pieces = _edited(rng, pieces)
    return "".join(pieces)


def _edited(rng: Random, pieces: list[str]) -> list[str]:
    if not pieces:
        return [rng.choice(_INSERTED)]
    start = rng.randrange(len(pieces))
    end = min(len(pieces), start + rng.choice((1, 1, 2, 5, 20)))
    part = pieces[start:end]
    match rng.randrange(12):
        case 0:
            return pieces[:start] + pieces[end:]
        case 1:
            return pieces[:end] + part + pieces[end:]
        case 2:
            return [*pieces[:start], rng.choice(_INSERTED), *pieces[start:]]
        case 3:
            return [*pieces[:start], rng.choice(_INSERTED), *pieces[end:]]
        case 4:
            other = rng.randrange(len(pieces))
            pieces[start], pieces[other] = pieces[other], pieces[start]
            return pieces
        case 5:
            return pieces[:start]
        case 6 | 7 | 8 | 9 | 10:  # one word for another: often still syntax, seldom still sense
            words = [position for position, piece in enumerate(pieces) if piece[:1].isalnum()]
            if words:
                pieces[rng.choice(words)] = pieces[rng.choice(words)]
            return pieces
        case _:
            target = rng.randrange(len(pieces))
            return pieces[:target] + part + pieces[target:]
