"""Whether programs can be isolated here, by what, and why not more: found out by doing it once.

`probe_processes` starts one program that does nothing in an empty sandbox. Whatever the kernel, a container
around us or a security module would refuse to a real run, it refuses here.
"""

from __future__ import annotations

import os
import tempfile

from eclogue.runtime.sandbox import seccomp, syscalls
from eclogue.runtime.sandbox.interface import Availability, ProcessLimits, SandboxError
from eclogue.runtime.sandbox.process import ViewHandle, run_in

PROVIDER = "namespaces"
_TRIES = ProcessLimits(seconds=10.0)


def probe_processes() -> Availability:
    """Say whether programs run isolated here; `details` has one entry for each part of the isolation."""
    if not syscalls.LINUX:
        return Availability(
            PROVIDER, usable=False, reason="namespaces are a part of Linux", details=_NOTHING
        )
    try:
        with tempfile.TemporaryDirectory(prefix="eclogue-probe-") as folder:
            directory = os.open(folder, os.O_PATH | os.O_DIRECTORY)
            try:
                run_in(ViewHandle(directory), ["/bin/sh", "-c", ":"], limits=_TRIES)
            finally:
                os.close(directory)
    except SandboxError as error:
        return Availability(PROVIDER, usable=False, reason=error.message, details=_NOTHING)
    return Availability(PROVIDER, usable=True, details=_details())


_NOTHING = {"processes": "not isolated: run only on request, with all that the user can do and reach"}


def _details() -> dict[str, str]:
    version = syscalls.landlock_version()
    return {
        "namespaces": "user, mount, pid, network, ipc, uts, cgroup; no capabilities",
        "system calls": "filtered" if seccomp.supported() else f"not filtered on {os.uname().machine}",
        "landlock": _landlock(version),
        "processes": _process_bound(),
        "memory": "bounded for each process; all together are looked at twenty times a second",
        "disk": "/tmp is bounded; the workspace is not",
    }


def _landlock(version: int) -> str:
    if version == 0:
        return "not available: the mounts alone hold writes back"
    if version < 2:
        return f"version {version} cannot allow renames between folders: not used"
    if version < 6:
        return f"version {version}: abstract sockets of the host can be reached when the network is shared"
    return f"version {version}"


def _process_bound() -> str:
    if os.geteuid() != 0:
        return "bounded in number"
    with open("/proc/sys/kernel/osrelease", encoding="utf-8") as file:
        release = tuple(int(part) for part in file.read().split("-")[0].split(".")[:2])
    if release >= (6, 14):
        return "bounded in number (run by root: by up to 300 more than asked)"
    return "not bounded in number: run by root, on Linux before 6.14"
