"""Two runs on one workspace at the same time: each is merged whole or not at all, and neither sees the
other.
"""

from __future__ import annotations

import os

import pytest
from support.worlds import Place, read, write

from eclogue.runtime.sandbox.interface import Merged, SandboxError
from eclogue.runtime.scope import World

MERGED, CONFLICTS, REFUSED = 0, 3, 4
FILES = 12


def both(place: Place) -> list[World]:
    """Open two worlds on one workspace."""
    return [
        World.create(place.base, place.folder / name, provider=place.provider) for name in ("one", "other")
    ]


def change(world: World, mark: str, numbers: range) -> None:
    """Write some of the workspace's files, and a new one."""
    for number in numbers:
        write(world.root, f"file {number}", f"{mark}\n")
    write(world.root, f"new {mark}", mark)


def lay_out(place: Place) -> None:
    for number in range(FILES):
        (place.base / f"file {number}").write_text("base\n")


def applied_at_once(worlds: list[World]) -> list[int]:
    """Apply both in processes of their own, which begin together; say how each ended."""
    waiting, go = os.pipe()
    children = []
    for world in worlds:
        child = os.fork()
        if child == 0:
            os.close(go)
            os.read(waiting, 1)
            os._exit(outcome(world))
        children.append(child)
    os.close(waiting)
    os.close(go)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def outcome(world: World) -> int:
    try:
        return MERGED if isinstance(world.apply(), Merged) else CONFLICTS
    except SandboxError:
        return REFUSED


@pytest.mark.usefixtures("isolating")
def test_neither_sees_what_the_other_writes(place: Place) -> None:
    def act(place: Place) -> list[str]:
        lay_out(place)
        one, other = both(place)
        change(one, "one", range(FILES))
        done = other.root.run(["/bin/sh", "-c", "cat file*; ls"])
        assert done.out.count(b"base\n") == FILES
        assert b"new" not in done.out
        return [read(other.root, f"file {number}") for number in range(FILES)]

    assert place.do(act) == ["base\n"] * FILES
    assert {path.read_text() for path in place.base.iterdir()} == {"base\n"}


@pytest.mark.parametrize("overlap", [0, 4])
def test_applied_at_once_each_is_merged_whole_or_not_at_all(place: Place, overlap: int) -> None:
    half = FILES // 2

    def act(place: Place) -> list[int]:
        lay_out(place)
        worlds = both(place)
        change(worlds[0], "one", range(half + overlap))
        change(worlds[1], "other", range(half, FILES))
        return applied_at_once(worlds)

    ends = place.do(act)
    assert MERGED in ends
    if overlap:
        assert set(ends) != {MERGED}
    wanted = ["base\n"] * FILES
    for mark, numbers, end in zip(
        ("one", "other"), (range(half + overlap), range(half, FILES)), ends, strict=True
    ):
        assert (place.base / f"new {mark}").exists() == (end == MERGED)
        for number in numbers if end == MERGED else ():
            wanted[number] = f"{mark}\n"
    assert [(place.base / f"file {number}").read_text() for number in range(FILES)] == wanted
    assert len(os.listdir(place.base)) == FILES + ends.count(MERGED)


def test_one_worlds_folder_cannot_be_opened_twice(place: Place) -> None:
    def act(place: Place) -> str:
        with place.create():
            with pytest.raises(SandboxError) as caught:
                World.reopen(place.state)
            return caught.value.message

    assert "in use by another process" in place.do(act)
