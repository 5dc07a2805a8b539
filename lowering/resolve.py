"""Resolution: what the names of a file mean, and whether everything in it is as the language wants it.

`resolve` looks at a whole file once, declaration by declaration, and leaves all diagnostics with the
reporter. What it returns is what lowering needs to know; lowering asks for a file without errors.
"""

from __future__ import annotations

from eclogue.core.schema import Atom
from eclogue.core.trampoline import run
from eclogue.lowering import ast
from eclogue.lowering.checker import ComputationChecker
from eclogue.lowering.declarations import Declarations, Inlined, read_declarations, row_operations
from eclogue.lowering.expressions import Expected
from eclogue.lowering.inlining import inlining_order
from eclogue.lowering.paths import Flow, Place, Use, Where
from eclogue.lowering.reporter import Reporter
from eclogue.lowering.uses import Escapes, Summary


def resolve(file: ast.SourceFile, reporter: Reporter) -> Declarations:
    """Return the declarations of a file, and report everything that is wrong with it."""
    declarations = read_declarations(file, reporter)
    checker = ComputationChecker(declarations, reporter)
    for declaration in inlining_order(declarations, reporter):
        checker.summaries[id(declaration)] = _summary(declaration, declarations, checker, reporter)
    return declarations


def _summary(
    declaration: Inlined, declarations: Declarations, checker: ComputationChecker, reporter: Reporter
) -> Summary:
    """Check one declaration and return what its users need to know."""
    checker.escapes = {}
    mark = checker.expressions.scope.mark()
    for parameter in declaration.parameters:
        checker.bind(parameter.name, declarations.types.schema(parameter.type))
    if isinstance(declaration, ast.HandlerDeclaration):
        inside = Where(Place.DEF)
        summary: Summary = run(checker.handler_block(declaration.block, inside, Atom.ANY, None))
        summary.escapes.update(checker.escapes)
    else:
        summary = _callable_summary(declaration, declarations, checker)
        if declaration.row is not None:
            allowed = row_operations(declaration.row, declarations, reporter)
            _check_row(declaration, declaration.row, allowed, summary.escapes, reporter)
    checker.leave(mark)
    return summary


def _callable_summary(
    declaration: ast.TaskDeclaration | ast.DefDeclaration,
    declarations: Declarations,
    checker: ComputationChecker,
) -> Summary:
    place = Place.TASK if isinstance(declaration, ast.TaskDeclaration) else Place.DEF
    expected = None
    if declaration.result is not None:
        schema = declarations.types.schema(declaration.result)
        expected = Expected(schema, declaration.result.span, f"the result of `{declaration.name.text}`")
    flow: Flow = run(checker.block(declaration.body, Where(place), Use(expected)))
    return Summary(flow.type if expected is None else expected.schema, checker.escapes)


def _check_row(
    declaration: ast.TaskDeclaration | ast.DefDeclaration,
    row: ast.Row,
    allowed: frozenset[str],
    escapes: Escapes,
    reporter: Reporter,
) -> None:
    """Report the operations that escape from a body beyond its row (EC2001)."""
    for operation, escape in escapes.items():
        if operation in allowed:
            continue
        notes = [(row.span, f"the row of `{declaration.name.text}` is here")]
        if escape.performed != escape.span:
            notes.insert(0, (escape.performed, "performed here"))
        reporter.error(
            "EC2001",
            f"`{operation}` escapes from `{declaration.name.text}`, and its row does not allow it",
            escape.span,
            notes=tuple(notes),
            hint=f"handle it, or add `{operation}` to the row",
        )
