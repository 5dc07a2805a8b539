"""The host `proc`: programs in the current scope, isolated as docs/sandbox.md says.

How a program ended is a value: its exit code (minus the signal that ended it; 127: there is no such
program), what it wrote, whether some of that was dropped, and whether its time was up.
"""

from __future__ import annotations

from eclogue.core.schema import ListSchema
from eclogue.core.syntax import Tier
from eclogue.core.values import RecordValue, Value, record
from eclogue.runtime.hosts.offers import BOOL, INT, TEXT, CannotCarryOut, Offer, of
from eclogue.runtime.sandbox.interface import Finished, ProcessLimits, SandboxError
from eclogue.runtime.sandbox.messages import CannotStart
from eclogue.runtime.session import Session

RESULT = of(code=INT, out=TEXT, err=TEXT, truncated=BOOL, timed_out=BOOL)
_NO_PROGRAM = 127


def _run(session: Session, payload: Value) -> Value:
    assert isinstance(payload, tuple)
    return _carried_out(session, payload, b"", session.settings.limits)


def _run_with(session: Session, payload: Value) -> Value:
    assert isinstance(payload, RecordValue)
    argv, stdin, seconds = (payload.fields[name] for name in ("argv", "stdin", "seconds"))
    assert isinstance(argv, tuple)
    assert isinstance(stdin, str)
    assert isinstance(seconds, int)
    limits = session.settings.limits
    bounded = ProcessLimits(
        seconds=min(float(seconds), limits.seconds or float(seconds)),
        memory=limits.memory, output=limits.output, processes=limits.processes, file_size=limits.file_size,
    )  # fmt: skip
    return _carried_out(session, argv, stdin.encode(), bounded)


def _carried_out(session: Session, argv: tuple[Value, ...], stdin: bytes, limits: ProcessLimits) -> Value:
    from pathlib import Path

    try:
        done = session.scope.run(
            [str(item) for item in argv],
            env=session.environment(),
            stdin=stdin,
            limits=limits,
            readable=[Path(item) for item in session.settings.readable],
        )
    except CannotStart as error:
        return _result(Finished(_NO_PROGRAM, b"", error.message.encode(), 0, 0, False, 0.0, 0))
    except SandboxError as error:
        raise CannotCarryOut(error.message) from None
    return _result(done)


def _result(done: Finished) -> Value:
    exceeded = f"\n[ended: more {done.exceeded} than it may have]" if done.exceeded else ""
    return record(
        {
            "code": done.code,
            "out": done.out.decode("utf-8", "replace"),
            "err": done.err.decode("utf-8", "replace") + exceeded,
            "truncated": bool(done.out_dropped or done.err_dropped),
            "timed_out": done.timed_out,
        }
    )


_WRITES = frozenset({"files"})

_WITH = of(argv=ListSchema(TEXT), stdin=TEXT, seconds=INT)

PROCESSES = (
    Offer("proc.run", ListSchema(TEXT), RESULT, Tier.REVERSIBLE, _run, touches=_WRITES),
    Offer("proc.run_with", _WITH, RESULT, Tier.REVERSIBLE, _run_with, touches=_WRITES),
)
