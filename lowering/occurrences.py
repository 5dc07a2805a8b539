"""Which name stands for what: every definition of a source with the places where it is used.

It is for editors: where a name is defined, where it is used, and what renaming it would change. It looks at
scopes only, and takes a file as it is: a name that is defined nowhere has no occurrence, and nothing is
reported. `resolve` says what is wrong with a file.
"""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TypeAlias, Union

import attrs

from eclogue.core.syntax import Span
from eclogue.lowering import ast
from eclogue.lowering.scopes import Scope


class Kind(enum.Enum):
    """What a definition is a definition of."""

    EFFECT = "effect"
    OPERATION = "operation"
    TYPE = "type"
    TASK = "task"
    DEF = "def"
    HANDLER = "handler"
    VARIABLE = "variable"


Node: TypeAlias = Union[
    ast.Declaration,
    ast.OperationDeclaration,
    ast.Parameter,
    ast.LetStatement,
    ast.RepeatComputation,
    ast.ForComputation,
    ast.ClauseDeclaration,
    ast.ReturnClause,
]
"""What introduces a name."""


@attrs.frozen(eq=False)
class Definition:
    """A name where it is introduced, and the node that introduces it.

    `qualifier` is the effect of an operation, else None.
    """

    kind: Kind
    name: ast.Name
    node: Node
    qualifier: str | None = None

    @property
    def title(self) -> str:
        """The name as it is written in use."""
        return self.name.text if self.qualifier is None else f"{self.qualifier}.{self.name.text}"


@attrs.frozen
class Occurrence:
    """A name at a place, and what it stands for; `shorthand` marks `{k}`, which is a key and a variable."""

    span: Span
    definition: Definition
    shorthand: bool = False


@attrs.frozen(eq=False)
class Occurrences:
    """All occurrences in a file, definitions included, in the order of the text."""

    items: tuple[Occurrence, ...]

    @cached_property
    def _starts(self) -> list[tuple[int, int]]:
        return [(item.span.line, item.span.column) for item in self.items]

    def at(self, line: int, column: int) -> Occurrence | None:
        """Return the occurrence at a place, or right before it; lines and columns count from 1."""
        index = bisect_right(self._starts, (line, column)) - 1
        if index < 0:
            return None
        found = self.items[index]
        return found if (line, column) <= (found.span.end_line, found.span.end_column) else None

    def of(self, definition: Definition) -> tuple[Occurrence, ...]:
        """Return the occurrences of a definition, its own place among them."""
        return tuple(item for item in self.items if item.definition is definition)

    def definitions(self) -> Iterator[Definition]:
        """Yield the definitions, in the order of the text."""
        return (item.definition for item in self.items if item.span is item.definition.name.span)


def occurrences(file: ast.SourceFile) -> Occurrences:
    """Return what the names in a file stand for. Linear in the file, whatever its depth."""
    return _Walk(file).run()


@attrs.frozen(eq=False)
class _Bind:
    """Bind a name, when its turn comes."""

    name: ast.Name
    node: Node


@attrs.frozen(eq=False)
class _Leave:
    """Take back the names bound since a mark, which is noted when `_Enter` comes."""


@attrs.frozen(eq=False)
class _Enter:
    """Note the height of the scope."""


_Item: TypeAlias = object


class _Walk:
    """One pass over a file: a list of what is still to be visited, the next one last."""

    def __init__(self, file: ast.SourceFile) -> None:
        self.file = file
        self.found: list[Occurrence] = []
        self.globals: dict[tuple[Kind, str], Definition] = {}
        self.variables: Scope[Definition] = Scope()
        self.marks: list[int] = []

    def run(self) -> Occurrences:
        for declaration in self.file.declarations:
            self._declare(declaration)
        pending: list[_Item] = list(reversed(self.file.declarations))
        while pending:
            pending.extend(reversed(list(self._visit(pending.pop()))))
        self.found.sort(key=lambda item: (item.span.line, item.span.column))
        return Occurrences(tuple(self.found))

    # -- definitions

    def _declare(self, declaration: ast.Declaration) -> None:
        kind = _KINDS[type(declaration)]
        self._global(Definition(kind, declaration.name, declaration))
        if isinstance(declaration, ast.EffectDeclaration):
            for operation in declaration.operations:
                effect = declaration.name.text
                self._global(Definition(Kind.OPERATION, operation.name, operation, effect))

    def _global(self, definition: Definition) -> None:
        self.globals.setdefault((definition.kind, definition.title), definition)
        self.found.append(Occurrence(definition.name.span, definition))

    def _bind(self, name: ast.Name, node: Node) -> None:
        if name.text == "_":
            return
        definition = Definition(Kind.VARIABLE, name, node)
        self.variables.bind(name.text, definition)
        self.found.append(Occurrence(name.span, definition))

    # -- uses

    def _use(self, name: ast.Name, *kinds: Kind, shorthand: bool = False) -> None:
        for kind in kinds:
            definition = self.globals.get((kind, name.text))
            if kind is Kind.VARIABLE:
                definition = self.variables.find(name.text)
            if definition is not None:
                self.found.append(Occurrence(name.span, definition, shorthand))
                return

    def _use_operation(self, name: ast.QualifiedName) -> None:
        self._use(name.effect, Kind.EFFECT)
        definition = self.globals.get((Kind.OPERATION, str(name)))
        if definition is not None:
            self.found.append(Occurrence(name.operation.span, definition))

    # -- one node: note what it uses, and return what is to be visited next, in order

    def _visit(self, item: _Item) -> Iterable[_Item]:
        match item:
            case _Bind(name, node):
                self._bind(name, node)
            case _Enter():
                self.marks.append(self.variables.mark())
            case _Leave():
                self.variables.take_back(self.marks.pop())
            case ast.NamedType(name):
                self._use(name, Kind.TYPE)
            case ast.VariableExpression(name):
                self._use(name, Kind.VARIABLE)
            case ast.FieldExpression(key, ast.VariableExpression(name), True):
                del key
                self._use(name, Kind.VARIABLE, shorthand=True)
            case ast.Row(entries):
                for entry in entries:
                    self._row_entry(entry)
            case ast.PerformComputation(operation, arguments):
                self._use_operation(operation)
                return arguments
            case ast.CallComputation(callee, arguments):
                self._use(callee, Kind.DEF, Kind.TASK)
                return arguments
            case ast.HandlerReference(name, arguments):
                self._use(name, Kind.HANDLER)
                return arguments
            case _:
                return self._parts(item)
        return ()

    def _row_entry(self, entry: ast.Name | ast.QualifiedName) -> None:
        if isinstance(entry, ast.Name):
            self._use(entry, Kind.EFFECT)
        else:
            self._use_operation(entry)

    def _parts(self, item: _Item) -> Iterable[_Item]:
        match item:
            case ast.Block(statements):
                return (_Enter(), *statements, _Leave())
            case ast.LetStatement(name, kind, computation):
                return (kind, computation, _Bind(name, item))
            case ast.RepeatComputation(variable=variable, initial=initial, condition=condition, body=body):
                return (initial, _Enter(), _Bind(variable, item), condition, body, _Leave())
            case ast.ForComputation(variable, items, body):
                return (items, _Enter(), _Bind(variable, item), body, _Leave())
            case ast.ClauseDeclaration(operation=operation, parameters=parameters, body=body):
                self._use_operation(operation)
                return (_Enter(), *(_Bind(name, item) for name in parameters), body, _Leave())
            case ast.ReturnClause(parameter, body):
                return (_Enter(), _Bind(parameter, item), body, _Leave())
            case ast.OperationDeclaration(parameters=parameters, result=result):
                return (_Enter(), *parameters, result, _Leave())
            case ast.Parameter(name, kind):
                return (kind, _Bind(name, item))
            case ast.TaskDeclaration() | ast.DefDeclaration():
                return (_Enter(), *item.parameters, item.result, item.row, item.body, _Leave())
            case ast.HandlerDeclaration(parameters=parameters, block=block):
                return (_Enter(), *parameters, block, _Leave())
        return _children(item)


_KINDS: dict[type, Kind] = {
    ast.EffectDeclaration: Kind.EFFECT,
    ast.TypeDeclaration: Kind.TYPE,
    ast.TaskDeclaration: Kind.TASK,
    ast.DefDeclaration: Kind.DEF,
    ast.HandlerDeclaration: Kind.HANDLER,
}


def _children(item: _Item) -> Iterator[_Item]:
    """Yield the nodes right inside a node that neither binds nor uses a name."""
    kind = type(item)
    if not attrs.has(kind) or isinstance(item, (ast.Name, ast.QualifiedName, Span)):
        return
    for field in attrs.fields(kind):
        value = getattr(item, field.name)
        if isinstance(value, tuple):
            yield from value
        elif attrs.has(type(value)):
            yield value
