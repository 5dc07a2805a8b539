"""From a surface tree to a program of the core (SPEC §12): the way in.

`check_file` tells what is wrong with a whole file, `lower_task` makes one task of it a closed program. Both
take the tree that `parser` made of a text, and that text, by which places are reported.
"""

from __future__ import annotations

from collections.abc import Mapping

from eclogue.core.memory import collector_paused
from eclogue.core.syntax import Operation, Program
from eclogue.core.values import Value
from eclogue.lowering import ast
from eclogue.lowering.arguments import check_arguments, chosen_task
from eclogue.lowering.declarations import Declarations
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceErrors, SourceText
from eclogue.lowering.expansion import Budget, ExpansionRefused, TooManyNodes, too_large
from eclogue.lowering.lower_clauses import ClauseLowering
from eclogue.lowering.reporter import Reporter
from eclogue.lowering.resolve import resolve


def check_file(file: ast.SourceFile, source: SourceText) -> tuple[Diagnostic, ...]:
    """Return the errors of a file, or if there are none its warnings, in the order of the text.

    All of it is checked, whatever task is to run; the size of each task's expansion as well.
    """
    reporter = Reporter(source)
    with collector_paused():
        declarations = resolve(file, reporter)
        if not reporter.has_errors:
            _measure(declarations, reporter)
    return _told(reporter)


def _measure(declarations: Declarations, reporter: Reporter) -> None:
    """Report the tasks whose expansion is too large."""
    lowering = ClauseLowering(declarations, Budget(), measuring=True)
    for task in declarations.tasks.values():
        try:
            lowering.task(task, {})
        except TooManyNodes as error:
            reporter.items.append(_refusal(task, error))


def _told(reporter: Reporter) -> tuple[Diagnostic, ...]:
    """Return what to show: warnings wait until there are no errors, which may have caused them."""
    found = reporter.in_order()
    errors = tuple(item for item in found if item.severity is Severity.ERROR)
    return errors or found


def lower_task(
    file: ast.SourceFile,
    source: SourceText,
    task: str | None = None,
    arguments: Mapping[str, Value] | None = None,
) -> Program:
    """Return the program of a task: its body, with its arguments bound around it.

    Without a name the only task is meant, or else `main`. `arguments` are by the names of the parameters.
    Raises `SourceErrors` with all errors of the file, or with those about the task and its arguments; and
    `ExpansionRefused` if nothing is wrong but that the program would be too large.
    """
    with collector_paused():
        return _lower_task(file, source, task, {} if arguments is None else arguments)


def _lower_task(
    file: ast.SourceFile, source: SourceText, task: str | None, arguments: Mapping[str, Value]
) -> Program:
    reporter = Reporter(source)
    declarations = resolve(file, reporter)
    _raise(reporter)
    chosen = chosen_task(declarations, task, reporter)
    if chosen is not None:
        check_arguments(chosen, arguments, declarations, reporter)
    _raise(reporter)
    assert chosen is not None
    return _program(chosen, arguments, declarations, source)


def lower_every_task(
    file: ast.SourceFile, source: SourceText
) -> tuple[tuple[Diagnostic, ...], tuple[Program, ...]]:
    """Return the warnings of a file, and the program of each task with null for every argument.

    That is enough to look at the programs, for instance at their profiles. Raises as `lower_task`.
    """
    with collector_paused():
        reporter = Reporter(source)
        declarations = resolve(file, reporter)
        _raise(reporter)
        tasks = declarations.tasks.values()
        return _told(reporter), tuple(_program(task, {}, declarations, source) for task in tasks)


def _program(
    task: ast.TaskDeclaration,
    arguments: Mapping[str, Value],
    declarations: Declarations,
    source: SourceText,
) -> Program:
    """Return the program of a task, which is built only if its size is within the bound."""
    lowering = ClauseLowering(declarations, Budget(), measuring=True)
    try:
        body = lowering.task(task, arguments)
    except TooManyNodes as error:
        raise ExpansionRefused((_refusal(task, error),), source) from None
    if lowering.abridged:
        lowering = ClauseLowering(declarations, Budget(), measuring=False)
        body = lowering.task(task, arguments)
    operations = tuple(
        Operation(name, operation.payload, operation.result, operation.declaration.tier)
        for name, operation in sorted(lowering.operations.items())
    )
    return Program(operations, body, task=task.name.text, source=source.name)


def _refusal(task: ast.TaskDeclaration, error: TooManyNodes) -> Diagnostic:
    return too_large(task.name.text, task.name.span, error.span)


def _raise(reporter: Reporter) -> None:
    if reporter.has_errors:
        raise SourceErrors(_told(reporter), reporter.source)
