"""The stepper: a terminal application over a session."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from eclogue.cli.stepping.breakpoints import Breakpoint, reached, read_breakpoint
from eclogue.cli.stepping.panels import coloured_lines, source_panel, state_panel, trace_panel
from eclogue.cli.stepping.session import Session
from eclogue.core.canonical import read
from eclogue.core.errors import AnswerRefused, MalformedInput
from eclogue.core.inspection import control_of, frames_of, names_of
from eclogue.core.outcomes import Completed, Failed
from eclogue.core.state import State
from eclogue.core.syntax import Span
from eclogue.lowering.core_printer import print_value
from eclogue.lowering.diagnostics import SourceText

HELP = """\
 → n         next state            ← p        previous state
 ↓ r         to the next record    ↑ R        to the previous record
 End e       to the end            Home s     to the start
 b           set or remove a breakpoint: a line, an operation
             (model.call), or a record (EffectCapture)
 c           go on to a breakpoint
 a           answer the operation that waits, as JSON; answering
             again from the same place begins another branch
 [ ]         previous, next branch
 PgUp PgDn   scroll the stack
 q           quit

 The rule that is shown is the one that applies next. What it adds to
 the trace is marked in the state that follows. Rules and records are
 those of the specification."""


def _place(state: State) -> Span | None:
    """Return where in the source a state is: a value that returns is where it returns to."""
    span = control_of(state).span
    if span is None:
        frame = next(frames_of(state), None)
        span = None if frame is None else getattr(frame.node, "span", None)
    return span


class Help(ModalScreen[None]):
    """The keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q", "dismiss", "Close")]
    DEFAULT_CSS = (
        "Help { align: center middle; } Help > Static { border: round $accent; width: auto; height: auto; }"
    )

    def compose(self) -> ComposeResult:
        """Make the text."""
        yield Static(HELP, markup=False)


class Stepper(App[None]):
    """Walks a session, forward and back."""

    CSS = """
    #title { height: 1; background: $primary-background; }
    #top { height: 1fr; }
    #source { width: 11fr; height: 100%; padding: 0 1 0 0; }
    #state { width: 10fr; border-left: solid $primary-background; padding: 0 0 0 1; }
    #trace { height: 30%; min-height: 5; border-top: solid $primary-background; }
    #ask { display: none; height: 3; }
    #message { height: 1; color: $warning; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,n", "forward", "Next"),
        Binding("left,p", "backward", "Back"),
        Binding("down,r", "next_record", "Record"),
        Binding("up,R", "previous_record", "Record back", show=False),
        Binding("end,e", "to_end", "End"),
        Binding("home,s", "to_start", "Start", show=False),
        Binding("b", "breakpoint", "Break"),
        Binding("c", "go_on", "Go on"),
        Binding("a", "answer", "Answer"),
        Binding("left_square_bracket", "branch(-1)", "Branch", show=False),
        Binding("right_square_bracket", "branch(1)", "Branch", show=False),
        Binding("pageup", "scroll_state(-1)", "Scroll", show=False),
        Binding("pagedown", "scroll_state(1)", "Scroll", show=False),
        Binding("question_mark", "help", "Help"),
        Binding("q", "quit", "Quit"),
    ]
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None

    def __init__(self, session: Session, source: SourceText) -> None:
        super().__init__()
        self.session = session
        self.source = source
        self.lines = coloured_lines(source.text)
        self.names = names_of(session.program)
        self.breakpoints: set[Breakpoint] = set()
        self._asking = ""

    def compose(self) -> ComposeResult:
        """Make the panels."""
        yield Static(id="title")
        with Horizontal(id="top"):
            yield Static(id="source")
            with VerticalScroll(id="state", can_focus=False):
                yield Static(id="frames")
        with Vertical(id="trace"):
            yield Static(id="records")
        yield Static(id="message", markup=False)
        yield Input(id="ask")
        yield Footer()

    def on_mount(self) -> None:
        """Show the first state."""
        self.set_focus(None)
        self.call_after_refresh(self.show)

    def on_resize(self, _event: Resize) -> None:
        """Show the state in the new size."""
        self.call_after_refresh(self.show)

    # -------------------------------------------------------------------------------- showing

    def show(self, message: str = "") -> None:
        """Show the state at the session's position, with a remark below."""
        span = _place(self.session.state)
        lines = frozenset(each.line for each in self.breakpoints if each.line is not None)
        size = self.query_one("#source", Static).size
        self.query_one("#title", Static).update(self._title())
        self.query_one("#source", Static).update(
            source_panel(self.lines, span, max(size.height, 1), max(size.width - 1, 20), lines)
        )
        self.query_one("#frames", Static).update(state_panel(self.session, self.names))
        trace = self.query_one("#trace", Vertical).size
        self.query_one("#records", Static).update(
            trace_panel(self.session, max(trace.height, 1), max(trace.width, 20))
        )
        self.query_one("#message", Static).update(message or self._where())

    def _title(self) -> Text:
        session = self.session
        count = len(session.branches)
        branches = f"  branch {session.branch.number} of {count}" if count > 1 else ""
        place = f"state {session.position}  {session.record_count} records"
        task = session.program.task or ""
        return Text.assemble((f" {Path(self.source.name).name}", "bold"), f"  {task}  {place}{branches}")

    def _where(self) -> str:
        outcome = self.session.state.outcome
        if isinstance(outcome, Completed):
            return f" completed with {print_value(outcome.value, 60)}"
        if isinstance(outcome, Failed):
            return f" failed: {outcome.reason}"
        if outcome is not None:
            return f" {outcome.operation} waits for the host: press a to answer"
        return ""

    # -------------------------------------------------------------------------------- moving

    def action_forward(self) -> None:
        """Go to the next state."""
        self._moved(self._step(), "nothing follows")

    def action_backward(self) -> None:
        """Go to the state before."""
        self._moved(self.session.back(), "this is the first state")

    def action_next_record(self) -> None:
        """Go to where the trace grows."""
        try:
            self._moved(self.session.to_next_record(), "no more records")
        except AnswerRefused as error:
            self.show(f" {error}")

    def action_previous_record(self) -> None:
        """Go back to where the trace was shorter."""
        self._moved(self.session.to_previous_record(), "there is no record before")

    def action_to_end(self) -> None:
        """Go on until nothing follows."""
        try:
            self.session.to_end()
        except AnswerRefused as error:
            self.show(f" {error}")
            return
        self.show()

    def action_to_start(self) -> None:
        """Go to the first state."""
        self.session.to(0)
        self.show()

    def action_go_on(self) -> None:
        """Go on to a breakpoint, or to the end."""
        before = self.session.state
        while self._step():
            after = self.session.state
            for each in self.breakpoints:
                if reached(each, before, after):
                    self.show(f" at the breakpoint {each}")
                    return
            before = after
        self.show()

    def _step(self) -> bool:
        try:
            return self.session.forward()
        except AnswerRefused as error:
            self.notify(str(error), severity="error")
            return False

    def _moved(self, moved: bool, otherwise: str) -> None:
        if moved or self.session.suspended is not None:
            self.show()
        elif self.session.branch.exceeded is not None:
            self.show(f" the limit was reached: {self.session.branch.exceeded}")
        else:
            ended = self._where()
            self.show(f" {otherwise};{ended}" if ended else f" {otherwise}")

    def action_scroll_state(self, direction: int) -> None:
        """Scroll the stack."""
        self.query_one("#state", VerticalScroll).scroll_relative(y=8 * direction, animate=False)

    # -------------------------------------------------------------------------------- branches, asking

    def action_branch(self, by: int) -> None:
        """Go to the next branch, or to the one before."""
        count = len(self.session.branches)
        if count == 1:
            self.show(" there is one branch only; answer again from where the run was suspended")
            return
        self.session.switch((self.session.branch.number + by) % count)
        self.show()

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(Help())

    def action_breakpoint(self) -> None:
        """Ask for a breakpoint."""
        self._ask("breakpoint", "line, operation or record; the same again removes it")

    def action_answer(self) -> None:
        """Ask for the host's answer."""
        waiting = self.session.suspended
        if waiting is None:
            self.show(" nothing waits for an answer here")
            return
        self._ask("answer", f"the answer to {waiting.operation}, as JSON")

    def _ask(self, what: str, placeholder: str) -> None:
        self._asking = what
        ask = self.query_one("#ask", Input)
        ask.value = ""
        ask.placeholder = placeholder
        ask.display = True
        ask.focus()

    def on_key(self, event: object) -> None:
        """Leave the question with Escape."""
        if self._asking and getattr(event, "key", "") == "escape":
            self._asked()
            self.show()

    def _asked(self) -> None:
        self._asking = ""
        self.query_one("#ask", Input).display = False
        self.set_focus(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take what was written."""
        take = self._take_breakpoint if self._asking == "breakpoint" else self._take_answer
        try:
            message = take(event.value)
        except ValueError as error:
            self.show(f" {error}")
            return
        self._asked()
        self.show(message)

    def _take_breakpoint(self, text: str) -> str:
        found = read_breakpoint(text, self.session.program, len(self.lines))
        if found in self.breakpoints:
            self.breakpoints.remove(found)
            return f" no breakpoint any more: {found}"
        self.breakpoints.add(found)
        return f" breakpoint: {found}"

    def _take_answer(self, text: str) -> str:
        try:
            branch = self.session.answer(read(text))
        except (MalformedInput, AnswerRefused) as error:
            raise ValueError(f"no JSON value: {error}") from None
        return f" branch {branch.number}: answered {text}"
