"""Which task of a file is meant, and what it is given."""

from __future__ import annotations

from collections.abc import Mapping

from eclogue.core.mismatch import mismatch
from eclogue.core.schema import conforms
from eclogue.core.values import Value
from eclogue.lowering import ast
from eclogue.lowering.declarations import Declarations
from eclogue.lowering.reporter import Reporter
from eclogue.lowering.static_types import type_text

DEFAULT_TASK = "main"


def chosen_task(
    declarations: Declarations, name: str | None, reporter: Reporter
) -> ast.TaskDeclaration | None:
    """Return the task called `name`; without a name the only one, or else `main`.

    Reports EC0006, EC1301 or EC1302 and returns None if there is no such task.
    """
    tasks = declarations.tasks
    if not tasks:
        reporter.error("EC0006", "there is no task in this file", None, hint="write `task main(): T { … }`")
        return None
    if name is None:
        name = next(iter(tasks)) if len(tasks) == 1 else DEFAULT_TASK
        if name not in tasks:
            reporter.error(
                "EC1301",
                "there are several tasks, and none is called `main`",
                None,
                notes=tuple((task.name.span, f"`{task.name.text}` is a task") for task in _few(tasks)),
                hint="say which one with `--task NAME`",
            )
    elif name not in tasks:
        near = reporter.suggestion(name, tasks)
        declared = declarations.callables.get(name)
        notes = () if declared is None else ((declared.name.span, f"`{name}` is a `def`"),)
        listed = ", ".join(f"`{task.name.text}`" for task in _few(tasks))
        hint = f"did you mean `{near}`?" if near else f"the tasks are {listed}"
        reporter.error("EC1302", f"there is no task `{name}`", None, notes=notes, hint=hint)
    return tasks.get(name)


_FEW = 10


def _few(tasks: Mapping[str, ast.TaskDeclaration]) -> list[ast.TaskDeclaration]:
    return list(tasks.values())[:_FEW]


def check_arguments(
    task: ast.TaskDeclaration,
    arguments: Mapping[str, Value],
    declarations: Declarations,
    reporter: Reporter,
) -> None:
    """Report arguments that are missing, that there is no parameter for, or that have the wrong type."""
    named = {parameter.name.text: parameter for parameter in task.parameters}
    for name in arguments:
        if name not in named:
            near = reporter.suggestion(name, named)
            listed = ", ".join(f"`{parameter}`" for parameter in named)
            known = f"its parameters are {listed}" if named else "it has no parameters"
            reporter.error(
                "EC1304",
                f"the task `{task.name.text}` has no parameter `{name}`",
                task.name.span,
                hint=f"did you mean `{near}`?" if near else known,
            )
    for name, parameter in named.items():
        schema = declarations.types.schema(parameter.type)
        if name not in arguments:
            reporter.error(
                "EC1303",
                f"the task `{task.name.text}` needs the argument `{name}`",
                parameter.span,
                hint=f"give it with `--arg {name}=JSON`; it is `{type_text(schema)}`",
            )
        elif not conforms(schema, arguments[name]):
            reporter.error(
                "EC1305",
                f"the argument `{name}` of `{task.name.text}`: {mismatch(schema, arguments[name])}",
                parameter.span,
                hint=f"it is `{type_text(schema)}`",
            )
