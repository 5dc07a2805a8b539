"""What is no token of the language: what is wrong with it, and what was probably meant.

Each function looks at a place where no token begins and returns a `Misspelling`: problems to report, where
to go on, and the kind of token that may stand in for what was written there, if any.
"""

from __future__ import annotations

import re
import unicodedata

import attrs

from eclogue.lowering.tables import INTEGER, TEXT

REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that change the order in which text is shown, so that a source could look like another."""

MAX_DIGITS = 1_000_000
"""The most digits that a number in a source may have."""


@attrs.frozen
class Problem:
    """Something to report about the characters from `start` to `end` (offsets)."""

    code: str
    message: str
    start: int
    end: int
    hint: str | None = None


@attrs.frozen
class Misspelling:
    """Problems, the offset to go on from, and the kind of token to put in place."""

    problems: tuple[Problem, ...]
    end: int
    kind: str | None = None


def describe(char: str) -> str:
    """Return a character in words: itself if it can be seen, its code point, and its name."""
    name = unicodedata.name(char, "")
    code = f"U+{ord(char):04X} {name}".rstrip()
    if not char.isprintable() or char.isspace():
        return code
    return f"`{char}`" if char.isascii() else f"`{char}` ({code})"


# ------------------------------------------------------------------------------------------------
# Numbers

_NUMBER_LIKE = re.compile(
    r"[0-9][0-9A-Za-z_\x80-\U0010ffff]*(?:\.[0-9][0-9A-Za-z_]*)*(?:(?<=[eE])[+-][0-9]+)?"
)
_FLOAT = re.compile(r"[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?")
_OTHER_BASE = re.compile(r"0(?:[xX][0-9A-Fa-f]+|[oO][0-7]+|[bB][01]+)")
_LONG_HINT = 40


def number(text: str, start: int) -> Misspelling:
    """Return what is wrong with the digits at an offset, which are not an integer of the language."""
    match = _NUMBER_LIKE.match(text, start)
    assert match is not None
    word = _up_to_symbol(match[0])
    end = start + len(word)
    if re.fullmatch("0|[1-9][0-9]*", word):
        return Misspelling((), end, INTEGER)
    if re.fullmatch("[0-9]+", word):
        hint = f"write `{word.lstrip('0') or '0'}`" if len(word) < _LONG_HINT else None
        problem = Problem("EC0106", "a number has no leading zeros", start, end, hint)
    elif re.fullmatch(r"[0-9]+(?:_[0-9]+)*", word):
        hint = f"write `{word.replace('_', '').lstrip('0') or '0'}`" if len(word) < _LONG_HINT else None
        problem = Problem("EC0106", "a number is written without underscores", start, end, hint)
    elif _OTHER_BASE.fullmatch(word):
        hint = f"write `{int(word, 0)}`" if len(word) < _LONG_HINT else None
        problem = Problem("EC0106", "numbers are written in decimal", start, end, hint)
    elif _FLOAT.fullmatch(word):
        hint = 'write a decimal as text, such as `"0.5"`, or scale it to a whole number'
        problem = Problem("EC0105", "floats are not values of the language", start, end, hint)
    else:
        message = "not a number: a number consists of digits, and a name does not begin with one"
        problem = Problem("EC0106", message, start, end)
    return Misspelling((problem,), end, INTEGER)


def _up_to_symbol(word: str) -> str:
    """Return what stands before the first character beyond ASCII that cannot be in a name."""
    for position, char in enumerate(word):
        if not char.isascii() and not f"a{char}".isidentifier():
            return word[:position]
    return word


def too_many_digits(start: int, end: int) -> Problem:
    """Return the problem of a number that is longer than `MAX_DIGITS`."""
    message = f"a number of {end - start} digits; at most {MAX_DIGITS} are read"
    return Problem("EC0107", message, start, end)


# ------------------------------------------------------------------------------------------------
# Texts

_PLAIN = re.compile(r'[^"\\\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+')
_SCALAR_ESCAPE = re.compile(r"\\u\{([0-9A-Fa-f]+)\}")
_UNICODE_LIKE = re.compile(r"\\[uU](?:\{[^}\"\s]*\}?|[0-9A-Fa-f]{1,8})?")
_ANY_ESCAPE = re.compile(r"\\.")
_MAX_SCALAR = 0x10FFFF
_ESCAPES_HINT = 'the escapes are `\\n`, `\\t`, `\\r`, `\\"`, `\\\\` and `\\u{…}` with hexadecimal digits'


def text_literal(text: str, start: int) -> Misspelling:
    """Return what is wrong with the text literal that begins at an offset, and where it ends."""
    problems: list[Problem] = []
    position = start + 1
    while position < len(text):
        char = text[position]
        if char == '"':
            return Misspelling(tuple(problems), position + 1, TEXT)
        if char in "\r\n":
            break
        match = _PLAIN.match(text, position)
        if match is not None:
            position = match.end()
        elif char == "\\":
            problem, position = _escape(text, position)
            if problem is not None:
                problems.append(problem)
        else:
            problems.append(_raw_character(char, position))
            position += 1
    if not problems:
        hint = (
            "a text ends on the line where it begins: write `\\n` for a new line, and join parts with `++`"
        )
        problems.append(Problem("EC0102", 'this text has no closing `"`', start, position, hint))
    return Misspelling(tuple(problems), position, TEXT)


def bad_escapes(text: str, start: int, end: int) -> tuple[Problem, ...]:
    """Return the problems with the numeric escapes in the text literal between two offsets."""
    found = (_escape(text, match.start())[0] for match in _ANY_ESCAPE.finditer(text, start, end))
    return tuple(problem for problem in found if problem is not None)


def _escape(text: str, position: int) -> tuple[Problem | None, int]:
    """Return what is wrong with the escape at an offset, if anything, and where it ends."""
    following = text[position + 1 : position + 2]
    if following in ("n", "t", "r", '"', "\\"):
        return None, position + 2
    match = _SCALAR_ESCAPE.match(text, position)
    if match is not None:
        return _scalar(match[1], position, match.end()), match.end()
    like = _UNICODE_LIKE.match(text, position)
    if like is not None:
        message, end = "`\\u` takes hexadecimal digits in braces", like.end()
        digits = like[0][2:].strip("{}")
        hint = f"write `\\u{{{digits}}}`" if re.fullmatch("[0-9A-Fa-f]{1,6}", digits) else _ESCAPES_HINT
        return Problem("EC0103", message, position, end, hint), end
    if following in ("", "\r", "\n"):
        return Problem(
            "EC0103", "a `\\` at the end of a line escapes nothing", position, position + 1, _ESCAPES_HINT
        ), position + 1
    message = f"unknown escape `\\{following}`" if following.isprintable() else "unknown escape"
    return Problem("EC0103", message, position, position + 2, _ESCAPES_HINT), position + 2


def _scalar(digits: str, start: int, end: int) -> Problem | None:
    significant = digits.lstrip("0")
    if len(significant) > 6 or int(significant or "0", 16) > _MAX_SCALAR:
        return Problem("EC0104", "there is no character beyond U+10FFFF", start, end)
    if 0xD800 <= int(significant or "0", 16) <= 0xDFFF:
        hint = "write the character itself, or one escape with its code point"
        return Problem("EC0104", "a surrogate is half a character, and not text", start, end, hint)
    if len(digits) > 6:
        return Problem("EC0103", "`\\u{…}` takes at most six digits", start, end)
    return None


def _raw_character(char: str, position: int) -> Problem:
    if REORDERING.match(char):
        return reordering(char, position)
    if "\ud800" <= char <= "\udfff":
        return Problem("EC0104", "a surrogate is half a character, and not text", position, position + 1)
    hint = f"write it as `\\u{{{ord(char):x}}}`"
    return Problem(
        "EC0101", f"a raw control character {describe(char)} in a text", position, position + 1, hint
    )


def reordering(char: str, position: int) -> Problem:
    """Return the problem of a character that reorders what is shown."""
    message = f"the character {describe(char)} changes the order in which text is shown"
    hint = f"in a text write `\\u{{{ord(char):x}}}`; elsewhere leave it out"
    return Problem("EC0109", message, position, position + 1, hint)


# ------------------------------------------------------------------------------------------------
# Other characters

_OTHER_COMMENT = re.compile(r"//[^\r\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?")
_OTHER_TEXT = re.compile(r"'(?:[^'\\\r\n]|\\[^\r\n])*'|[\u201c\u201e][^\u201c\u201d\r\n]*[\u201c\u201d]")
_WORD_OPERATORS = {"&&": "and", "||": "or", "&": "and", "|": "or", "!": "not"}


def stray(text: str, start: int, marks: tuple[str, ...]) -> Misspelling:
    """Return what is wrong with characters that begin no token, one run of them at a time."""
    comment = _OTHER_COMMENT.match(text, start)
    if comment is not None:
        problem = Problem("EC0101", "comments begin with `#`", start, start + 2)
        return Misspelling((problem,), comment.end())
    other = _OTHER_TEXT.match(text, start)
    if other is not None:
        problem = Problem(
            "EC0101", "a text stands between straight double quotes", start, other.end(), 'write `"…"`'
        )
        return Misspelling((problem,), other.end(), TEXT)
    for symbol, word in _WORD_OPERATORS.items():
        if text.startswith(symbol, start):
            end = start + len(symbol)
            problem = Problem("EC0101", f"`{symbol}` is not an operator", start, end, f"write `{word}`")
            return Misspelling((problem,), end, word)
    return _stray_character(text, start, marks)


def _stray_character(text: str, start: int, marks: tuple[str, ...]) -> Misspelling:
    char = text[start]
    if REORDERING.match(char):
        return Misspelling((reordering(char, start),), start + 1)
    end = start + 1
    while text.startswith(char, end):
        end += 1
    meant = unicodedata.normalize("NFKC", char)
    kind = None
    hint = None
    if char.isspace() or unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Zs"):
        hint = "only spaces, tabs and line ends may stand between words"
    elif meant in marks:
        kind, hint = meant, f"did you mean `{meant}`?"
    elif not char.isascii():
        hint = "outside texts and comments, characters beyond ASCII may only be parts of names"
    problem = Problem("EC0101", f"unexpected character {describe(char)}", start, end, hint)
    return Misspelling((problem,), end, kind)
