"""How long `true` takes in a sandbox, beside what the system itself takes: `python
bench/sandboxed_processes.py`.

Each line is the median of so many runs, in milliseconds of wall time, and the ratio to `unshare` with the
same namespaces, which is the floor: it starts `true` there, and does nothing else that a sandbox does.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from eclogue.runtime.sandbox.interface import SandboxError
from eclogue.runtime.sandbox.process import ViewHandle, run_in
from eclogue.runtime.scope import World

UNSHARE = ["unshare", "-U", "-m", "-p", "-n", "-i", "-u", "-C", "-r", "--fork", "--mount-proc", "true"]


def median(act: Callable[[], object], runs: int) -> float:
    """Return the median time in milliseconds."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        act()
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def fork() -> None:
    """Fork this process, and have the child end."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def view_of(folder: Path, files: int) -> ViewHandle:
    """Make a folder with so many files, and return it as a view."""
    folder.mkdir()
    for number in range(files):
        (folder / str(number)).write_text("text\n")
    return ViewHandle(os.open(folder, os.O_PATH | os.O_DIRECTORY))


def at_once(view: ViewHandle, count: int) -> None:
    """Run so many programs, as many at a time."""
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(lambda _: run_in(view, ["true"]), range(count)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    runs = parser.parse_args().runs
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="eclogue-bench-")))
        floor = median(lambda: subprocess.run(UNSHARE, check=True), runs)

        def line(what: str, act: Callable[[], object], each: int = 1) -> None:
            taken = median(act, max(1, runs // each)) / each
            print(f"{what:<52} {taken:8.2f} ms {taken / floor:8.2f} x")

        print(f"{'unshare, all namespaces: true':<52} {floor:8.2f} ms {1:8.2f} x")
        line("fork of this process", fork)
        line("true, without a sandbox", lambda: subprocess.run(["true"], check=True))
        if shutil.which("bwrap"):
            bwrap = [
                "bwrap",
                "--unshare-all",
                "--ro-bind",
                "/",
                "/",
                "--proc",
                "/proc",
                "--dev",
                "/dev",
                "true",
            ]
            line("bwrap: true", lambda: subprocess.run(bwrap, check=True))
        few, many = view_of(folder / "few", 10), view_of(folder / "many", 2000)
        line("run_in, not isolated", lambda: run_in(few, ["true"], isolated=False))
        line("run_in, 10 files", lambda: run_in(few, ["true"]))
        line("run_in, 2,000 files", lambda: run_in(many, ["true"]))
        line("run_in, the host's network", lambda: run_in(few, ["true"], network=True))
        line("run_in, 64 at the same time, each", lambda: at_once(few, 64), 64)
        try:
            world = stack.enter_context(World.create(folder / "many", folder / "state", provider="overlay"))
        except SandboxError as error:
            print(f"no overlay here: {error.message}")
            return
        line("a scope's run, overlay over 2,000 files", lambda: world.root.run(["true"]))
        line("fork, run, discard of a scope", _forking(world))


def _forking(world: World) -> Callable[[], object]:
    names = iter(range(1_000_000))

    def act() -> None:
        scope = world.root.fork(f"scope {next(names)}")
        scope.run(["true"])
        scope.discard()

    return act


if __name__ == "__main__":
    main()
