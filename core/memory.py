"""The memory of the process: how much it holds, and a pause for the cyclic garbage collector."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from eclogue.core.errors import LimitExceeded

_STATM = "/proc/self/statm"


def resident_memory() -> int:
    """Return the bytes of resident memory of the whole process; 0 where that cannot be told.

    Linux tells what is held now; other Unix systems only the highest amount so far.
    """
    try:
        with open(_STATM, "rb") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return _highest_resident_memory()


def _highest_resident_memory() -> int:
    try:
        import resource
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def require(further: int, bound: int | None) -> None:
    """Raise `LimitExceeded("memory")` if so many bytes more would exceed the bound, if there is one."""
    if bound is not None and resident_memory() + further > bound:
        raise LimitExceeded("memory", bound)


_lock = threading.Lock()
_pauses = 0
_was_enabled = False


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the cyclic garbage collector off; afterwards it is as it was before.

    A run makes no cycles but millions of tuples, and the collector would look at them again and again. The
    collector belongs to the process: of several pauses at the same time, in one thread or in many, the
    first turns it off and the last to end turns it on again, if it was on before the first.
    """
    global _pauses, _was_enabled  # noqa: PLW0603 - the collector's own state is global too
    with _lock:
        if _pauses == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if _pauses == 0 and _was_enabled:
                gc.enable()
