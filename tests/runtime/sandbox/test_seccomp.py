"""The filter of system calls, carried out by an interpreter of its five instructions, for each
architecture.
"""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from eclogue.runtime.sandbox import seccomp

ALLOWED, KILLED = "allowed", "killed"
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
_NAMES = (
    "clone", "socket", "ioctl", "fchmodat", "openat", "read", "mount", "ptrace", "execve", "mknodat",
    "keyctl",
)  # fmt: skip
NUMBERS = {
    "x86_64": dict(zip(_NAMES, (56, 41, 16, 268, 257, 0, 165, 101, 59, 259, 250), strict=True)),
    "aarch64": dict(zip(_NAMES, (220, 198, 29, 53, 56, 63, 40, 117, 221, 33, 219), strict=True)),
}


def outcome(machine: str, number: int, *arguments: int, audit: int | None = None) -> str | int:
    """Return what the filter answers to a call: allowed, killed, or an error number."""
    given = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=iIQ6Q", number, AUDIT[machine] if audit is None else audit, 0, *given)
    lines = list(struct.iter_unpack("=HBBI", seccomp.build(machine)))
    loaded, place = 0, 0
    while True:
        code, yes, no, operand = lines[place]
        place += 1
        if code == 0x20:
            (loaded,) = struct.unpack_from("=I", data, operand)
        elif code == 0x06:
            kind, value = operand & 0x7FFF0000, operand & 0xFFFF
            return {0x7FFF0000: ALLOWED, 0x00050000: value}.get(kind, KILLED)
        else:
            holds = {0x15: loaded == operand, 0x35: loaded >= operand, 0x45: bool(loaded & operand)}[code]
            place += yes if holds else no


@pytest.fixture(params=sorted(AUDIT))
def machine(request: pytest.FixtureRequest) -> str:
    """Name a machine that there is a filter for."""
    return str(request.param)


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("read", (0, 0, 0), ALLOWED),
        ("execve", (), ALLOWED),
        ("mount", (), errno.EPERM),
        ("ptrace", (), errno.EPERM),
        ("keyctl", (), errno.EPERM),
        ("clone", (0x01200011,), ALLOWED),
        ("clone", (0x003D0F00,), ALLOWED),
        *(("clone", (flag | 17,), errno.EPERM) for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000)),
        *(("clone", (flag | 17,), errno.EPERM) for flag in (0x10000000, 0x20000000, 0x40000000)),
        *(("socket", (family,), ALLOWED) for family in (1, 2, 10, 16)),
        *(("socket", (family,), errno.EAFNOSUPPORT) for family in (0, 3, 15, 17, 38, 40, 44)),
        ("ioctl", (1, 0x5401), ALLOWED),
        ("ioctl", (1, 0x5412), errno.EPERM),
        ("ioctl", (1, 0x541C), errno.EPERM),
        ("fchmodat", (-100 & 0xFFFFFFFF, 0, 0o1777), ALLOWED),
        ("fchmodat", (-100 & 0xFFFFFFFF, 0, 0o4755), errno.EPERM),
        ("fchmodat", (-100 & 0xFFFFFFFF, 0, 0o2755), errno.EPERM),
        ("mknodat", (0, 0, 0o100644), ALLOWED),
        ("mknodat", (0, 0, 0o104755), errno.EPERM),
        ("openat", (0, 0, 0o102, 0o644), ALLOWED),
        ("openat", (0, 0, 0o102, 0o4755), errno.EPERM),
        ("openat", (0, 0, 0o20200002, 0o4755), errno.EPERM),
        ("openat", (0, 0, 0o2, 0o6777), ALLOWED),
    ],
)
def test_calls_are_answered(
    machine: str, call: str, arguments: tuple[int, ...], expected: str | int
) -> None:
    assert outcome(machine, NUMBERS[machine][call], *arguments) == expected


@pytest.mark.parametrize("number", [425, 426, 427, 435, 437])
def test_calls_that_cannot_be_judged_are_unknown(machine: str, number: int) -> None:
    assert outcome(machine, number) == errno.ENOSYS


def test_other_architectures_are_killed(machine: str) -> None:
    assert outcome(machine, 0, audit=0x40000003) == KILLED
    assert outcome("x86_64", 0x40000000 + 1) == KILLED


def test_the_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip("the kernel's headers are not installed")
    text = HEADERS[machine].read_text(encoding="utf-8")
    known = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    for name, numbers in seccomp.REFUSED.items():
        number = numbers[sorted(AUDIT, reverse=True).index(machine)]
        assert number is None or number == known[name]
        assert number is None or outcome(machine, number) == errno.EPERM
    assert {name: known[name] for name in NUMBERS[machine]} == NUMBERS[machine]


@pytest.mark.parametrize("call", ["x86_64", "aarch64"])
def test_every_path_of_the_filter_ends_in_an_answer(call: str) -> None:
    for number in range(600):
        for argument in (0, 0o6000, 0x10000000):
            assert outcome(call, number, argument, argument, argument, argument) is not None
