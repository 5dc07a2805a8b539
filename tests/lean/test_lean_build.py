"""Building and caching: each content once, whoever builds, and whoever is killed."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import time
from pathlib import Path

import attrs
import pytest
from support.lean_packages import NEGATIVE

from eclogue.lean.build import Progress, building
from eclogue.lean.cache import Cache, default_cache
from eclogue.lean.sources import Layout, read_package
from eclogue.lean.toolchain import Lean, find_lean


def built(lean: Lean, root: Path, cache: Cache, *, fresh: bool = False) -> dict[str, bool]:
    """Return for each module that was compiled whether it came from the cache."""
    package, problems = read_package(Layout(root=root, library="Mini"))
    assert problems == []
    with building(lean, package, cache=cache, fresh=fresh) as build:
        assert build.problems == ()
        return {name: module.cached for name, module in build.modules.items()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Copy the small package."""
    return Path(shutil.copytree(NEGATIVE / "base", tmp_path / "lean"))


def test_a_second_build_compiles_nothing(lean: Lean, root: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    assert not any(built(lean, root, cache).values())
    assert all(built(lean, root, cache).values())
    assert not any(built(lean, root, cache, fresh=True).values())


def test_a_change_compiles_what_depends_on_it(lean: Lean, root: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    built(lean, root, cache)
    path = root / "Mini" / "Proofs" / "Basics.lean"
    path.write_text(path.read_text() + "-- changed\n")
    now = built(lean, root, cache)
    assert sorted(name for name, cached in now.items() if not cached) == [
        "Mini", "Mini.Proof", "Mini.Proofs.Basics",
    ]  # fmt: skip


def test_another_lean_compiles_anew(lean: Lean, root: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    built(lean, root, cache)
    assert not any(built(attrs.evolve(lean, digest="sha256:0"), root, cache).values())


@pytest.mark.parametrize("damage", ["truncate", "empty report", "no file"])
def test_a_damaged_entry_is_made_anew(lean: Lean, root: Path, tmp_path: Path, damage: str) -> None:
    cache = Cache(tmp_path / "cache")
    built(lean, root, cache)
    for entry in (tmp_path / "cache").glob("entries/*/*"):
        if damage == "truncate":
            data = (entry / "module.olean").read_bytes()
            (entry / "module.olean").unlink()
            (entry / "module.olean").write_bytes(data[:-1])
        elif damage == "empty report":
            (entry / "report.json").write_text("")
        else:
            (entry / "module.ilean").unlink()
    assert not any(built(lean, root, cache).values())
    assert all(built(lean, root, cache).values())


def test_a_cache_that_cannot_be_written_is_no_obstacle(lean: Lean, root: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    assert not any(built(lean, root, Cache(tmp_path / "cache")).values())


def test_progress_tells_every_module_once(lean: Lean, root: Path, tmp_path: Path) -> None:
    told: list[Progress] = []
    package, _ = read_package(Layout(root=root, library="Mini"))
    with building(lean, package, cache=Cache(tmp_path / "cache"), progress=told.append) as build:
        assert {step.module for step in told} == build.modules.keys()
    assert [step.done for step in told] == list(range(1, len(package.modules) + 1))


def _build_in_child(root: Path, cache: Path, queue: multiprocessing.Queue[int] | None) -> None:
    count = len(built(find_lean(), root, Cache(cache)))
    if queue is not None:
        queue.put(count)


def test_two_processes_may_build_at_once(lean: Lean, root: Path, tmp_path: Path) -> None:
    assert lean
    spawn = multiprocessing.get_context("spawn")
    queue = spawn.Queue()
    children = [
        spawn.Process(target=_build_in_child, args=(root, tmp_path / "cache", queue)) for _ in range(2)
    ]
    for child in children:
        child.start()
    assert [queue.get(timeout=120) for _ in children] == [6, 6]
    for child in children:
        child.join()
        assert child.exitcode == 0
    assert all(built(lean, root, Cache(tmp_path / "cache")).values())


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are not killed like this here")
@pytest.mark.parametrize("entries", [1, 3, 5])
def test_a_killed_build_leaves_a_good_cache(lean: Lean, root: Path, tmp_path: Path, entries: int) -> None:
    """Kill a build when so many entries are there: they are whole, and the next build makes the rest."""
    cache = tmp_path / "cache"
    spawn = multiprocessing.get_context("spawn")
    child = spawn.Process(target=_build_in_child, args=(root, cache, None))
    child.start()
    deadline = time.monotonic() + 120
    while len(list(cache.glob("entries/*/*"))) < entries and time.monotonic() < deadline:
        time.sleep(0.005)
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    now = built(lean, root, Cache(cache))
    assert len(now) == 6
    assert sum(now.values()) >= entries


def test_old_entries_and_abandoned_work_go(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    (tmp_path / "x").write_text("x")
    cache.store("ab1", {"x": tmp_path / "x"}, {})
    cache.store("ab2", {"x": tmp_path / "x"}, {})
    (tmp_path / "cache" / "work" / "left").mkdir()
    long_ago = time.time() - 40 * 24 * 3600
    os.utime(tmp_path / "cache" / "entries" / "ab" / "1", (long_ago, long_ago))
    os.utime(tmp_path / "cache" / "work" / "left", (long_ago, long_ago))
    cache.prune()
    assert cache.load("ab1") is None
    assert cache.load("ab2") is not None
    assert list((tmp_path / "cache" / "work").iterdir()) == []


def test_the_users_cache_folder_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "eclogue" / "lean"
