"""A checker of certificates that says on a terminal what takes long: compiling the development, once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress as Bar

from eclogue.lean.build import Progress
from eclogue.lean.certificate_check import Checker, checking


@contextmanager
def lean_checker() -> Iterator[Checker]:
    """Open a checker; while the development is compiled for the first time, a terminal shows how far."""
    bar = Bar(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    task = bar.add_task("compiling the Lean development, once", visible=False)

    def show(progress: Progress) -> None:
        if not progress.cached:
            bar.update(task, total=progress.total, completed=progress.done, visible=True)

    with bar, checking(progress=show) as checker:
        bar.stop()
        yield checker
