"""Bounds of a process and of what it starts: resource limits, which its children inherit.

`memory` bounds the address space of each process (RLIMIT_AS), the size of the private /tmp, and, as the
init sees it twenty times a second, the memory of all together that no file backs (`watching.py`).
`processes` is RLIMIT_NPROC, which the kernel counts for a user within a user namespace: processes and
threads of this sandbox alone. The kernel does not hold user 0 of the host to it; there the number of pids
of the sandbox's pid namespace is bounded instead (Linux 6.14), which stops a fork bomb somewhere between
the bound and the bound plus 300.
"""

from __future__ import annotations

import resource

from eclogue.runtime.sandbox.interface import ProcessLimits

OWN_PROCESSES = 2
"""The two processes of ours that the kernel counts with those of the sandbox."""


def apply_limits(limits: ProcessLimits, *, alone: bool) -> None:
    """Bound this process and all that it will start; no core files.

    The number of processes only if it is `alone` in its user namespace: otherwise the user's others count.
    """
    _bound(resource.RLIMIT_CORE, 0)
    if limits.memory is not None:
        _bound(resource.RLIMIT_AS, limits.memory)
    if limits.file_size is not None:
        _bound(resource.RLIMIT_FSIZE, limits.file_size)
    if alone and limits.processes is not None:
        _bound(resource.RLIMIT_NPROC, limits.processes + OWN_PROCESSES)


def _bound(which: int, wanted: int) -> None:
    _, hard = resource.getrlimit(which)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(which, (allowed, allowed))
