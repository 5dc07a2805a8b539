"""Tests run by root and by somebody without privileges: the same code, in a child that changes its user."""

from __future__ import annotations

import os
import pickle
import time
import traceback
from collections.abc import Callable
from typing import TypeVar

from eclogue.runtime.sandbox import syscalls

R = TypeVar("R")

NOBODY = 65534


def has_root() -> bool:
    """Whether this process is run by root."""
    return os.geteuid() == 0


def as_nobody(function: Callable[[], R]) -> R:
    """Return what the function returns in a child without privileges; its failure is raised here, with
    its text.

    Without root only the child is made: the caller has no privileges then.
    """
    return in_child(function, change_user=has_root())


def in_child(function: Callable[[], R], *, change_user: bool = False) -> R:
    """Return what the function returns in a forked child; its failure is raised here, with its text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _answer(writing, function, change_user)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    assert answer, "the child without privileges died without an answer"
    worked, result, text = pickle.loads(answer)
    if worked:
        return result  # type: ignore[no-any-return]
    if isinstance(result, BaseException):
        result.add_note(text)
        raise result
    raise AssertionError(text)


def become_nobody() -> None:
    """Give up root for good; that the kernel resets "dumpable" with the user is undone."""
    os.setgroups(())
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)


def become_reaper() -> None:
    """Have every descendant that loses its parent be a child of this process."""
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)


def everybody_ends(seconds: float = 20.0) -> bool:
    """Whether all descendants of a reaper end within this time; reaps them."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.0005)
        except ChildProcessError:
            return True
    return False


def _answer(writing: int, function: Callable[[], object], change_user: bool) -> None:
    try:
        if change_user:
            become_nobody()
        outcome: tuple[bool, object, str] = (True, function(), "")
    except BaseException as error:
        outcome = (False, error, traceback.format_exc())
    try:
        answer = pickle.dumps(outcome)
        pickle.loads(answer)
    except Exception:
        answer = pickle.dumps((False, None, outcome[2]))
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(answer)
    os._exit(0)
