"""The declarations of a file, by name, with the schemas that their types stand for.

`read_declarations` reports what is declared twice, types that are unknown or contain themselves, and rows
that name nothing; what is inside tasks, `def`s and handlers is looked at in `resolve`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TypeAlias, TypeVar, Union

import attrs

from eclogue.core.schema import (
    Atom,
    FieldSchema,
    ListSchema,
    LiteralSchema,
    RecordSchema,
    Schema,
    record_schema,
)
from eclogue.core.trampoline import Step, run
from eclogue.lowering import ast
from eclogue.lowering.reporter import Reporter

BUILT_IN_TYPES: dict[str, Schema] = {
    "Any": Atom.ANY,
    "Unit": Atom.NULL,
    "Bool": Atom.BOOL,
    "Int": Atom.INT,
    "Text": Atom.TEXT,
}

_FOREIGN_TYPES = {
    "String": "Text",
    "string": "Text",
    "Str": "Text",
    "str": "Text",
    "Integer": "Int",
    "integer": "Int",
    "Boolean": "Bool",
    "boolean": "Bool",
    "Null": "Unit",
    "None": "Unit",
    "Void": "Unit",
    "void": "Unit",
    "Object": "Any",
}
_FLOATS = frozenset({"Float", "float", "Double", "Number", "number", "Decimal"})

Callable: TypeAlias = Union[ast.TaskDeclaration, ast.DefDeclaration]
Inlined: TypeAlias = Union[ast.TaskDeclaration, ast.DefDeclaration, ast.HandlerDeclaration]


class TypeTable:
    """The schemas of the types in a file. A type that is wrong stands for `Any`, and is reported once."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._declared: dict[str, ast.TypeDeclaration] = {}
        self._named: dict[str, Schema] = {}
        self._open: dict[str, ast.Name] = {}
        self._schemas: dict[int, tuple[ast.Type, Schema]] = {}
        self._sizes: dict[int, tuple[Schema, int]] = {}

    def declare(self, declarations: Mapping[str, ast.TypeDeclaration]) -> None:
        """Take in the `type` declarations and look at all of them."""
        self._declared.update(declarations)
        for declaration in declarations.values():
            run(self._named_schema(declaration.name))

    def schema(self, node: ast.Type | None) -> Schema:
        """Return the schema of a type; one that is left out stands for `Any`."""
        if node is None:
            return Atom.ANY
        known = self._schemas.get(id(node))
        if known is None:
            # The table keeps the node, so that its id is not used again.
            known = (node, run(self._schema(node)))
            self._schemas[id(node)] = known
        return known[1]

    def _schema(self, node: ast.Type) -> Step:
        if isinstance(node, ast.NamedType):
            return (yield self._named_schema(node.name))
        if isinstance(node, ast.ListType):
            return ListSchema((yield self._schema(node.item)))
        if isinstance(node, ast.LiteralType):
            return LiteralSchema(node.literal.value)
        fields: dict[str, FieldSchema] = {}
        seen: dict[str, ast.Name] = {}
        for field in node.fields:
            schema = yield self._schema(field.type)
            if field.key.text in seen:
                self._reporter.twice("EC1104", "key", field.key, seen[field.key.text].span)
                continue
            seen[field.key.text] = field.key
            fields[field.key.text] = FieldSchema(field.key.text, field.required, schema)
        return record_schema(fields.values())

    def _named_schema(self, name: ast.Name) -> Step:
        text = name.text
        if text in BUILT_IN_TYPES:
            return BUILT_IN_TYPES[text]
        if text in self._named:
            return self._named[text]
        if text not in self._declared:
            self._unknown(name)
            return Atom.ANY
        if text in self._open:
            self._recursive(name)
            return Atom.ANY
        self._open[text] = name
        schema = yield self._schema(self._declared[text].type)
        del self._open[text]
        self._named[text] = schema
        return schema

    def _unknown(self, name: ast.Name) -> None:
        hint = "the built-in types are Unit, Bool, Int, Text, Any, List[T] and records {k: T}"
        if name.text in _FLOATS:
            hint = "there are no floats: use an `Int` of a smaller unit, or `Text`"
        elif name.text in _FOREIGN_TYPES:
            hint = f"write `{_FOREIGN_TYPES[name.text]}`"
        elif name.text == "List":
            hint = "write `List[T]`"
        self._reporter.unknown("EC1006", "type", name, chain(BUILT_IN_TYPES, self._declared), hint=hint)

    def _recursive(self, name: ast.Name) -> None:
        names = list(self._open)
        names = names[names.index(name.text) :]
        first = self._declared[name.text].name
        uses = [*(self._open[text] for text in names[1:]), name]
        self._reporter.error(
            "EC1162",
            f"the type `{name.text}` contains itself",
            first.span,
            notes=tuple(
                (use.span, f"`{text}` contains `{use.text}`") for text, use in zip(names, uses, strict=True)
            ),
            hint="values are finite: use `Any` for the part that repeats",
        )

    def size(self, schema: Schema) -> int:
        """Return the number of a schema's nodes, counted as a tree, at most 2^60."""
        if isinstance(schema, (Atom, LiteralSchema)):
            return 1
        pending: list[Schema] = [schema]
        while pending:
            node = pending[-1]
            parts = _parts(node)
            missing = [part for part in parts if id(part) not in self._sizes]
            if missing:
                pending += missing
                continue
            pending.pop()
            size = 1 + sum(self._sizes[id(part)][1] for part in parts)
            self._sizes[id(node)] = (node, min(size, _MANY))
        return self._sizes[id(schema)][1]


_MANY = 1 << 60
"""Larger sizes count as this one: types that double would otherwise fill memory with digits."""


def _parts(schema: Schema) -> list[Schema]:
    if isinstance(schema, ListSchema):
        return [schema.item]
    if isinstance(schema, RecordSchema):
        return [field.schema for field in schema.fields]
    return []


@attrs.frozen(eq=False)
class OperationTypes:
    """An operation with the schemas of its parameters, its payload and its result."""

    name: str
    declaration: ast.OperationDeclaration
    parameters: tuple[Schema, ...]
    payload: Schema
    result: Schema


@attrs.frozen(eq=False)
class Declarations:
    """What a file declares. Of a name that is declared twice, the first stands."""

    types: TypeTable
    effects: Mapping[str, ast.EffectDeclaration]
    operations: Mapping[str, OperationTypes]
    """By `effect.operation`."""
    callables: Mapping[str, Callable]
    """Tasks and `def`s: they share their names."""
    handlers: Mapping[str, ast.HandlerDeclaration]
    inlined: tuple[Inlined, ...]
    """Everything that has a body of computations, in the order of the file."""

    @property
    def tasks(self) -> dict[str, ast.TaskDeclaration]:
        """The tasks, in the order of the file."""
        return {
            name: declaration
            for name, declaration in self.callables.items()
            if isinstance(declaration, ast.TaskDeclaration)
        }


def read_declarations(file: ast.SourceFile, reporter: Reporter) -> Declarations:
    """Return the declarations of a file, and report what is wrong with them."""
    types = TypeTable(reporter)
    every = file.declarations
    type_declarations = [item for item in every if isinstance(item, ast.TypeDeclaration)]
    named_types = _by_name("type", type_declarations, reporter, BUILT_IN_TYPES)
    types.declare(named_types)
    for declaration in type_declarations:
        if named_types.get(declaration.name.text) is not declaration:
            types.schema(declaration.type)
    effect_declarations = [item for item in every if isinstance(item, ast.EffectDeclaration)]
    effects = _by_name("effect", effect_declarations, reporter)
    operations: dict[str, OperationTypes] = {}
    for effect in effect_declarations:
        own = _operations(effect, types, reporter)
        if effects[effect.name.text] is effect:
            operations |= own
    tasks_and_defs = [item for item in every if isinstance(item, (ast.TaskDeclaration, ast.DefDeclaration))]
    callables = _by_name("task or def", tasks_and_defs, reporter)
    handler_declarations = [item for item in every if isinstance(item, ast.HandlerDeclaration)]
    handlers = _by_name("handler", handler_declarations, reporter)
    inlined = (*tasks_and_defs, *handler_declarations)
    for user in inlined:
        _check_head(user, types, reporter)
    return Declarations(types, effects, operations, callables, handlers, inlined)


def _check_head(declaration: Inlined, types: TypeTable, reporter: Reporter) -> None:
    check_parameters([parameter.name for parameter in declaration.parameters], reporter)
    for parameter in declaration.parameters:
        types.schema(parameter.type)
    if not isinstance(declaration, ast.HandlerDeclaration):
        types.schema(declaration.result)


D = TypeVar("D", ast.TypeDeclaration, ast.EffectDeclaration, ast.HandlerDeclaration, Callable)


def _by_name(
    what: str, declarations: Iterable[D], reporter: Reporter, reserved: Mapping[str, object] | None = None
) -> dict[str, D]:
    found: dict[str, D] = {}
    for declaration in declarations:
        name = declaration.name
        if reserved is not None and name.text in reserved:
            reporter.error(
                "EC1106", f"`{name.text}` is a built-in {what}", name.span, hint="choose another name"
            )
        elif name.text in found:
            reporter.twice("EC1101", what, name, found[name.text].name.span, "choose another name")
        else:
            found[name.text] = declaration
    return found


def _operations(
    effect: ast.EffectDeclaration, types: TypeTable, reporter: Reporter
) -> dict[str, OperationTypes]:
    found: dict[str, OperationTypes] = {}
    for operation in effect.operations:
        name = f"{effect.name.text}.{operation.name.text}"
        check_parameters([parameter.name for parameter in operation.parameters], reporter, everywhere=True)
        parameters = tuple(types.schema(parameter.type) for parameter in operation.parameters)
        result = types.schema(operation.result)
        if name in found:
            first = found[name].declaration.name.span
            reporter.twice("EC1103", "operation", operation.name, first, "choose another name")
        else:
            payload = _payload(operation.parameters, parameters)
            found[name] = OperationTypes(name, operation, parameters, payload, result)
    return found


def _payload(parameters: tuple[ast.Parameter, ...], schemas: tuple[Schema, ...]) -> Schema:
    if not parameters:
        return Atom.NULL
    if len(parameters) == 1:
        return schemas[0]
    by_key = {
        parameter.name.text: FieldSchema(parameter.name.text, True, schema)
        for parameter, schema in zip(parameters, schemas, strict=True)
    }
    return record_schema(by_key.values())


def check_parameters(names: Iterable[ast.Name], reporter: Reporter, *, everywhere: bool = False) -> None:
    """Report parameters of the same name; `_` may stand several times, unless `everywhere`."""
    seen: dict[str, ast.Name] = {}
    for name in names:
        if name.text == "_" and not everywhere:
            continue
        if name.text in seen:
            reporter.twice("EC1102", "parameter", name, seen[name.text].span, "choose another name")
        else:
            seen[name.text] = name


_SHOWN = 10


def find_operation(
    name: ast.QualifiedName, declarations: Declarations, reporter: Reporter
) -> OperationTypes | None:
    """Return the operation of a name, or report that there is none."""
    operation = declarations.operations.get(str(name))
    if operation is not None:
        return operation
    effect = declarations.effects.get(name.effect.text)
    if effect is None:
        hint = f"declare it: `effect {name.effect.text} {{ reversible ctl {name.operation.text}(…): T }}`"
        reporter.unknown("EC1002", "effect", name.effect, declarations.effects, hint=hint)
        return None
    own = [operation.name.text for operation in effect.operations]
    listed = ", ".join(f"`{operation}`" for operation in own[:_SHOWN])
    reporter.unknown(
        "EC1003",
        "operation",
        name.operation,
        own,
        hint=f"its operations are {listed}{', …' if len(own) > _SHOWN else ''}" if own else "it has none",
        notes=((effect.name.span, f"the effect `{effect.name.text}` is declared here"),),
    )
    return None


def row_operations(row: ast.Row, declarations: Declarations, reporter: Reporter) -> frozenset[str]:
    """Return the operations that a row allows, and report entries that are wrong or stand twice."""
    allowed: set[str] = set()
    seen: dict[str, ast.Name | ast.QualifiedName] = {}
    for entry in row.entries:
        text = entry.text if isinstance(entry, ast.Name) else str(entry)
        if text in seen:
            reporter.error(
                "EC1105",
                f"`{text}` stands twice in the row",
                entry.span,
                notes=((seen[text].span, "first here"),),
                hint="leave it out",
            )
            continue
        seen[text] = entry
        if isinstance(entry, ast.QualifiedName):
            operation = find_operation(entry, declarations, reporter)
            allowed |= set() if operation is None else {operation.name}
        elif text in declarations.effects:
            effect = declarations.effects[text]
            allowed.update(f"{text}.{operation.name.text}" for operation in effect.operations)
        else:
            reporter.unknown("EC1002", "effect", entry, declarations.effects)
    return frozenset(allowed)
