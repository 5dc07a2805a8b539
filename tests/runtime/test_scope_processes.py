"""Programs in scopes: with each provider and user; they leave scopes free, and die with whoever ran
them.
"""

from __future__ import annotations

import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.attacks import ATTACKS
from support.treasure import treasure
from support.users import become_reaper, everybody_ends
from support.worlds import Place, names, read, tree, write

from eclogue.runtime.sandbox import seccomp
from eclogue.runtime.sandbox.interface import Finished, Merged, ProcessLimits, SandboxError
from eclogue.runtime.sandbox.providers import Overlay
from eclogue.runtime.scope import World

PYTHON = "/usr/bin/python3"

pytestmark = pytest.mark.usefixtures("isolating")


def test_what_a_program_writes_is_the_scopes_own(place: Place) -> None:
    def act(place: Place) -> tuple[Finished, list[str], list[str], str]:
        (place.base / "there").write_text("seen\n")
        with place.create() as world:
            child = world.root.fork("child")
            done = child.run(
                ["/bin/sh", "-c", "pwd; cat there; echo more >> there; mkdir made; cd made; ln ../there x"]
            )
            seen = (names(child), names(world.root))
            assert isinstance(child.merge(), Merged)
            return done, *seen, read(world.root, "made/x")

    done, child, root, merged = place.do(act)
    assert (done.code, done.out, done.err) == (0, b"/workspace\nseen\n", b"")
    assert child == ["made", "there"]
    assert root == ["there"]
    assert merged == "seen\nmore\n"
    assert (place.base / "there").read_text() == "seen\n"


HOLDING = """
import mmap, os, sys, time
held = open("held", "w+b")
held.write(bytes(4096)); held.flush()
mapped = mmap.mmap(held.fileno(), 4096)
os.mkdir("folder")
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        os.chdir("folder")
        while True:
            if os.fork() == 0:
                os._exit(0)
            os.waitpid(-1, 0)
time.sleep(0.05)
"""


def test_a_scope_is_free_after_programs_that_hold_files_and_fork_all_the_time(place: Place) -> None:
    def act(place: Place) -> tuple[int, int, list[str]]:
        before = tree(place.base)
        with place.create() as world:
            child = world.root.fork("child")
            done = child.run([PYTHON, "-c", HOLDING])
            grandchild = child.fork("grandchild")
            assert names(grandchild) == ["folder", "held"]
            again = grandchild.run([PYTHON, "-c", HOLDING.replace('os.mkdir("folder")', "")])
            child.discard()
            assert world.root.manifest() == before
            return done.left_running, again.left_running, names(world.root)

    first, second, left = place.do(act)
    assert first >= 4
    assert second >= 4
    assert left == []


def test_large_arguments_and_bytes_that_are_no_text(place: Place) -> None:
    def act(place: Place) -> tuple[bytes, bytes]:
        with place.create() as world:
            long = world.root.run(["/bin/sh", "-c", 'printf %s "$@" | wc -c', "sh", *["x" * 100_000] * 12])
            return long.out, world.root.run(["printf", "%s", b"\xff\xfe"]).out

    assert place.do(act) == (b"1200000\n", b"\xff\xfe")


def test_programs_of_many_threads_in_one_world(place: Place) -> None:
    def act(place: Place) -> list[Finished]:
        with place.create() as world:
            scopes = [world.root.fork(f"child {number}") for number in range(4)]
            views = [scope.view() for scope in scopes]
            assert len({view.directory for view in views}) == len(scopes)
            with ThreadPoolExecutor(16) as pool:
                script = 'echo "$0" > "$0"; cat; ls | wc -l'
                return list(
                    pool.map(
                        lambda n: scopes[n % 4].run(["/bin/sh", "-c", script, str(n)], stdin=b"%d " % n),
                        range(64),
                    )
                )

    for number, done in enumerate(place.do(act)):
        given, files = done.out.split()
        assert (done.code, int(given)) == (0, number)
        assert 1 <= int(files) <= 16


@pytest.mark.skipif(not os.path.exists(PYTHON), reason="the attacks are Python programs")
def test_programs_that_try_to_leave_a_scope_find_nothing(place: Place) -> None:
    with treasure(place.kind.partition("-")[2]) as laid:

        def act(place: Place) -> list[Finished]:
            (place.base / "link made by the host").symlink_to(laid.folder / "treasure")
            (place.base / "link relative").symlink_to("../" * 20 + str(laid.folder / "treasure"))
            given = laid.given(inside=True, filtered=seccomp.supported())
            with place.create() as world:
                return [world.root.run([PYTHON, "-c", attack.script(), given]) for attack in ATTACKS]

        for attack, done in zip(ATTACKS, place.do(act), strict=True):
            lines = done.out.decode().splitlines()
            assert (done.code, done.err, lines[-1]) == (0, b"", "DONE"), attack.name
            assert [line for line in lines if line.startswith("FOUND")] == []


LOOKING = """
import os
hits = []
for top, folders, files in os.walk("/"):
    if top in ("/usr", "/proc", "/sys"):
        folders.clear()
    if {"layers", "journal", "base.json"} & {*folders, *files}:
        hits.append(top)
print(hits, os.path.exists("/workspace/../state"))
"""


def test_a_program_does_not_see_the_worlds_own_folders(place: Place) -> None:
    def act(place: Place) -> bytes:
        with place.create() as world:
            world.root.fork("child").discard()
            return world.root.run([PYTHON, "-c", LOOKING]).out

    assert place.do(act) == b"[] False\n"


def test_a_program_whose_keeper_is_killed_ends_and_is_an_error(place: Place) -> None:
    if place.provider != "overlay":
        pytest.skip("copies have no keeper")

    def act(place: Place) -> tuple[str, bool]:
        become_reaper()
        world = place.create()
        assert isinstance(world.views, Overlay)
        keeper = world.views.keeper.pid
        if os.fork() == 0:
            time.sleep(0.1)
            os.kill(keeper, signal.SIGKILL)
            os._exit(0)
        with pytest.raises(SandboxError) as caught:
            world.root.run(["/bin/sh", "-c", "sleep 1000 & setsid sleep 1000"])
        return caught.value.message, everybody_ends()

    assert place.do(act) == ("the sandbox's first process was ended from outside", True)


POINTS = 25


def test_the_controller_is_killed_at_random_points_of_a_run(place: Place) -> None:
    """With four kinds of place: a hundred points; after each the world is opened again and goes on."""

    def act(place: Place) -> tuple[list[float], list[str], bytes, str]:
        (place.base / "there").write_text("seen\n")
        become_reaper()
        chance, survived = random.Random(7), []
        place.create().close()
        for number in range(POINTS):
            moment = chance.uniform(0.0, 0.04)
            controller = os.fork()
            if controller == 0:
                run_for_ever(place.state, number)
            time.sleep(moment)
            os.kill(controller, signal.SIGKILL)
            if not everybody_ends():
                survived.append(moment)
        with World.reopen(place.state) as world:
            done = world.root.run(["cat", "there"])
            for scope in world.scopes()[1:]:
                scope.discard()
            return survived, [scope.name for scope in world.scopes()], done.out, mounted(place.state)

    assert place.do(act) == ([], ["main"], b"seen\n", "")
    assert (place.base / "there").read_text() == "seen\n"
    assert sorted(os.listdir(place.base)) == ["there"]


def run_for_ever(state: Path, number: int) -> None:
    """Be a controller: open the world, fork a scope, run a program that does not end."""
    try:
        with World.reopen(state) as world:
            scope = world.root.fork(f"child {number}")
            write(scope, "from outside", "written")
            script = "echo x > made; setsid sleep 1000 & while :; do echo y >> there; done"
            scope.run(["/bin/sh", "-c", script], limits=ProcessLimits(seconds=None))
    finally:
        os._exit(0)


def mounted(folder: Path) -> str:
    """Return the mounts of this namespace that lie in a folder."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        return "".join(line for line in file if str(folder) in line)
