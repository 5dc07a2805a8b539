"""A fixed piece of work on a world, whose controller is killed in it, and which is gone on with
afterwards.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path

import attrs

from eclogue.runtime.sandbox.crashpoint import VARIABLE
from eclogue.runtime.sandbox.interface import Merged
from eclogue.runtime.sandbox.providers import Overlay
from eclogue.runtime.scope import BASE, World
from support.users import everybody_ends
from support.worlds import Place, write

Snapshot = dict[str, dict[bytes, tuple[object, ...]]]
"""For each open scope, every path with what stands there; times apart."""


@attrs.frozen
class Step:
    """One thing that is done to a world. It may be found half done at `loose`, a path of a scope, alone."""

    told: str
    act: Callable[[World], object]
    loose: tuple[str, bytes] | None = None


def _write(scope: str, path: str, text: str) -> Step:
    return Step(
        f"write {path} in {scope}",
        lambda world: write(world.scope(scope), path, text),
        (scope, path.encode()),
    )


def _run(scope: str, script: str, path: str) -> Step:
    def act(world: World) -> None:
        done = world.scope(scope).run(["/bin/sh", "-c", script])
        assert (done.code, done.err) == (0, b"")

    return Step(f"run in {scope}: {script}", act, (scope, path.encode()))


def _fork(parent: str, name: str) -> Step:
    return Step(f"fork {name}", lambda world: world.scope(parent).fork(name))


def _merge(name: str) -> Step:
    def act(world: World) -> None:
        assert isinstance(world.scope(name).merge(), Merged)

    return Step(f"merge {name}", act)


def _discard(name: str) -> Step:
    return Step(f"discard {name}", lambda world: world.scope(name).discard())


def _freezes() -> Iterable[Step]:
    """Freeze so often that layers become one."""
    for number in range(17):
        yield _write("work", "counted", str(number))
        yield Step("freeze", lambda world: world.scope("work").freeze())


WORK: tuple[Step, ...] = (
    _fork("main", "work"),
    _write("work", "a", "one"),
    _run("work", "exec mkdir -p made", "made"),
    _fork("work", "try 1"),
    _run("try 1", "echo by a program > made/file; setsid sleep 100 & :", "made/file"),
    _run("try 1", "exec rm -f there", "there"),
    _merge("try 1"),
    *_freezes(),
    _fork("work", "try 2"),
    _fork("try 2", "inner"),
    _write("inner", "b", "two"),
    _write("try 2", "c", "three"),
    _merge("inner"),
    _discard("try 2"),
    _fork("work", "try 3"),
    _fork("try 3", "inner 3"),
    _write("inner 3", "d", "four"),
    _discard("try 3"),
    _merge("work"),
    _fork("main", "last"),
    _run("last", "exec chmod 600 a", "a"),
    Step("revert last", lambda world: world.scope("last").revert(BASE)),
    _write("last", "e", "five"),
    _merge("last"),
)


def lay_out(base: Path) -> None:
    """Write the workspace on which the work is done."""
    (base / "there").write_text("seen\n")
    (base / "folder").mkdir()
    (base / "folder" / "file").write_text("in it\n")


def snapshot(world: World) -> Snapshot:
    """Read everything that every open scope shows."""
    return {
        scope.name: {
            path: (entry.node.kind, entry.node.mode, entry.node.target, entry.digest)
            for path, entry in scope.manifest().items()
        }
        for scope in world.scopes()
    }


def expected(place: Place) -> list[Snapshot]:
    """Do the work undisturbed, and return what is to be seen before the first step and after each."""
    with World.create(place.base, place.folder / "undisturbed", provider=place.provider) as world:
        seen = [snapshot(world)]
        for step in WORK:
            step.act(world)
            seen.append(snapshot(world))
    return seen


def without(seen: Snapshot, loose: tuple[str, bytes] | None) -> Snapshot:
    """Leave out a path of a scope, and what is below it."""
    if loose is None:
        return seen
    scope, path = loose
    kept = {
        there: entry
        for there, entry in seen.get(scope, {}).items()
        if there != path and not there.startswith(path + b"/")
    }
    return {**seen, scope: kept}


def controller(state: Path, start: int, said: int, die_at: str | None = None) -> int:
    """Fork a controller that does the work from a step on, and writes a byte after each step."""
    child = os.fork()
    if child:
        return child
    try:
        if die_at is not None:
            os.environ[VARIABLE] = die_at
        with World.reopen(state) as world:
            for step in WORK[start:]:
                step.act(world)
                os.write(said, b".")
        os._exit(0)
    finally:
        os._exit(1)


@attrs.define
class Crashes:
    """The work, interrupted: how far it is, how often it was killed, and what was found wrong."""

    place: Place
    seen: list[Snapshot]
    done: int = 0
    kills: int = 0
    wrong: list[str] = attrs.field(factory=list)

    def interrupt(self, wait: Callable[[], None], die_at: str | None = None) -> None:
        """Let a controller go on with the work, kill it after a while, and look at what it left."""
        reading, writing = os.pipe()
        child = controller(self.place.state, self.done, writing, die_at)
        os.close(writing)
        wait()
        os.kill(child, signal.SIGKILL)
        with os.fdopen(reading, "rb") as pipe:
            told = self.done + len(pipe.read())
        if not everybody_ends():
            self.wrong.append(f"after step {told} processes live on")
        self.kills += 1
        self.look(told)

    def look(self, told: int) -> None:
        """Open the world again: all steps that were told of are done, the next one is or is not."""
        with World.reopen(self.place.state) as world:
            found = snapshot(world)
            self.wrong += leaks(world)
        self.done = told
        if told < len(WORK):
            if found == self.seen[told + 1]:
                self.done = told + 1
            elif without(found, WORK[told].loose) != without(self.seen[told], WORK[told].loose):
                self.wrong.append(
                    f"{WORK[told].told} (step {told}) is half done: {_difference(found, self.seen[told])}"
                )
        elif found != self.seen[told]:
            self.wrong.append(
                f"the end is not as it was undisturbed: {_difference(found, self.seen[told])}"
            )


def _difference(found: Snapshot, wanted: Snapshot) -> str:
    scopes = sorted(found.keys() ^ wanted.keys())
    paths = [
        (scope, path)
        for scope in found.keys() & wanted.keys()
        for path in found[scope].keys() | wanted[scope].keys()
        if found[scope].get(path) != wanted[scope].get(path)
    ]
    return f"scopes {scopes}, paths {sorted(paths)}"


def leaks(world: World) -> list[str]:
    """Return what lies in a world's folder and belongs to nothing, and mounts that are seen outside."""
    known = world._layers.keys() | {facts.upper for facts in world._facts.values()}
    folder = "layers" if isinstance(world.views, Overlay) else "trees"
    wrong = [
        f"{folder}/{name}" for name in os.listdir(world.state / folder) if name not in {*known, "base"}
    ]
    if (world.state / "work").is_dir():
        wrong += [f"work/{name}" for name in os.listdir(world.state / "work") if name not in known]
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        wrong += [line for line in file if str(world.state) in line]
    return wrong
