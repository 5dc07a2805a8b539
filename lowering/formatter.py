"""`eclogue fmt`: the one layout of a source.

Formatting changes white space only: the tokens and the comments stay as they are and where they are. Lines
have at most 100 characters where that can be done. What is in brackets stays on several lines if it was so,
that is, if there is a line end behind the opening bracket; else it is broken only if it would not fit.
Single empty lines between declarations, operations, clauses and statements are kept. The layout of a layout
is the same.
"""

# The methods of the builder are named, and described, by the rules of the grammar.
# ruff: noqa: ARG002, D102

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any, TypeAlias

from eclogue.lowering.ast import Comment
from eclogue.lowering.builder import Children
from eclogue.lowering.diagnostics import Diagnostics, SourceText
from eclogue.lowering.layout import (
    CommentLine,
    Comments,
    Concatenation,
    Group,
    Line,
    Nest,
    Part,
    Token,
    lay_out,
)
from eclogue.lowering.lexer import Tokens, tokenize
from eclogue.lowering.parser import Parser, collector_paused, parse
from eclogue.lowering.tables import tables

WIDTH = 100

Item: TypeAlias = "int | Part | None"
"""A child of a rule: a token's number, what was made of another rule, or nothing."""


def format_source(source: SourceText) -> str:
    """Return a source in the one layout; raises `SourceErrors` if it has syntax errors.

    Lines end in LF. The result of an empty source is empty.
    """
    parse(source)
    return format_parsed(source)


def format_parsed(source: SourceText) -> str:
    """Return a source that `parse` accepts in the one layout."""
    grammar = tables("file")
    diagnostics = Diagnostics(source)
    with collector_paused():
        tokens = tokenize(source, grammar, diagnostics)
        document: Any = Parser(grammar, tokens, LayoutBuilder(tokens), diagnostics).run()
        return lay_out(document, WIDTH)


class Margins:
    """Tokens with the comments around them."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.leading: dict[int, list[Comment]] = {}
        self.trailing: dict[int, str] = {}
        for comment in tokens.comments:
            start = tokens.source.offset(comment.span.line, comment.span.column)
            following = bisect_left(tokens.starts, start)
            if comment.alone:
                self.leading.setdefault(following, []).append(comment)
            else:
                self.trailing[following - 1] = comment.text.rstrip()

    def token(self, index: int) -> Token:
        """Return a token with its comments."""
        lines = self.comment_lines(index)
        line = self.tokens.lines[index]
        above = self.leading[index][-1].span.line if lines else self._line_before(index)
        return Token(
            self.tokens.text(index),
            lines,
            self.trailing.get(index),
            blank=line - above > 1,
            blank_above=lines[0].blank if lines else line - above > 1,
        )

    def bare_token(self, index: int) -> Token:
        """Return a token without the comments before it."""
        return Token(self.tokens.text(index), trailing=self.trailing.get(index))

    def comment_lines(self, index: int) -> tuple[CommentLine, ...]:
        """Return the comments that stand before a token on lines of their own."""
        above = self._line_before(index)
        lines: list[CommentLine] = []
        for comment in self.leading.get(index, ()):
            lines.append(CommentLine(comment.text.rstrip(), comment.span.line - above > 1))
            above = comment.span.line
        return tuple(lines)

    def starts_line(self, index: int) -> bool:
        """Return whether a token is the first on its line."""
        return self.tokens.lines[index] != self._line_before(index)

    def _line_before(self, index: int) -> int:
        return self.tokens.lines[index - 1] if index else 1


class LayoutBuilder:
    """Makes a document from the rules of the grammar; see `builder` for how the parser calls it."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._margins = Margins(tokens)

    def _part(self, item: Item) -> Part:
        """Return a token as a part, with its comments, and a part as it is."""
        if isinstance(item, int):
            return self._margins.token(item)
        assert item is not None
        return item

    def _joined(self, items: Iterable[Item], separator: str = "") -> Part:
        """Return the items that there are, with the separator between them."""
        parts: list[Part] = []
        for item in items:
            if item is not None:
                if parts and separator:
                    parts.append(separator)
                parts.append(self._part(item))
        return Concatenation(parts)

    # Brackets

    def _braces(self, children: Children) -> Group:
        """Return statements, clauses or operations in braces."""
        return self._bracketed(children, padding=" ")

    def _bracketed(self, children: Children, *, padding: str = "") -> Group:
        """Return items in brackets, with the tokens that separate them."""
        opening, *items, closing = children
        inside: list[Part] = []
        for item in items:
            if item is None:
                continue
            part = self._part(item)
            if not isinstance(item, int) or self._tokens.kinds[item] not in (",", ";"):
                blank = bool(padding and inside) and not isinstance(part, str) and part.blank_above
                inside.append(Line(" " if inside else padding, blank=blank))
            inside.append(part)
        comments = self._margins.comment_lines(closing)
        if comments:
            inside += [Line(blank=bool(inside) and comments[0].blank), Comments(comments)]
        broken = bool(inside) and self._margins.starts_line(opening + 1)
        end = Line(padding if inside else "")
        parts = [self._part(opening), Nest(inside), end, self._margins.bare_token(closing)]
        return Group(parts, broken=broken, bracketed=True)

    def _in_parentheses(self, children: Children) -> Part:
        """Return items in parentheses; around a single list or record they are not broken."""
        items = [child for child in children[1:-1] if child is not None]
        if len(items) == 1 and isinstance(items[0], Group) and items[0].bracketed:
            opening, inner, closing = (self._part(child) for child in (children[0], *items, children[-1]))
            comments = (inner.before, inner.after, opening.after, closing.before)  # type: ignore[union-attr]
            if not any(comments):
                return Concatenation((opening, inner, closing))
        return self._bracketed(children)

    # Declarations

    def file(self, children: Children, first: int, last: int) -> Part:
        parts: list[Part] = []
        for child in children:
            if parts:
                parts.append(Line(broken=True, blank=child.blank_above))
            parts.append(child)
        end = len(self._tokens.kinds) - 1
        comments = self._margins.comment_lines(end)
        if comments:
            if parts:
                parts.append(Line(broken=True, blank=comments[0].blank))
            parts.append(Comments(comments))
        return Concatenation(parts)

    def effect(self, children: Children, first: int, last: int) -> Part:
        word, name, *braces = children
        return self._joined((word, name, self._braces(braces)), " ")

    def operation(self, children: Children, first: int, last: int) -> Part:
        tier, kind, name, parameters, colon, result, semicolon = children
        head = self._joined((name, parameters, colon))
        return self._joined((self._joined((tier, kind, head, result), " "), semicolon))

    def type_declaration(self, children: Children, first: int, last: int) -> Part:
        *definition, semicolon = children
        return self._joined((self._joined(definition, " "), semicolon))

    def task(self, children: Children, first: int, last: int) -> Part:
        word, name, parameters, colon, result, row, block = children
        head = self._joined((name, parameters, colon))
        return self._joined((word, head, result, row, block), " ")

    def_ = task

    def handler(self, children: Children, first: int, last: int) -> Part:
        word, name, parameters, clauses = children
        return self._joined((word, self._joined((name, parameters)), clauses), " ")

    def parameters(self, children: Children, first: int, last: int) -> Part:
        return self._bracketed(children)

    typed_parameters = clause_parameters = list_expression = record_expression = record_type = parameters

    def parameter(self, children: Children, first: int, last: int) -> Part:
        name, colon, annotation = children
        return self._joined((self._joined((name, colon)), annotation), " ")

    typed_parameter = parameter

    def row(self, children: Children, first: int, last: int) -> Part:
        slash, *braces = children
        return self._joined((slash, self._bracketed(braces)), " ")

    # What stands close together, and what stands apart

    def qualified(self, children: Children, first: int, last: int) -> Part:
        return self._joined(children)

    named_type = list_type = literal_type = negative_type = qualified
    call = handler_reference = qualified
    project = parenthesis = variable = literal = unit_literal = shorthand = qualified

    def return_(self, children: Children, first: int, last: int) -> Part:
        return self._joined(children, " ")

    repeat = for_ = do = return_

    def run(self, children: Children, first: int, last: int) -> Part:
        return self._part(children[0])

    pure = run

    # Blocks and computations

    def block(self, children: Children, first: int, last: int) -> Part:
        return self._braces(children)

    clauses = block

    def let(self, children: Children, first: int, last: int) -> Part:
        word, name, colon, annotation, equals, computation = children
        return self._joined((word, self._joined((name, colon)), annotation, equals, computation), " ")

    def answer(self, children: Children, first: int, last: int) -> Part:
        return self._joined((children[0], self._in_parentheses(children[1:])))

    abort = resume = answer

    def arguments(self, children: Children, first: int, last: int) -> Part:
        return self._in_parentheses(children)

    def perform(self, children: Children, first: int, last: int) -> Part:
        word, operation, arguments = children
        return self._joined((word, self._joined((operation, arguments))), " ")

    def branch(self, children: Children, first: int, last: int) -> Part:
        *head, block = children
        return self._joined((*head, _opened(block)), " ")

    def if_(self, children: Children, first: int, last: int) -> Part:
        *branches, otherwise = children
        return Group([self._joined((*branches, _opened(otherwise)), " ")])

    def handle(self, children: Children, first: int, last: int) -> Part:
        word, block, middle, clauses = children
        return Group([self._joined((word, _opened(block), middle, _opened(clauses)), " ")])

    def handle_typed(self, children: Children, first: int, last: int) -> Part:
        *handled, colon, completion = children
        return self._joined((self._joined((self.handle(handled, first, last), colon)), completion), " ")

    def handle_named(self, children: Children, first: int, last: int) -> Part:
        *handled, handler, colon, completion = children
        return self._joined((*handled, self._joined((handler, colon)), completion), " ")

    def clause(self, children: Children, first: int, last: int) -> Part:
        kind, operation, parameters, body = children
        return self._joined((kind, self._joined((operation, parameters)), body), " ")

    def return_clause(self, children: Children, first: int, last: int) -> Part:
        *head, body = children
        return self._joined((self._joined(head), body), " ")

    # Fields and operators

    def field_type(self, children: Children, first: int, last: int) -> Part:
        key, optional, colon, annotation = children
        return self._joined((self._joined((key, optional, colon)), annotation), " ")

    def field(self, children: Children, first: int, last: int) -> Part:
        key, colon, value = children
        return self._joined((self._joined((key, colon)), value), " ")

    def prefix(self, children: Children, first: int, last: int) -> Part:
        return self._part(first)

    def unary(self, children: Children, first: int, last: int) -> Part:
        sign, operand = children
        return self._joined((sign, operand), " " if sign.text == "not" else "")

    def binary(self, children: Children, first: int, last: int) -> Part:
        left, operator, right = children
        level = _LEVELS[self._tokens.kinds[operator]]
        chain = left if isinstance(left, Chain) and left.level == level else Chain(self._part(left), level)
        chain.extend(self._part(operator), self._part(right))
        return chain


_LEVELS = {
    operator: level
    for level, operators in enumerate(
        (("or",), ("and",), ("==", "!=", "<", "<=", ">", ">="), ("++",), ("+", "-"), ("*",))
    )
    for operator in operators
}


def _opened(block: Group | None) -> Part | None:
    """Return a block as part of the group around it, so that it is broken together with other blocks."""
    if block is None or not any(isinstance(part, Nest) and part.parts for part in block.parts):
        return block
    return Concatenation(block.parts, broken=block.broken)


class Chain(Group):
    """Operands joined by operators of one level; broken before each of the operators."""

    __slots__ = ("level",)

    def __init__(self, first: Part, level: int) -> None:
        super().__init__((first,))
        self.level = level

    def extend(self, operator: Part, operand: Part) -> None:
        """Add an operator and its right operand at the end."""
        self.add((Nest((Line(), operator, " ", operand)),))
