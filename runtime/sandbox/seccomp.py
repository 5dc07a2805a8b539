"""A filter of system calls: what no program in a sandbox needs and what attacks on kernels are made of.

Namespaces and missing capabilities already refuse most of these; the filter keeps a program from reaching
the code behind them at all. It is classic BPF, built here for x86-64 and 64 bit ARM; elsewhere there is
no filter, and `supported` says so. Refused calls give EPERM. Set-user-ID and set-group-ID bits cannot be
set on files: outside of the sandbox such a program would act for whoever runs the sandbox. `clone3`,
`openat2` and io_uring, into whose arguments a filter cannot look, give ENOSYS, upon which programs fall
back to what it can judge. A program of another architecture (32 bit on 64 bit x86) is killed by SIGSYS.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import struct

import attrs

from eclogue.runtime.sandbox.syscalls import LINUX, PR_SET_SECCOMP, prctl_pointer

_KILL = 0x80000000
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE = 0, 4

Lines = list[tuple[int, int, int, int]]
"""Instructions: code, lines to skip if true, lines to skip if false, operand."""

_NEW_NAMESPACES = 0x7E020000
"""The CLONE_NEW… flags of clone(2); CLONE_NEWTIME is not one of them, only of unshare and clone3."""
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_CREATES = 0o100 | 0o20000000
"""O_CREAT and O_TMPFILE: with neither, the mode of open(2) is whatever stood in the register."""
_SET_ID = 0o6000
_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. AF_VSOCK, for one, is not held by a network namespace."""


@attrs.frozen
class _Architecture:
    audit: int
    column: int
    clone: int
    socket: int
    ioctl: int
    modes: dict[int, int]
    """Calls that set a mode: number, and which argument it is."""
    opens: dict[int, int]
    """Calls that open and may create: number, and which argument the flags are; the mode is the next."""
    x32: bool = False


REFUSED: dict[str, tuple[int, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "finit_module": (313, 273),
    "init_module": (175, 105),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "open_by_handle_at": (304, 265),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}
"""Name: number on x86-64, number on 64 bit ARM (None: it has no such call)."""
_X86_64 = _Architecture(
    audit=0xC000003E,
    column=0,
    clone=56,
    socket=41,
    ioctl=16,
    modes={90: 1, 91: 1, 268: 2, 452: 2, 133: 1, 259: 2, 85: 1},
    opens={2: 1, 257: 2},
    x32=True,
)
_AARCH64 = _Architecture(
    audit=0xC00000B7,
    column=1,
    clone=220,
    socket=198,
    ioctl=29,
    modes={52: 1, 53: 2, 452: 2, 33: 2},
    opens={56: 2},
)
_ARCHITECTURES = {"x86_64": _X86_64, "aarch64": _AARCH64}
_EVERYWHERE = (428, 429, 430, 431, 432, 433, 438, 442, 443, 467)
"""open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, pidfd_getfd, mount_setattr, quotactl_fd,
open_tree_attr."""
_UNKNOWN = (425, 426, 427, 435, 437)
"""io_uring_setup, io_uring_enter, io_uring_register, clone3, openat2: as if this kernel lacked them."""


def supported() -> bool:
    """Whether there is a filter for this machine."""
    return LINUX and os.uname().machine in _ARCHITECTURES


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


@functools.cache
def build(name: str) -> bytes:
    """Return the filter for a machine, as `uname` calls it: an array of struct sock_filter."""
    machine = _ARCHITECTURES[name]
    lines: Lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, machine.audit),
        _answer(_KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine.x32:
        lines += [(_JUMP_AT_LEAST, 0, 1, 0x40000000), _answer(_KILL)]
    refused = [numbers[machine.column] for numbers in REFUSED.values()]
    for number in (*refused, *_EVERYWHERE):
        if number is not None:
            lines += _when(number, [_answer(_ERRNO | errno.EPERM)])
    for number in _UNKNOWN:
        lines += _when(number, [_answer(_ERRNO | errno.ENOSYS)])
    lines += _when(machine.clone, _refuse_bits(0, _NEW_NAMESPACES))
    for number, place in machine.modes.items():
        lines += _when(number, _refuse_bits(place, _SET_ID))
    for number, place in machine.opens.items():
        creating = [_argument(place), (_JUMP_ANY_BIT, 1, 0, _CREATES), _answer(_ALLOW)]
        lines += _when(number, creating + _refuse_bits(place + 1, _SET_ID))
    lines += _when(machine.socket, _only_families())
    lines += _when(machine.ioctl, _no_typing_for_others())
    lines.append(_answer(_ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def _answer(action: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, action)


def _argument(place: int) -> tuple[int, int, int, int]:
    """Load the lower half of an argument of the call."""
    return (_LOAD, 0, 0, 16 + 8 * place)


def _when(number: int, lines: Lines) -> Lines:
    """Carry out lines, which end in an answer, for the call of this number."""
    return [(_JUMP_EQUAL, 0, len(lines), number), *lines]


def _refuse_bits(place: int, bits: int) -> Lines:
    refusing = _answer(_ERRNO | errno.EPERM)
    return [_argument(place), (_JUMP_ANY_BIT, 0, 1, bits), refusing, _answer(_ALLOW)]


def _only_families() -> Lines:
    count = len(_FAMILIES)
    allowed = [(_JUMP_EQUAL, count - place, 0, family) for place, family in enumerate(_FAMILIES)]
    return [_argument(0), *allowed, _answer(_ERRNO | errno.EAFNOSUPPORT), _answer(_ALLOW)]


def _no_typing_for_others() -> Lines:
    return [
        _argument(1),
        (_JUMP_EQUAL, 1, 0, _TIOCSTI),
        (_JUMP_EQUAL, 0, 1, _TIOCLINUX),
        _answer(_ERRNO | errno.EPERM),
        _answer(_ALLOW),
    ]


def install() -> None:
    """Filter the system calls of this process from now on, where there is a filter; needs no_new_privs."""
    if not supported():
        return
    program = build(os.uname().machine)
    prctl_pointer(PR_SET_SECCOMP, 2, _Program(len(program) // 8, program))
