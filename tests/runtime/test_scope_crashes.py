"""The controller of a world is killed anywhere in its work: nothing is lost, nothing half done, nothing
leaks.
"""

from __future__ import annotations

import os
import random
import signal
import time

import pytest
from hypothesis import settings
from support.crashing import WORK, Crashes, expected, lay_out
from support.users import become_reaper, everybody_ends
from support.worlds import Place, tree, write

from eclogue.runtime.manifest import Manifest
from eclogue.runtime.sandbox.crashpoint import POINTS, VARIABLE
from eclogue.runtime.sandbox.interface import Merged
from eclogue.runtime.scope import World

pytestmark = pytest.mark.usefixtures("isolating")
LONG = settings.default is settings.get_profile("long")
ROUNDS = 20 if LONG else 1
"""How often the whole work is done; a round kills the controller some fifteen times."""
APPLYING = 100 if LONG else 4
SEED = random.randrange(1 << 30) if LONG else 11
WORKING = [point for point in POINTS if not point.startswith(("create.", "apply."))]


def start(place: Place) -> Crashes:
    become_reaper()
    lay_out(place.base)
    crashes = Crashes(place, expected(place))
    place.create().close()
    return crashes


def test_killed_at_random_points(place: Place) -> None:
    def act(place: Place) -> tuple[list[str], int]:
        crashes, chance = start(place), random.Random(SEED)
        for number in range(ROUNDS):
            if number:
                crashes.place = Place(place.kind, place.folder / str(number))
                crashes.place.folder.mkdir()
                crashes.place.base.symlink_to(place.base)
                crashes.place.create().close()
                crashes.done = 0
            longest = 0.04
            while crashes.done < len(WORK) and not crashes.wrong:
                before = crashes.done
                crashes.interrupt(lambda: time.sleep(chance.uniform(0.0, longest)))  # noqa: B023
                # A machine that is busy with other things must come to the end all the same.
                longest = 0.04 if crashes.done > before else longest * 1.5
        return crashes.wrong, crashes.kills

    wrong, kills = place.do(act)
    assert wrong == [], SEED
    assert kills >= 5 * ROUNDS


@pytest.mark.parametrize("point", WORKING)
def test_killed_at_each_named_point(place: Place, point: str) -> None:
    if point.startswith("squash.") and place.provider == "copy":
        pytest.skip("copies have no layers that could become one")

    def act(place: Place) -> tuple[list[str], int, int]:
        crashes = start(place)
        deaths = 0

        def dies() -> None:
            nonlocal deaths
            before = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            assert before is not None
            deaths += before.si_status == signal.SIGKILL

        while crashes.done < len(WORK) and not crashes.wrong:
            crashes.interrupt(dies, point if deaths < 2 else None)
        return crashes.wrong, deaths, crashes.done

    wrong, deaths, done = place.do(act)
    assert wrong == []
    assert deaths >= 1
    assert done == len(WORK)


def changed_world(place: Place) -> tuple[Manifest, Manifest]:
    """Open a world whose first scope differs much from the workspace; return both trees."""
    become_reaper()
    lay_out(place.base)
    for number in range(24):
        (place.base / f"old {number}").write_text("old\n")
    with place.create() as world:
        for number in range(24):
            write(world.root, f"new {number}", "new\n" * number)
            if number % 2:
                write(world.root, f"old {number}", "changed\n")
        world.root.run(
            ["/bin/sh", "-c", "rm -r folder; mkdir -p deep/er; mv there deep/er; ln -s there link"]
        )
        return tree(place.base), world.root.manifest()


def applying(place: Place, die_at: str | None) -> int:
    """Fork a controller that applies the world."""
    child = os.fork()
    if child:
        return child
    try:
        if die_at is not None:
            os.environ[VARIABLE] = die_at
        with World.reopen(place.state) as world:
            world.apply()
    finally:
        os._exit(0)


def finished(place: Place, old: Manifest, new: Manifest) -> list[str]:
    """Open the world again: the workspace is as it was, or all of it as it should be. Apply it then."""
    wrong = []
    with World.reopen(place.state) as world:
        found = as_compared(tree(place.base))
        if found != as_compared(new if world.applied else old):
            wrong.append(f"the workspace is half merged (applied: {world.applied})")
        if not world.applied:
            assert isinstance(world.apply(), Merged)
    if as_compared(tree(place.base)) != as_compared(new):
        wrong.append("the workspace is not as it should be in the end")
    return wrong


def as_compared(found: Manifest) -> dict[bytes, tuple[object, ...]]:
    """Leave out times: a directory has its own after a merge."""
    return {path: (entry.node, entry.digest) for path, entry in found.items()}


def test_killed_at_random_points_of_applying_to_the_workspace(place: Place) -> None:
    def act(place: Place) -> list[str]:
        chance, wrong = random.Random(SEED), []
        for number in range(APPLYING):
            here = Place(place.kind, place.folder / str(number))
            here.base.mkdir(parents=True)
            old, new = changed_world(here)
            child = applying(here, None)
            time.sleep(chance.uniform(0.0, 0.06))
            os.kill(child, signal.SIGKILL)
            assert everybody_ends()
            wrong += finished(here, old, new)
        return wrong

    assert place.do(act) == [], SEED


@pytest.mark.parametrize("point", [point for point in POINTS if point.startswith("apply.")])
def test_killed_at_each_named_point_of_applying(place: Place, point: str) -> None:
    def act(place: Place) -> list[str]:
        old, new = changed_world(place)
        _, status = os.waitpid(applying(place, point), 0)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        assert everybody_ends()
        return finished(place, old, new)

    assert place.do(act) == []


def test_killed_when_the_world_has_just_been_made(place: Place) -> None:
    def act(place: Place) -> list[str]:
        become_reaper()
        lay_out(place.base)
        child = os.fork()
        if child == 0:
            os.environ[VARIABLE] = "create.made"
            place.create()
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        assert everybody_ends()
        with World.reopen(place.state) as world:
            return [scope.name for scope in world.scopes()]

    assert place.do(act) == ["main"]
