"""Whether programs can be isolated is found out by trying, and a failure of ours does not look like the
system's.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from support.boxed import isolation
from support.users import as_nobody, has_root, in_child

from eclogue.runtime.sandbox import isolation as probing
from eclogue.runtime.sandbox import syscalls
from eclogue.runtime.sandbox.interface import SandboxError

UNSHARE = "unshare --user --map-root-user --mount --pid --net --ipc --uts --cgroup --fork --mount-proc true"


def unshare_works() -> bool:
    return subprocess.run(UNSHARE.split(), capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("who", ["root", "nobody"])
def test_where_namespaces_can_be_had_programs_are_isolated(who: str) -> None:
    """All other tests of sandboxes are left out where they cannot be made; so this one must not be."""
    if who == "root" and not has_root():
        pytest.skip("these tests are not run by root")
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not there to compare with")
    if (as_nobody if who == "nobody" else in_child)(unshare_works):
        assert isolation(who).usable, isolation(who).reason


def test_what_is_found_is_told_by_parts() -> None:
    found = in_child(probing.probe_processes)
    assert found.provider == "namespaces"
    if found.usable:
        assert set(found.details) == {
            "namespaces",
            "system calls",
            "landlock",
            "processes",
            "memory",
            "disk",
        }
    else:
        assert found.reason
        assert "not isolated" in found.details["processes"]


def test_why_not_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise SandboxError("the kernel refuses")

    monkeypatch.setattr(probing, "run_in", refused)
    assert probing.probe_processes().reason == "the kernel refuses"
    monkeypatch.setattr(syscalls, "LINUX", False)
    assert probing.probe_processes().reason == "namespaces are a part of Linux"


def test_nothing_is_left_by_the_probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    probing.probe_processes()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("version", "says"), [(0, "not available"), (1, "not used"), (5, "can be reached"), (7, "version 7")]
)
def test_what_landlock_can_do_is_told(version: int, says: str) -> None:
    assert says in probing._landlock(version)
