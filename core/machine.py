"""The abstract machine (SPEC §8): one function for each rule, called `rule_id` for the rule `rule.id`.

A rule is a function of control, environment, stack and trace, and of `prepared`. It returns the next
transition: which rule applies then, and control, environment, stack and trace again. *Control* is the
computation that runs; a running clause body with its selection and captured continuation; the value
that returns; the request that is raised; or the failure that unwinds. The *stack* is in segments: the
frames down to the nearest handler, and the handlers with what is beneath them; its layout is in `stack`.
The *trace* is its newest cell, laid out in `cells`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from eclogue.core.cells import (
    Cell,
    aborted,
    answered,
    dropped,
    failure_made,
    handle_made,
    returned,
    run_ended,
    unwound,
)
from eclogue.core.environment import Environment, extend
from eclogue.core.outcomes import Completed, Failed
from eclogue.core.prepared import Prepared, failure_of, truth
from eclogue.core.stack import Captured, Frames, Segments, open_in_frame, open_selections, put_back
from eclogue.core.syntax import (
    Abort,
    Answer,
    BodyIf,
    BodyLet,
    Handle,
    If,
    Let,
    Perform,
    Resume,
    Return,
    Span,
)
from eclogue.core.trace import (
    CompletedWith,
    ContinuationResume,
    EffectDeclaration,
    HandlerSelection,
    ResumeReturn,
    SelectionClosed,
)
from eclogue.core.values import Value

Transition: TypeAlias = tuple[Any, Any, Any, Any, Any, Cell]
"""The rule that applies (None: the state is final), control, environment, frames, segments, trace."""
Rule: TypeAlias = Callable[[Any, Any, Any, Any, Any, Prepared], Transition]


# ------------------------------------------------------------------------------------------------
# Computations: the control is the term


def core0_return(
    node: Return,
    environment: Environment,
    frames: Frames,
    segments: Segments,
    trace: Cell,
    prepared: Prepared,
) -> Transition:
    """`core0.return`: a value returns to the innermost frame."""
    return frames[0], prepared[node.expression](environment), None, frames, segments, trace


def core0_let(
    node: Let, environment: Environment, frames: Frames, segments: Segments, trace: Cell, _: Prepared
) -> Transition:
    """`core0.let`: run what is bound under a `bind` frame."""
    bound = node.bound
    frames = (frame_bind, frames, frames[2], environment, node)
    return COMPUTATIONS[type(bound)], bound, environment, frames, segments, trace


def core0_perform(
    node: Perform,
    environment: Environment,
    frames: Frames,
    segments: Segments,
    trace: Cell,
    prepared: Prepared,
) -> Transition:
    """`core0.perform`: declare the operation and raise it; nothing is captured yet."""
    payload = prepared[node.payload](environment)
    number = trace[1] + 1
    trace = (trace, number, EffectDeclaration, node.operation, payload, node.span)
    return _raised((node, number, payload, frames, segments), 0, frames, segments, trace)


def core0_handle(
    node: Handle,
    environment: Environment,
    frames: Frames,
    segments: Segments,
    trace: Cell,
    prepared: Prepared,
) -> Transition:
    """`core0.handle`: run the body under the handler, in a new segment."""
    body = node.body
    segments = (prepared[node], node, environment, frames, segments)
    return COMPUTATIONS[type(body)], body, environment, HANDLER, segments, trace


def core0_if(
    node: If, environment: Environment, frames: Frames, segments: Segments, trace: Cell, prepared: Prepared
) -> Transition:
    """`core0.if`: run the branch that the condition chooses."""
    branch = node.then if truth(prepared[node.condition](environment)) else node.otherwise
    return COMPUTATIONS[type(branch)], branch, environment, frames, segments, trace


def core0_err(
    node: Any, environment: Environment, frames: Frames, segments: Segments, trace: Cell, prepared: Prepared
) -> Transition:
    """`core0.err`: the expression of a computation failed, so the program fails."""
    failed = failure_of(node, environment, prepared)
    number = trace[1] + 1
    trace = (trace, number, failure_made, failed.reason, None, failed.span)
    return frame_fail, (failed, number), None, frames, segments, trace


# ------------------------------------------------------------------------------------------------
# Clause bodies: the control is (term, selection, captured)

Body: TypeAlias = tuple[Any, int, Captured]


def body_let(
    body: Body, environment: Environment, frames: Frames, segments: Segments, trace: Cell, _: Prepared
) -> Transition:
    """`body.let`: run what is bound under a `body_bind` frame, which keeps the captured continuation."""
    node, selection, captured = body
    bound = node.bound
    open_here = frames[2] + 1 + captured[3]
    frames = (frame_body_bind, frames, open_here, environment, node, selection, captured)
    return COMPUTATIONS[type(bound)], bound, environment, frames, segments, trace


def body_if(
    body: Body,
    environment: Environment,
    frames: Frames,
    segments: Segments,
    trace: Cell,
    prepared: Prepared,
) -> Transition:
    """`body.if`: go on with the branch that the condition chooses."""
    node, selection, captured = body
    branch = node.then if truth(prepared[node.condition](environment)) else node.otherwise
    return BODIES[type(branch)], (branch, selection, captured), environment, frames, segments, trace


def body_answer(
    body: Body,
    environment: Environment,
    frames: Frames,
    segments: Segments,
    trace: Cell,
    prepared: Prepared,
) -> Transition:
    """`body.answer`: complete with a value, dropping the captured continuation."""
    return _completed(answered, body, environment, frames, segments, trace, prepared)


def body_abort(
    body: Body,
    environment: Environment,
    frames: Frames,
    segments: Segments,
    trace: Cell,
    prepared: Prepared,
) -> Transition:
    """`body.abort`: as `body.answer`, and say so."""
    return _completed(aborted, body, environment, frames, segments, trace, prepared)


def _completed(
    made: Any,
    body: Body,
    environment: Environment,
    frames: Frames,
    segments: Segments,
    trace: Cell,
    prepared: Prepared,
) -> Transition:
    """Record the capture that `made` makes; `corea.close`: close what is dropped; the value goes on."""
    node, selection, captured = body
    value = prepared[node.expression](environment)
    number = trace[1] + 1
    trace = (trace, number, made, selection, value, node.span)
    trace = _close(dropped, open_selections(captured), number, trace, node.span)
    return frames[0], value, None, frames, segments, trace


def body_resume(
    body: Body,
    environment: Environment,
    frames: Frames,
    segments: Segments,
    trace: Cell,
    prepared: Prepared,
) -> Transition:
    """`body.resume`: put the captured continuation back above a `resume_return` frame."""
    node, selection, captured = body
    value = prepared[node.expression](environment)
    trace = (trace, trace[1] + 1, ContinuationResume, selection, value, node.span)
    frames = (frame_resume_return, frames, frames[2] + 1, environment, node, selection, None)
    frames, segments = put_back(captured, frames, segments)
    return frames[0], value, None, frames, segments, trace


def body_err(
    body: Body,
    environment: Environment,
    frames: Frames,
    segments: Segments,
    trace: Cell,
    prepared: Prepared,
) -> Transition:
    """`body.err`, `fail.close`: as `core0.err`, closing the selection and those that it captured."""
    node, selection, captured = body
    failed = failure_of(node, environment, prepared)
    number = trace[1] + 1
    trace = (trace, number, failure_made, failed.reason, None, failed.span)
    trace = (trace, number + 1, unwound, selection, number, failed.span)
    trace = _close(unwound, open_selections(captured), number, trace, failed.span)
    return frame_fail, (failed, number), None, frames, segments, trace


# ------------------------------------------------------------------------------------------------
# A value returns to a frame: the control is the value, and there is no environment


def frame_bind(
    value: Value, _: None, frames: Frames, segments: Segments, trace: Cell, __: Prepared
) -> Transition:
    """`frame.bind`: bind the value and go on."""
    _rule, below, _open, environment, node = frames
    body = node.body
    return COMPUTATIONS[type(body)], body, extend(environment, value), below, segments, trace


def frame_handler(
    value: Value, _: None, __: Frames, segments: Segments, trace: Cell, ___: Prepared
) -> Transition:
    """`frame.handler`: the handled computation is done; run the return clause outside the handler."""
    _clauses, node, environment, frames, segments = segments
    clause = node.return_clause
    return COMPUTATIONS[type(clause)], clause, extend(environment, value), frames, segments, trace


def frame_body_bind(
    value: Value, _: None, frames: Frames, segments: Segments, trace: Cell, __: Prepared
) -> Transition:
    """`frame.body_bind`: bind the value and go on with the clause body."""
    _rule, below, _open, environment, node, selection, captured = frames
    body = node.body
    control = (body, selection, captured)
    return BODIES[type(body)], control, extend(environment, value), below, segments, trace


def frame_resume_return(
    value: Value, _: None, frames: Frames, segments: Segments, trace: Cell, __: Prepared
) -> Transition:
    """`frame.resume_return`: what was resumed came back; run the rest under a `complete` frame."""
    _rule, below, open_here, environment, node, selection, _none = frames
    body = node.body
    trace = (trace, trace[1] + 1, ResumeReturn, selection, value, node.span)
    frames = (frame_complete, below, open_here, None, node, selection, None)
    return COMPUTATIONS[type(body)], body, extend(environment, value), frames, segments, trace


def frame_complete(
    value: Value, _: None, frames: Frames, segments: Segments, trace: Cell, __: Prepared
) -> Transition:
    """`frame.complete`: the clause is done after its resume."""
    _rule, below, _open, _environment, node, selection, _none = frames
    trace = (trace, trace[1] + 1, returned, selection, value, node.span)
    return below[0], value, None, below, segments, trace


def run_end(
    value: Value, _: None, frames: Frames, segments: Segments, trace: Cell, __: Prepared
) -> Transition:
    """`run.end`: the program is done."""
    trace = (trace, trace[1] + 1, run_ended, CompletedWith(value), None, None)
    return None, Completed(value), None, frames, segments, trace


HANDLER: Frames = (frame_handler, None, 0)
"""The last frame of a handler's segment."""
END: Frames = (run_end, None, 0)
"""The last frame of the stack."""


# ------------------------------------------------------------------------------------------------
# An operation is raised: the control is the request, and in place of an environment stands the number
# of selections that are open in the frames that were passed

Request: TypeAlias = tuple[Perform, int, Value, Frames, Segments]
"""The term, the number of its declaration, the payload, and the stack on which it was performed."""


def _raised(request: Request, inside: int, frames: Frames, segments: Segments, trace: Cell) -> Transition:
    """Go on with the handler of this segment; at the end of the stack, suspend the run where it was."""
    if request[0].operation in segments[0]:
        return frame_catch, request, inside, frames, segments, trace
    if segments[4] is None:
        return None, request, None, request[3], request[4], trace
    return frame_skip, request, inside, frames, segments, trace


def frame_skip(
    request: Request, inside: int, frames: Frames, segments: Segments, trace: Cell, _: Prepared
) -> Transition:
    """`frame.skip`: no clause of this handler is for the operation; capture it with what is inside it."""
    return _raised(request, inside + frames[2], segments[3], segments[4], trace)


def frame_catch(
    request: Request, inside: int, frames: Frames, segments: Segments, trace: Cell, _: Prepared
) -> Transition:
    """`frame.catch`: select the clause; its body runs outside the handler, which is captured last."""
    node, declaration, payload, inner_frames, inner_segments = request
    clauses, _handle, environment, outer_frames, outer_segments = segments
    clause = clauses[node.operation]
    inside += frames[2]
    captured = (inner_frames, inner_segments, segments, inside)
    selection = declaration + 1
    trace = (trace, selection, HandlerSelection, declaration, inside, clause.span)
    trace = (trace, selection + 1, handle_made, selection, None, clause.span)
    body = clause.body
    control = (body, selection, captured)
    return BODIES[type(body)], control, extend(environment, payload), outer_frames, outer_segments, trace


# ------------------------------------------------------------------------------------------------
# A failure unwinds: the control is (Failed, number of its record)


def frame_fail(
    failure: tuple[Failed, int], _: None, frames: Frames, segments: Segments, trace: Cell, __: Prepared
) -> Transition:
    """`frame.fail`, `fail.close`: leave a frame and close what is open in it; at the end, `run.end`."""
    failed, number = failure
    below = frames[1]
    if below is not None:
        if frames[2] > below[2]:
            trace = _close(unwound, open_in_frame(frames), number, trace, failed.span)
        return frame_fail, failure, None, below, segments, trace
    if segments[4] is not None:
        return frame_fail, failure, None, segments[3], segments[4], trace
    trace = (trace, trace[1] + 1, run_ended, failed.reason, None, failed.span)
    return None, failed, None, frames, segments, trace


def _close(
    make: Callable[[int, int], SelectionClosed],
    selections: Iterator[int],
    cause: int,
    trace: Cell,
    span: Span | None,
) -> Cell:
    """Return the trace with these selections closed because of record `cause`."""
    for selection in selections:
        trace = (trace, trace[1] + 1, make, selection, cause, span)
    return trace


# ------------------------------------------------------------------------------------------------
# Which rule applies to a term

COMPUTATIONS: dict[type, Rule] = {
    Return: core0_return,
    Let: core0_let,
    Perform: core0_perform,
    Handle: core0_handle,
    If: core0_if,
}
BODIES: dict[type, Rule] = {
    BodyLet: body_let,
    BodyIf: body_if,
    Answer: body_answer,
    Abort: body_abort,
    Resume: body_resume,
}
ERR: dict[Rule, Rule] = {
    core0_return: core0_err,
    core0_perform: core0_err,
    core0_if: core0_err,
    body_if: body_err,
    body_answer: body_err,
    body_abort: body_err,
    body_resume: body_err,
}
"""The rule that applies instead when an expression fails."""
