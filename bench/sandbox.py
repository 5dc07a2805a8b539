"""What scopes cost, against the raw system calls, in one run: `python bench/sandbox.py [--quick]`.

The floor is what the kernel takes for the same: a process of its own with a mount namespace makes the
directories and mounts, and nothing else. Figures are medians in milliseconds; the ratio is to the floor.
"""

from __future__ import annotations

import os
import pickle
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from eclogue.runtime.sandbox import syscalls
from eclogue.runtime.sandbox.interface import ProcessLimits
from eclogue.runtime.scope import Scope, World
from eclogue.runtime.store import RunLog
from eclogue.runtime.store.retention import size_of

QUICK = "--quick" in sys.argv
ROUNDS = 10 if QUICK else 30


def median(step: Callable[[int], object], rounds: int = ROUNDS) -> float:
    """Return the median time of a step, in milliseconds."""
    times = []
    for number in range(rounds):
        began = time.perf_counter()
        step(number)
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


def write(scope: Scope, name: str) -> None:
    """Write a small file in a scope."""
    number = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644, dir_fd=scope.directory())
    os.write(number, b"x")
    os.close(number)


def workspace(folder: Path, kind: str) -> Path:
    """Make a workspace of ten files, of 2,000, or of one large one."""
    base = folder / "base"
    base.mkdir(parents=True)
    if kind == "500 MB":
        with (base / "large").open("wb") as file:
            file.write(os.urandom(1 << 20) * (50 if QUICK else 500))
    for number in range({"10 files": 10, "2,000 files": 2000, "500 MB": 1}[kind]):
        place = base / f"d{number % 20}"
        place.mkdir(exist_ok=True)
        (place / f"f{number}").write_text("content\n")
    return base


# ------------------------------------------------------------------------------------------------
# The floor


def floor(base: Path, folder: Path) -> dict[str, float]:
    """Return the medians of the raw steps, measured in a child with a mount namespace of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        found = _raw(base, folder)
        os.write(writing, pickle.dumps(found))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer: dict[str, float] = pickle.loads(pipe.read())
    os.waitpid(child, 0)
    return answer


def _raw(base: Path, folder: Path) -> dict[str, float]:
    user, group = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.CLONE_NEWNS | (0 if user == 0 else syscalls.CLONE_NEWUSER))
    if user != 0:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    syscalls.mount(b"none", b"/", b"", syscalls.MS_REC | syscalls.MS_PRIVATE)
    folder.mkdir()
    os.chdir(folder)
    os.symlink(base, "base")
    flags = b"" if user == 0 else b",userxattr"

    def mount(number: int, lower: bytes) -> None:
        for name in ("u", "w", "m"):
            os.mkdir(f"{name}{number}")
        options = b"lowerdir=%s,upperdir=u%d,workdir=w%d,volatile" % (lower, number, number)
        syscalls.mount(b"x", b"m%d" % number, b"overlay", 0, options + flags)

    mount(0, b"base")
    Path("m0/first").write_text("x")

    def fork(number: int) -> None:
        mount(2 * number + 2, b"u0:base")
        mount(2 * number + 3, b"u0:base")

    def cycle(number: int) -> None:
        mount(10_000 + number, b"u0:base")
        Path(f"m{10_000 + number}/written").write_text("x")
        syscalls.unmount(b"m%d" % (10_000 + number))
        shutil.rmtree(f"u{10_000 + number}")
        shutil.rmtree(f"w{10_000 + number}")

    found = {"fork": median(fork), "fork+write+discard": median(cycle)}
    for number in range(2, 2 * ROUNDS + 2):
        syscalls.unmount(b"m%d" % number, syscalls.MNT_DETACH)
    return found


# ------------------------------------------------------------------------------------------------
# Scopes


def scopes(base: Path, state: Path, commits: int) -> dict[str, float]:
    """Return the medians of what scopes do, after so many frozen states."""
    with World.create(base, state) as world:
        root = world.root
        for number in range(commits):
            write(root, f"commit{number % 50}")
            root.freeze()
        kept: list[Scope] = []

        def fork_both(number: int) -> None:
            kept.append(root.fork(f"fork{number}"))
            root.directory()
            kept[-1].directory()

        def dirty(number: int) -> None:
            write(root, "dirty")
            began.append(time.perf_counter())
            fork_both(number + 1000)
            times.append(time.perf_counter() - began[-1])

        began: list[float] = []
        times: list[float] = []
        clean = median(fork_both)
        median(dirty)
        for scope in kept:
            scope.discard()

        def cycle(number: int) -> None:
            child = root.fork(f"cycle{number}")
            write(child, "written")
            child.discard()

        found = {"fork, nothing new": clean, "fork": 1000 * statistics.median(times)}
        found["fork+write+discard"] = median(cycle)

        def merge(number: int) -> None:
            child = root.fork(f"merge{number}")
            write(child, f"merged{number}")
            child.merge()

        found["fork+write+merge"] = median(merge)
        state_name = root.freeze()

        def revert(_: int) -> None:
            write(root, "away")
            root.revert(state_name)
            root.directory()

        found["write+revert"] = median(revert)
        found["run true"] = median(lambda _: root.run(["true"], limits=ProcessLimits()))
        return found


def storage(base: Path, state: Path) -> float:
    """Return the bytes on disk that one fork takes."""
    with World.create(base, state) as world:
        before = size_of(state)
        for number in range(50):
            world.root.fork(f"fork{number}").directory()
        return (size_of(state) - before) / 50


def side_by_side(base: Path, state: Path, count: int = 64) -> float:
    """Return the milliseconds of opening, writing and discarding so many branches that are open at once."""
    with World.create(base, state) as world:
        began = time.perf_counter()
        branches = [world.root.fork(f"branch{number}") for number in range(count)]
        for scope in branches:
            write(scope, "mine")
        for scope in branches:
            scope.discard()
        return 1000 * (time.perf_counter() - began)


def logging(folder: Path) -> float:
    """Return the milliseconds of writing down one record, without syncs."""
    from eclogue.core.trace import EffectDeclaration

    folder.mkdir()
    log = RunLog.create(folder)
    record = EffectDeclaration("fs.write", "a payload of some length")
    count = 2_000
    began = time.perf_counter()
    for number in range(count):
        log(number, record, None)
        log.note(number, state="12", scope="main")
    found = 1000 * (time.perf_counter() - began) / count
    log.close()
    return found


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind in ("10 files", "2,000 files", "500 MB"):
            place = folder / kind.replace(",", "").replace(" ", "-")
            base = workspace(place, kind)
            raw = floor(base, place / "raw")
            histories = (1, 100, 1000) if kind == "10 files" and not QUICK else (1,)
            for commits in histories:
                print(f"\n{kind}, after {commits} commits")
                for step, milliseconds in scopes(base, place / f"state{commits}", commits).items():
                    ratio = f"{milliseconds / raw[step]:5.1f} × {raw[step]:.2f}" if step in raw else ""
                    print(f"  {step:<20} {milliseconds:8.2f} ms  {ratio}")
        base = folder / "10-files" / "base"
        print(f"\nstorage of a fork      {storage(base, folder / 'storage'):8.0f} bytes")
        print(f"64 branches at once    {side_by_side(base, folder / 'side'):8.1f} ms")
        print(f"a record and its note  {logging(folder / 'log'):8.3f} ms")


if __name__ == "__main__":
    main()
