"""A plain directory as a workspace, and programs run in it: by root, and by somebody without privileges."""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from eclogue.runtime.sandbox.interface import Availability, Finished
from eclogue.runtime.sandbox.isolation import probe_processes
from eclogue.runtime.sandbox.process import ViewHandle, run_in
from support.users import NOBODY, as_nobody, has_root, in_child

R = TypeVar("R")


@functools.cache
def isolation(who: str) -> Availability:
    """Return whether programs can be isolated here when `root` or `nobody` runs them; tried once."""
    return as_nobody(probe_processes) if who == "nobody" else in_child(probe_processes)


class Boxed:
    """A workspace that belongs to the user who runs the sandbox."""

    def __init__(self, who: str, folder: Path) -> None:
        self.who = who
        self.folder = folder

    def do(self, function: Callable[[ViewHandle], R]) -> R:
        """Call a function with the view, as the user, in a child of the test."""

        def act() -> R:
            directory = os.open(self.folder, os.O_PATH | os.O_DIRECTORY)
            try:
                return function(ViewHandle(directory))
            finally:
                os.close(directory)

        return as_nobody(act) if self.who == "nobody" else in_child(act)

    def run(self, argv: Sequence[str | bytes], **options: Any) -> Finished:
        """Run a program in the workspace, as the user."""
        return self.do(lambda view: run_in(view, argv, **options))

    def shell(self, script: str, **options: Any) -> Finished:
        """Run a shell script in the workspace, as the user."""
        return self.run(["/bin/sh", "-c", script], **options)

    def python(self, script: str, *arguments: str, **options: Any) -> Finished:
        """Run a Python program with the system's interpreter in the workspace, as the user."""
        return self.run(["/usr/bin/python3", "-c", script, *arguments], **options)


@contextmanager
def boxed(who: str) -> Iterator[Boxed]:
    """Make a workspace for `root` or `nobody`; not in pytest's folders, which only their owner can
    enter.
    """
    folder = Path(tempfile.mkdtemp(prefix="eclogue-box-"))
    try:
        if who == "nobody" and has_root():
            os.chown(folder, NOBODY, NOBODY)
        yield Boxed(who, folder)
    finally:
        shutil.rmtree(folder)
