"""The panels of the stepper as styled text: source, control and stack, trace. Nothing here keeps state."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from rich.console import Group, RenderableType
from rich.syntax import Syntax
from rich.text import Text

from eclogue.cli.show import record_line
from eclogue.cli.stepping.session import Session
from eclogue.core import cells
from eclogue.core.inspection import (
    Continuation,
    Control,
    ControlKind,
    Frame,
    FrameKind,
    Names,
    control_of,
    frames_of,
)
from eclogue.core.syntax import Span
from eclogue.core.values import Value
from eclogue.lowering.core_printer import print_value
from eclogue.lowering.highlighting import EclogueLexer

MOST_FRAMES = 200
"""Frames that are shown; a stack may have a million."""
_MOST_VARIABLES = 6
_VALUE = 48

_FAMILIES = {"core0": "cyan", "body": "magenta", "frame": "blue", "run": "green"}
_FRAME_STYLES = {
    FrameKind.BIND: "cyan",
    FrameKind.HANDLER: "bold yellow",
    FrameKind.BODY_BIND: "magenta",
    FrameKind.RESUME_RETURN: "green",
    FrameKind.COMPLETE: "green",
}
_ENDS = {
    ControlKind.COMPLETED: "bold green",
    ControlKind.SUSPENDED: "bold yellow",
    ControlKind.FAILED: "bold red",
    ControlKind.FAIL: "bold red",
}


# ------------------------------------------------------------------------------------------------
# Source


def coloured_lines(text: str) -> list[Text]:
    """Return the lines of a source in colours."""
    highlighted = Syntax("", EclogueLexer(stripnl=False, ensurenl=False), theme="ansi_dark").highlight(text)
    return list(highlighted.split("\n", allow_blank=True))


def source_panel(
    lines: list[Text], span: Span | None, height: int, width: int, breakpoints: frozenset[int]
) -> Text:
    """Return so many lines of a source, around a span, which is marked; and the breakpoints' lines."""
    first = _first_line(span, len(lines), height)
    margin = len(str(len(lines)))
    shown = []
    for number in range(first, min(first + height, len(lines) + 1)):
        line = lines[number - 1].copy()
        if span is not None and span.line <= number <= span.end_line:
            _mark(line, number, span)
        inside = span is not None and span.line < number <= span.end_line
        mark = ("●", "bold red") if number in breakpoints else ("│", "yellow") if inside else " "
        here = span is not None and number == span.line
        head = Text.assemble(mark, (f"{number:>{margin}} ", "bold" if here else "dim"))
        whole = head + _scrolled(line, span if here else None, width - len(head))
        whole.truncate(width)
        shown.append(whole)
    return Text("\n").join(shown)


def _mark(line: Text, number: int, span: Span) -> None:
    """Mark what a span covers of a line: all of a short span, the beginning of one over several lines."""
    if number != span.line:
        return
    begin = span.column - 1
    word = line.plain[begin:].split(" ", 1)[0]
    end = span.end_column - 1 if span.end_line == span.line else begin + len(word)
    line.stylize("bold black on yellow", begin, max(end, begin + 1))


def _first_line(span: Span | None, count: int, height: int) -> int:
    if span is None:
        return 1
    wanted = span.line - height // 3
    return max(1, min(wanted, count - height + 1))


def _scrolled(line: Text, span: Span | None, width: int) -> Text:
    """Return a line moved to the left if what is marked on it would not be seen."""
    if span is None or len(line) <= width or span.column - 1 < width * 3 // 4:
        return line
    return Text("…") + line[span.column - 1 - width // 3 :]


# ------------------------------------------------------------------------------------------------
# Control and stack


def state_panel(session: Session, names: Names) -> RenderableType:
    """Return what the machine is about to do, the variables in scope, and the frames around it."""
    state = session.state
    control = control_of(state)
    parts: list[Text] = [*_control(control, state.rule), *_variables(control, names)]
    if control.captured is not None:
        title = "passed" if control.kind is ControlKind.RAISE else "captured continuation"
        parts += [Text(title, "dim"), *_continuation(control.captured, 1)]
    parts.append(Text("stack", "dim"))
    frames = list(_frames(frames_of(state), 1))
    return Group(*parts, *(frames or [Text("  empty", "dim italic")]))


def _control(control: Control, rule: str | None) -> Iterator[Text]:
    style = _ENDS.get(control.kind, "bold")
    if rule is not None:
        family = rule.partition(".")[0]
        style = _FAMILIES.get(family, style) if control.kind is not ControlKind.FAIL else style
        yield Text.assemble(("rule ", "dim"), (rule, f"bold {style}"))
    yield Text.assemble((control.kind.value, style), "  ", control_text(control))


def control_text(control: Control) -> str:
    """Return what a control is about, in a line."""
    match control.kind:
        case ControlKind.RETURN | ControlKind.COMPLETED:
            return print_value(control.value, _VALUE)
        case ControlKind.RAISE | ControlKind.SUSPENDED:
            request = f"{control.node.operation}({_payload(control.value)})"
            waits = " waits for the host" if control.kind is ControlKind.SUSPENDED else ""
            return f"{request}, declared by {control.declaration}{waits}"
        case ControlKind.FAIL | ControlKind.FAILED:
            assert control.failure is not None
            detail = f": {control.failure.detail}" if control.failure.detail else ""
            return f"{control.failure.reason}{detail}"
        case ControlKind.BODY:
            return f"{term_text(control.node)}, of selection {control.selection}"
        case ControlKind.RUN:
            return term_text(control.node)


def term_text(node: object) -> str:
    """Return a term by its kind, with the name or the operation that tells it from others."""
    kind = _TERMS[type(node).__name__]
    about = getattr(node, "operation", None) or getattr(node, "name", None)
    if type(node).__name__ == "Handle":
        about = ", ".join(clause.operation for clause in getattr(node, "clauses", ())[:3])
    return f"{kind} {about}" if about else kind


_TERMS = {
    "Return": "return",
    "Let": "let",
    "Perform": "perform",
    "Handle": "handle",
    "If": "if",
    "BodyLet": "let",
    "BodyIf": "if",
    "Answer": "answer",
    "Abort": "abort",
    "Resume": "resume, then let",
}


def _payload(value: Value) -> str:
    return "" if value is None else print_value(value, _VALUE)


def _variables(control: Control, names: Names) -> Iterator[Text]:
    if control.environment is None or not control.environment[0]:
        return
    found = names.variables(control.node, control.environment, _MOST_VARIABLES)
    yield Text("variables", "dim")
    for name, value in found:
        yield Text.assemble("  ", (name, "cyan"), f" = {print_value(value, _VALUE)}")
    more = control.environment[0] - len(found)
    if more > 0:
        yield Text(f"  and {more} more", "dim")


def _frames(frames: Iterator[Frame], level: int) -> Iterator[Text]:
    for frame in islice(frames, MOST_FRAMES):
        yield _frame(frame, level)
        if frame.captured is not None:
            yield from _continuation(frame.captured, level + 1)
    if next(frames, None) is not None:
        yield Text(f"{'  ' * level}and more, further out", "dim")


def _continuation(captured: Continuation, level: int) -> Iterator[Text]:
    yield from _frames(captured.frames(), min(level, 4))


def _frame(frame: Frame, level: int) -> Text:
    where = "" if getattr(frame.node, "span", None) is None else f"  {frame.node.span}"
    about = "" if frame.selection is None else f" of selection {frame.selection}"
    waits = "" if frame.kind is FrameKind.COMPLETE else f"  {_waits(frame)}"
    return Text.assemble(
        "  " * level, (frame.kind.value, _FRAME_STYLES[frame.kind]), about, waits, (where, "dim")
    )


def _waits(frame: Frame) -> str:
    """Return what a frame waits for, or is there for."""
    if frame.kind is FrameKind.HANDLER:
        operations = ", ".join(clause.operation for clause in frame.node.clauses)
        return f"for {operations}" if operations else "without clauses"
    return f"for {frame.node.name}" if frame.node.name else "for a value"


# ------------------------------------------------------------------------------------------------
# Trace


def trace_panel(session: Session, height: int, width: int) -> Text:
    """Return the newest records, the last one at the bottom, and marked if this state has just made it."""
    newest = session.state.trace
    made = newest[1] - session.state_at(session.position - 1).trace[1] if session.position else 0
    shown = []
    for number, record, span in cells.records(newest, max(newest[1] - height, -1)):
        style = "bold reverse" if number > newest[1] - made else ""
        line = Text.assemble(
            (f"{number:>5} ", "dim"), (record_line(record, _VALUE), style), (f"  {span or ''}", "dim")
        )
        line.truncate(width)
        shown.append(line)
    return Text("\n").join(shown) if shown else Text("  no records yet", "dim italic")
