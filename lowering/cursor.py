"""Walking along the statements of a path, out of one block into what follows it."""

from __future__ import annotations

import attrs

from eclogue.core.syntax import Body, BodyLet, Computation, Let, Span
from eclogue.lowering import ast
from eclogue.lowering.scopes import Scope


@attrs.frozen(eq=False)
class Rest:
    """What is to do when a block has ended: the statements behind `statement`, which gets its value."""

    block: ast.Block
    position: int
    """Of the first statement behind."""
    statement: ast.LetStatement | ast.RunStatement
    mark: int
    """The height of the scope in front of `statement`."""
    outer: Rest | None
    """What follows at the end of `block`."""


@attrs.frozen(eq=False)
class Piece:
    """A computation whose value is bound, or discarded, in what follows."""

    bound: Computation
    span: Span
    name: str | None


class Cursor:
    """A place on a path: a block, a position in it, what follows the block, and the number of variables.

    A nested block may end and the path go on outside of it, where its variables are hidden: the cursor
    takes them out of the scope then. `close` puts back what belongs to the paths beside this one.
    """

    def __init__(
        self, names: Scope[int], depth: int, block: ast.Block, position: int = 0, rest: Rest | None = None
    ) -> None:
        self.depth = depth
        self.pieces: list[Piece] = []
        self.block = block
        self.position = position
        self.rest = rest
        self._names = names
        self._floor = names.mark()
        self._hidden: list[list[tuple[str, int]]] = []

    def at_end(self) -> bool:
        """Return whether the block has no more statements."""
        return self.position == len(self.block.statements)

    def target(self) -> Rest | None:
        """Return where the value of the present statement goes; None if it is the value of the path."""
        statement = self.block.statements[self.position]
        last = self.position == len(self.block.statements) - 1
        if isinstance(statement, ast.ReturnStatement) or (last and self.block.tail):
            return self.rest
        assert isinstance(statement, (ast.LetStatement, ast.RunStatement))
        return Rest(self.block, self.position + 1, statement, self._names.mark(), self.rest)

    def enter(self, block: ast.Block, rest: Rest | None) -> None:
        """Go on at the start of a block, and with `rest` at its end."""
        self.block = block
        self.position = 0
        self.rest = rest

    def go_on(self, rest: Rest) -> None:
        """Go on with what follows a block, in its scope."""
        self._names.take_back(max(rest.mark, self._floor))
        if rest.mark < self._floor:
            self._hidden.append(self._names.take_back(rest.mark))
            self._floor = rest.mark
        self.block = rest.block
        self.position = rest.position
        self.rest = rest.outer

    def add(self, bound: Computation, span: Span, name: ast.Name | None) -> None:
        """Add a piece to the path, and the variable that it binds to the scope."""
        self.pieces.append(Piece(bound, span, self.pass_binder(name)))

    def add_hidden(self, bound: Computation, span: Span, name: ast.Name | None) -> None:
        """Add a piece to the path without bringing its variable into scope."""
        self.pieces.append(Piece(bound, span, None if name is None or name.text == "_" else name.text))
        self.depth += 1

    def pass_binder(self, name: ast.Name | None) -> str | None:
        """Bring the variable of a binder into scope; returns how it is called, if it is called anything."""
        named = None if name is None or name.text == "_" else name.text
        if named is not None:
            self._names.bind(named, self.depth)
        self.depth += 1
        return named

    def close(self) -> None:
        """Leave the scope as it was when the cursor was made."""
        self._names.take_back(self._floor)
        for entries in reversed(self._hidden):
            for name, level in entries:
                self._names.bind(name, level)


def let_chain(pieces: list[Piece], end: Computation) -> Computation:
    """Return the computation that binds each piece in turn and then is `end`."""
    for piece in reversed(pieces):
        end = Let(piece.bound, end, span=piece.span, name=piece.name)
    return end


def body_chain(pieces: list[Piece], end: Body) -> Body:
    """Return the clause body that binds each piece in turn and then is `end`."""
    for piece in reversed(pieces):
        end = BodyLet(piece.bound, end, span=piece.span, name=piece.name)
    return end


def bound_name(statement: ast.LetStatement | ast.RunStatement) -> ast.Name | None:
    """Return the name that a statement gives to its value."""
    return statement.name if isinstance(statement, ast.LetStatement) else None
