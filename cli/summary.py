"""A run's result for people."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from eclogue.cli.result import STRENGTH, STRENGTH_REASON, RunResult
from eclogue.core.outcomes import Completed, Exhausted, Failed, Suspended
from eclogue.lowering.core_printer import print_value

_COLOURS = {
    "completed": "bold green",
    "failed": "bold red",
    "suspended": "bold yellow",
    "exhausted": "bold red",
}
_WHOLE_VALUE = 10_000


def summary_lines(result: RunResult, source: str) -> list[Text]:
    """Return the lines of the summary: the outcome first, then what can be said about the run."""
    program = result.run.program
    facts = [
        ("task", f"{program.task} ({source})" if program.task else source),
        ("profile", f"{result.profile.profile.value}: {result.profile.reason}"),
        ("admitted", f"{result.admission.profile.value}: {result.admission.reason}"),
        ("strength", f"{STRENGTH}: {STRENGTH_REASON}"),
        ("run", f"{counted(result.run.record_count, 'record')}, {counted(result.run.steps, 'step')}"),
        ("program", result.program_ref),
        ("trace", result.trace_ref or "none: an exhausted run supports no claim"),
    ]
    return [_headline(result), Text(), *(_fact(name, text) for name, text in facts)]


def _headline(result: RunResult) -> Text:
    return Text.assemble((result.status, _COLOURS[result.status]), "  ", _outcome(result))


def _fact(name: str, text: str) -> Text:
    return Text.assemble("  ", (f"{name:<10}", "dim"), text)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _outcome(result: RunResult) -> str:
    match result.outcome:
        case Completed(value):
            return print_value(value, _WHOLE_VALUE)
        case Suspended(operation, payload):
            argument = "" if payload is None else print_value(payload, _WHOLE_VALUE)
            return f"{operation}({argument}) waits for the host's answer"
        case Failed(reason, _, detail):
            return f"{reason}" + (f": {detail}" if detail else "")
        case Exhausted(limit, bound):
            return f"the limit {limit} of {bound:,} was reached"


class PlainConsole(Console):
    """A console that colours for a terminal and never breaks lines or reads what it prints as markup.

    A reader that went away is the outermost layer's matter: rich itself would end the process with 1, which
    means rejected.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, soft_wrap=True, markup=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Say what happened to whoever asked to print."""
        raise BrokenPipeError


def output_console() -> Console:
    """Return a console on standard output."""
    return PlainConsole()
