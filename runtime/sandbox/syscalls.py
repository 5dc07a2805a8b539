"""System calls that Python has no function for: namespaces, the mount interface, prctl, Landlock.

Each function raises `OSError` with the error number of the kernel. They are used in freshly forked
children as well, so nothing here takes a lock, imports anything or keeps state; the library handle is
opened at import.
"""

from __future__ import annotations

import ctypes
import functools
import os
import signal
import sys

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REC = 0x4000
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

OPEN_TREE_CLONE = 1
AT_RECURSIVE = 0x8000
AT_EMPTY_PATH = 0x1000
AT_FDCWD = -100
CLOSE_RANGE_CLOEXEC = 4
MOVE_MOUNT_F_EMPTY_PATH = 4
MOUNT_ATTR_RDONLY = 1
MOUNT_ATTR_NOSUID = 2
MOUNT_ATTR_NODEV = 4
MOUNT_ATTR_NOEXEC = 8

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_SECUREBITS = 28
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

# Since Linux 5.0 a new system call has the same number on every architecture.
_OPEN_TREE = 428
_MOVE_MOUNT = 429
_FSOPEN = 430
_FSCONFIG = 431
_FSMOUNT = 432
_CLOSE_RANGE = 436
_MOUNT_SETATTR = 442
_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_ADD_RULE = 445
_LANDLOCK_RESTRICT_SELF = 446

LINUX = sys.platform.startswith("linux")
_LIBC = ctypes.CDLL(None, use_errno=True)
if LINUX:
    _LIBC.syscall.restype = ctypes.c_long


def _checked(result: int, what: str) -> int:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def call(what: str, number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make a system call by number; integers are passed as longs, bytes and arrays as pointers."""
    passed = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    return _checked(_LIBC.syscall(ctypes.c_long(number), *passed), what)


def unshare(flags: int) -> None:
    """Leave namespaces that are shared with others (`unshare`)."""
    _checked(_LIBC.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: bytes, target: bytes, kind: bytes, flags: int, options: bytes = b"") -> None:
    """Mount a file system, or change the propagation of a mount (`mount`)."""
    done = _LIBC.mount(source, target, kind or None, ctypes.c_ulong(flags), options or None)
    _checked(done, f"mount {os.fsdecode(kind or source)} on {os.fsdecode(target)}")


def unmount(target: bytes, flags: int = 0) -> None:
    """Remove a mount (`umount2`)."""
    _checked(_LIBC.umount2(target, ctypes.c_int(flags)), f"umount {os.fsdecode(target)}")


def pivot_root(new: bytes, old: bytes) -> None:
    """Make another mount the root of this mount namespace (`pivot_root`)."""
    call("pivot_root", _number_of_pivot_root(), new, old)


def _number_of_pivot_root() -> int:
    return {"x86_64": 155, "aarch64": 41, "riscv64": 41}[os.uname().machine]


def open_tree(directory: int, path: bytes, flags: int) -> int:
    """Return a descriptor of a detached copy of the mounts at a path (`open_tree`), with CLOEXEC."""
    return call(f"open_tree {os.fsdecode(path)}", _OPEN_TREE, directory, path, flags | os.O_CLOEXEC)


def move_mount(tree: int, directory: int, path: bytes) -> None:
    """Attach a detached tree at a path: move_mount."""
    call(
        f"move_mount {os.fsdecode(path)}", _MOVE_MOUNT, tree, b"", directory, path, MOVE_MOUNT_F_EMPTY_PATH
    )


def mount_setattr(tree: int, path: bytes, flags: int, attributes: int) -> None:
    """Set attributes of a mount, or of a whole tree of mounts with `AT_RECURSIVE` (`mount_setattr`)."""
    # struct mount_attr: attributes to set, to clear, propagation, user namespace; four 64 bit numbers.
    wanted = ctypes.create_string_buffer(attributes.to_bytes(8, sys.byteorder) + bytes(24), 32)
    call("mount_setattr", _MOUNT_SETATTR, tree, path, flags, wanted, 32)


def detached_proc() -> int:
    """Return a descriptor of a /proc of this pid namespace that is mounted nowhere."""
    context = call("fsopen", _FSOPEN, b"proc", 1)
    try:
        call("fsconfig", _FSCONFIG, context, 6, None, None, 0)
        mounted = call("fsmount", _FSMOUNT, context, 1, 0)
    finally:
        os.close(context)
    try:
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=mounted)
    finally:
        os.close(mounted)


def prctl(option: int, first: int = 0, second: int = 0) -> int:
    """Change an attribute of this process (`prctl`)."""
    done = _LIBC.prctl(ctypes.c_int(option), *(ctypes.c_ulong(item) for item in (first, second, 0, 0)))
    return _checked(done, f"prctl {option}")


def prctl_pointer(option: int, first: int, pointer: ctypes.Structure) -> int:
    """Call prctl with a pointer to a structure as its third argument."""
    done = _LIBC.prctl(ctypes.c_int(option), ctypes.c_ulong(first), ctypes.byref(pointer), 0, 0)
    return _checked(done, f"prctl {option}")


def close_range(first: int, last: int = 0xFFFFFFFF, flags: int = 0) -> None:
    """Close the descriptors from `first` to `last`, or have them closed by exec (`close_range`)."""
    call("close_range", _CLOSE_RANGE, first, last, flags)


def forget_signal_handlers() -> None:
    """Give every signal its default action in this process (`signal`), also those that Python ignores."""
    for number in range(1, 65):
        _LIBC.signal(number, None)


def wipe_arguments() -> None:
    """Overwrite the command line and the environment that this process was started with.

    /proc/PID/cmdline can be read by anyone who sees the process, and shows this memory.
    """
    with open("/proc/self/stat", "rb", buffering=0) as file:
        fields = file.read().rpartition(b")")[2].split()
    # Fields 48 to 51 of proc(5): where arguments and environment begin and end; the list starts at 3.
    first, end_of_arguments, _, end = (int(fields[number - 3]) for number in (48, 49, 50, 51))
    if 0 < first <= end_of_arguments <= end:
        ctypes.memset(first, 0, end - first)


def signal_descriptor(number: signal.Signals) -> int:
    """Return a descriptor from which this (blocked) signal can be read (`signalfd`)."""
    mask = ctypes.create_string_buffer((1 << (number - 1)).to_bytes(8, "little") + bytes(120), 128)
    return _checked(_LIBC.signalfd(-1, mask, os.O_CLOEXEC | os.O_NONBLOCK), "signalfd")


def drop_capabilities() -> None:
    """Give up every capability in every set of this process, for good.

    `SECBIT_NOROOT` with its lock: user id 0 gets none back by executing a program.
    """
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break
    prctl(PR_SET_SECUREBITS, 0b11)
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = ctypes.create_string_buffer((0x20080522).to_bytes(4, sys.byteorder) + bytes(4), 8)
    empty = ctypes.create_string_buffer(24)
    _checked(_LIBC.capset(header, empty), "capset")


@functools.cache
def landlock_version() -> int:
    """Return the version of Landlock's interface, or 0 where there is none."""
    if not LINUX:
        return 0
    try:
        return call("landlock", _LANDLOCK_CREATE_RULESET, None, 0, 1)
    except OSError:
        return 0


def landlock_ruleset(attributes: bytes) -> int:
    """Return a descriptor of a new rule set; `attributes` is a struct landlock_ruleset_attr."""
    return call("landlock_create_ruleset", _LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)


def landlock_allow_beneath(ruleset: int, rights: int, directory: int) -> None:
    """Allow rights on everything beneath a directory."""
    rule = rights.to_bytes(8, sys.byteorder) + directory.to_bytes(4, sys.byteorder, signed=True)
    call("landlock_add_rule", _LANDLOCK_ADD_RULE, ruleset, 1, rule, 0)


def landlock_restrict(ruleset: int) -> None:
    """Restrict this process, and all that it starts, to what the rule set allows."""
    call("landlock_restrict_self", _LANDLOCK_RESTRICT_SELF, ruleset, 0)


# ------------------------------------------------------------------------------------------------
# New mounts

FSCONFIG_SET_FLAG = 0
FSCONFIG_SET_STRING = 1
FSCONFIG_CMD_CREATE = 6
_FSOPEN = 430
_FSCONFIG = 431
_FSMOUNT = 432


def fsopen(kind: bytes) -> int:
    """Return a descriptor of a file system that is to be configured (`fsopen`), with CLOEXEC."""
    return call(f"fsopen {os.fsdecode(kind)}", _FSOPEN, kind, 1)


def fsconfig(context: int, command: int, key: bytes | None = None, value: bytes | None = None) -> None:
    """Set a parameter of a file system that is configured, or create it (`fsconfig`).

    A value is cut by no option string, and may have 255 bytes.
    """
    call(f"fsconfig {os.fsdecode(key or b'create')}", _FSCONFIG, context, command, key, value, 0)


def fsmount(context: int, attributes: int = 0) -> int:
    """Return a descriptor of a detached mount of what was configured (`fsmount`), with CLOEXEC."""
    return call("fsmount", _FSMOUNT, context, 1, attributes)


def sync_file_system(descriptor: int) -> None:
    """Write to the disk what the descriptor's file system has not written yet (`syncfs`)."""
    _checked(_LIBC.syncfs(ctypes.c_int(descriptor)), "syncfs")
