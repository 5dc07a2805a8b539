"""A Pygments lexer for `.ecl`, so that documents show the language in colours.

It colours; it does not check. What is no token of the language is an `Error` token, the rest is lexed on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

DECLARATIONS = ("effect", "task", "def", "handler", "type", "ctl", "fun")
TIERS = ("reversible", "compensable", "irreversible")
CONTROL = (
    *("perform", "handle", "with", "resume", "answer", "abort", "return", "let"),
    *("if", "then", "else", "repeat", "while", "for", "in", "do"),
)
CONSTANTS = ("true", "false", "null")
WORD_OPERATORS = ("and", "or", "not")
BUILT_IN_TYPES = ("Unit", "Bool", "Int", "Text", "Any", "List")

_NAME = r"[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*"
_END = r"(?![A-Za-z0-9_\x80-\U0010ffff])"

_OPERATION = (Keyword, Whitespace, Name.Namespace, Whitespace, Punctuation, Whitespace, Name.Function)
_DECLARED = (Keyword.Declaration, Whitespace)
_groups: Callable[..., object] = bygroups


class EclogueLexer(RegexLexer):
    """Lexer for Eclogue's surface language."""

    name = "Eclogue"
    aliases: ClassVar[list[str]] = ["eclogue", "ecl"]
    filenames: ClassVar[list[str]] = ["*.ecl"]
    priority = 1.0  # Prolog's lexer takes files with this ending too

    tokens: ClassVar[dict[str, list[object]]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"#[^\r\n]*", Comment.Single),
            (rf"(perform|ctl|fun)(\s+)({_NAME})(\s*)(\.)(\s*)({_NAME})", _groups(*_OPERATION)),
            (rf"(task|def|handler)(\s+)({_NAME})", _groups(*_DECLARED, Name.Function)),
            (rf"(effect)(\s+)({_NAME})", _groups(*_DECLARED, Name.Namespace)),
            (rf"(type)(\s+)({_NAME})", _groups(*_DECLARED, Name.Class)),
            (words(DECLARATIONS, suffix=_END), Keyword.Declaration),
            (words(TIERS, suffix=_END), Keyword.Type),
            (words(CONTROL, suffix=_END), Keyword),
            (words(CONSTANTS, suffix=_END), Keyword.Constant),
            (words(WORD_OPERATORS, suffix=_END), Operator.Word),
            (words(BUILT_IN_TYPES, suffix=_END), Name.Builtin),
            (rf"({_NAME})(?=\s*\()", Name.Function),
            (_NAME, Name),
            (r"[0-9]+", Number.Integer),
            (r'"', String, "text"),
            (r"==|!=|<=|>=|\+\+|[-+*<>=]", Operator),
            (r"[{}()\[\].,;:?/]", Punctuation),
        ],
        "text": [
            (r'\\(?:[nrt"\\]|u\{[0-9A-Fa-f]{1,6}\})', String.Escape),
            (r'[^"\\\r\n]+', String),
            (r'"', String, "#pop"),
            (r"(?=[\r\n])", String, "#pop"),
        ],
    }
