"""The controller dies at any point: the world is opened again as it was before or after a step."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from support.worlds import Place, placed, tree, write

from eclogue.runtime.manifest import Manifest
from eclogue.runtime.sandbox import crashpoint
from eclogue.runtime.scope import ROOT, World

_RANDOM = int(os.environ.get("ECLOGUE_KILLS", "30"))
"""Random kills for each provider and user; there are four of those, where all can be had."""

Seen = dict[str, dict[bytes, object]]
"""What each open scope shows, and what the workspace has."""


def shape(found: Manifest) -> dict[bytes, object]:
    return {
        path: (item.node, item.digest)
        for path, item in found.items()
        if path and not path.startswith(b".new") and path != b".eclogue.merging"
    }


def seen(world: World) -> Seen:
    found = {"workspace": shape(tree(world.base))}
    if not world.applied:
        found |= {scope.name: shape(scope.manifest()) for scope in world.scopes()}
    return found


def fill(base: Path) -> None:
    (base / "d").mkdir()
    for number in range(6):
        (base / "d" / str(number)).write_text(f"{number}\n")
    (base / "f").write_text("f\n")


def whole(world: World, scope: str, path: str, text: str) -> None:
    """Write a file so that it is there as a whole or not at all."""
    one = world.scope(scope)
    write(one, ".new", text)
    os.rename(".new", path, src_dir_fd=one.directory(), dst_dir_fd=one.directory())


def steps(world: World) -> Iterator[Callable[[], object]]:
    """Yield a script: forks, writes, runs, freezes, merges, discards, reverts, and the last merge."""
    yield lambda: whole(world, ROOT, "a", "1")
    for round_ in range(2):
        one, two = f"one{round_}", f"two{round_}"
        yield lambda one=one: world.root.fork(one)
        yield lambda one=one, round_=round_: whole(world, one, "d/0", f"changed {round_}")
        yield lambda one=one, two=two: world.scope(one).fork(two)
        yield lambda two=two: world.scope(two).run(["sh", "-c", "echo run > .new; mv .new d/ran"])
        yield lambda two=two: whole(world, two, "d/n", "n")
        yield lambda round_=round_: whole(world, ROOT, f"b{round_}", "b")
        yield lambda two=two: world.scope(two).merge()
        yield lambda one=one, round_=round_: world.scope(one).merge() if round_ != 1 else None
        yield lambda one=one, round_=round_: world.scope(one).discard() if round_ == 1 else None
        for number in range(9 * (1 - round_)):
            yield lambda number=number: whole(world, ROOT, f"c{number}", str(number))
            yield world.root.freeze
    state = world.root.freeze()
    yield lambda: whole(world, ROOT, "gone", "gone")
    yield lambda: world.root.revert(state)
    yield world.apply


def reference(place: Place) -> list[Seen]:
    """Return what is seen before the script and after each of its steps."""

    def act(here: Place) -> list[Seen]:
        fill(here.base)
        with here.create() as world:
            found = [seen(world)]
            for step in steps(world):
                step()
                found.append(seen(world))
        return found

    return place.do(act)


def play(place: Place, point: str | None) -> None:
    """Play the script in this process, which dies at a point."""
    if point is not None:
        os.environ[crashpoint.VARIABLE] = point
    with place.create() as world:
        for step in steps(world):
            step()


def after_death(place: Place) -> Seen:
    """Return what is seen when the world is opened again, and that nothing is left over."""

    def act(here: Place) -> Seen:
        with World.reopen(here.state) as world:
            found = seen(world)
            if not world.applied:
                world.root.fork("afterwards").discard()
            known = world._layers.keys() | {facts.upper for facts in world._facts.values()} | {"base"}
            for folder in ("layers", "trees"):
                if (here.state / folder).is_dir():
                    assert set(os.listdir(here.state / folder)) <= known
            assert not (here.state / "apply").exists()
        return found

    found = place.do(act)
    deadline = time.monotonic() + 10
    while processes_in(place.folder) and time.monotonic() < deadline:
        time.sleep(0.02)  # the kernel ends them with their controller, in its own time
    assert processes_in(place.folder) == []
    return found


def processes_in(folder: Path) -> list[str]:
    """Return the processes that work in a folder: a keeper, or a program."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            where = os.readlink(f"/proc/{name}/cwd")
        except OSError:
            continue
        if where.startswith(str(folder)):
            found.append(name)
    return found


def die(place: Place, point: str | None, seconds: float | None) -> bool:
    """Play the script in a child as the user; return whether it died, at the point or by our hand."""
    from support.users import become_nobody, has_root

    child = os.fork()
    if child == 0:
        try:
            if place.kind.endswith("nobody") and has_root():
                become_nobody()
            play(place, point)
        finally:
            os._exit(0)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == -signal.SIGKILL


def fresh(place: Place) -> Iterator[Place]:
    with placed(place.kind) as made:
        made.do(lambda here: fill(here.base))
        yield made


def test_dying_at_every_named_point(place: Place) -> None:
    states = reference(place)
    died = []
    for point in crashpoint.POINTS:
        for made in fresh(place):
            if die(made, point, None):
                died.append(point)
                assert after_death(made) in states, point
    missing = set(crashpoint.POINTS) - set(died)
    assert missing <= ({"squash.made", "squash.after"} if place.provider == "copy" else set())


def test_dying_at_random_points(place: Place) -> None:
    began = time.monotonic()
    states = reference(place)
    whole_run = time.monotonic() - began
    rng = Random(place.kind)
    died = 0
    for _ in range(_RANDOM):
        for made in fresh(place):
            if die(made, None, rng.uniform(0.0, whole_run)):
                died += 1
                if _was_made(made):
                    assert after_death(made) in states
    assert died > _RANDOM // 4


def _was_made(place: Place) -> bool:
    """Whether the world was there before its controller died."""
    journal = place.state / "journal"
    return journal.exists() and journal.read_bytes().count(b"\n") > 1
