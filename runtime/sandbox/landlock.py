"""Landlock: a second fence around writing, and around what is open when the network is shared.

The mounts already refuse writes outside of /workspace, /tmp and /dev/shm; Landlock refuses them again, by
another mechanism, to this process and all that it starts. From version 6 of its interface it also keeps a
process from connecting to abstract unix sockets and from signalling processes outside of the sandbox,
which matters where the network namespace is the host's.
"""

from __future__ import annotations

import os

from eclogue.runtime.sandbox import syscalls

# LANDLOCK_ACCESS_FS_…: write_file, remove_dir, remove_file, make_char, make_dir, make_reg, make_sock,
# make_fifo, make_block, make_sym (version 1); refer (2); truncate (3).
_VERSION_1 = (1 << 1) | sum(1 << bit for bit in range(4, 13))
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_SCOPES = 0b11
"""LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET and LANDLOCK_SCOPE_SIGNAL (version 6)."""
_WRITABLE = (b"/workspace", b"/tmp", b"/dev")


def restrict(version: int) -> None:
    """Restrict this process; `version` as `landlock_version` said, 0 does nothing."""
    if version < 2:
        return
    rights = _VERSION_1 | _REFER | (_TRUNCATE if version >= 3 else 0)
    attributes = rights.to_bytes(8, "little")
    if version >= 4:
        attributes += bytes(8)
    if version >= 6:
        attributes += _SCOPES.to_bytes(8, "little")
    ruleset = syscalls.landlock_ruleset(attributes)
    for path in _WRITABLE:
        directory = os.open(path, os.O_PATH | os.O_CLOEXEC)
        syscalls.landlock_allow_beneath(ruleset, rights, directory)
        os.close(directory)
    syscalls.landlock_restrict(ruleset)
    os.close(ruleset)
