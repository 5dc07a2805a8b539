"""Programs that try to leave a sandbox, by root and by somebody without privileges: they find nothing.

Each attack is also run without a sandbox, where it must find something: what cannot succeed proves nothing.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.attacks import ATTACKS, Attack
from support.boxed import Boxed, isolation
from support.treasure import Treasure, treasure
from support.users import NOBODY, has_root

from eclogue.runtime.sandbox import seccomp
from eclogue.runtime.sandbox.interface import Finished
from eclogue.runtime.sandbox.process import ViewHandle, run_in

PYTHON = "/usr/bin/python3"
pytestmark = pytest.mark.skipif(not os.path.exists(PYTHON), reason="the attacks are Python programs")

CONTROLS = [(attack, who) for attack in ATTACKS for who in attack.works_for]


@pytest.fixture
def hoard(box: Boxed, monkeypatch: pytest.MonkeyPatch) -> Iterator[Treasure]:
    """Lay out a treasure; its token is in the controller's environment and in the workspace's links too."""
    with treasure(box.who) as laid:
        monkeypatch.setenv("TREASURE", laid.token)
        (box.folder / "link made by the host").symlink_to(laid.folder / "treasure")
        (box.folder / "link relative").symlink_to("../" * 20 + str(laid.folder / "treasure"))
        if has_root():
            os.mknod(box.folder / "node", 0o20666, os.makedev(1, 9))
        yield laid


def found(output: bytes) -> list[str]:
    """Return what an attack found; it must have come to its end."""
    lines = output.decode().splitlines()
    assert lines[-1:] == ["DONE"], output
    return [line for line in lines if line.startswith("FOUND")]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_nothing_is_found(box: Boxed, hoard: Treasure, attack: Attack) -> None:
    given = hoard.given(inside=True, filtered=seccomp.supported())
    with open(hoard.folder / "treasure", "rb") as held:
        os.set_inheritable(held.fileno(), True)
        done = box.run([PYTHON, "-c", attack.script(), given])
    assert (done.code, done.err) == (0, b"")
    assert found(done.out) == []
    assert done.left_running == 0


@pytest.mark.parametrize(("attack", "who"), CONTROLS, ids=lambda item: getattr(item, "name", item))
def test_outside_of_a_sandbox_it_is_found(
    attack: Attack, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if who == "root" and not has_root():
        pytest.skip("these tests are not run by root")
    if not isolation("root" if who == "root" else "nobody").usable:
        pytest.skip("no sandbox can be made here, and so there is nothing to compare with")
    entering = (
        ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork"] if who == "namespace" else []
    )
    user = NOBODY if who != "root" and has_root() else None
    with (
        treasure("root" if who == "root" else "nobody") as laid,
        open(laid.folder / "treasure", "rb") as held,
    ):
        monkeypatch.setenv("TREASURE", laid.token)
        command = [*entering, PYTHON, "-c", attack.script(), laid.given(inside=False)]
        done = subprocess.run(
            command, capture_output=True, check=False, pass_fds=[held.fileno()], cwd=laid.folder, user=user
        )
    assert found(done.stdout), done


def test_abstract_sockets_of_the_host_stay_out_of_reach_when_the_network_is_shared(
    box: Boxed, hoard: Treasure
) -> None:
    network = next(attack for attack in ATTACKS if attack.name == "network")
    done = box.run([PYTHON, "-c", network.script(), hoard.given(inside=True)], network=True)
    names = {line.split()[1] for line in found(done.out)}
    assert "loopback" in names
    assert not names & {"abstract", "path"}
    assert b"refused abstract [Errno 1]" in done.out


NEIGHBOURS = """
import os, socket, sys, time
ends = [socket.create_server(("127.0.0.1", 4711)), socket.socket(socket.AF_UNIX)]
ends[1].bind("\\0neighbour")
print(os.listdir("/tmp"), sorted(name for name in os.listdir("/proc") if name.isdigit()))
open("/tmp/" + sys.argv[1], "w").close()
open("/workspace/" + sys.argv[1], "w").close()
while not os.path.exists("/workspace/" + sys.argv[2]):
    time.sleep(0.01)
"""


def test_two_sandboxes_on_one_workspace_share_its_files_and_nothing_else(box: Boxed) -> None:
    def both(view: ViewHandle) -> list[Finished]:
        with ThreadPoolExecutor(2) as pool:
            names = (("one", "other"), ("other", "one"))
            return list(pool.map(lambda pair: run_in(view, [PYTHON, "-c", NEIGHBOURS, *pair]), names))

    for done in box.do(both):
        assert (done.code, done.out, done.err) == (0, b"[] ['2']\n", b"")


@pytest.mark.skipif(
    os.uname().machine != "x86_64", reason="32 bit x86 is a second architecture of x86-64 alone"
)
def test_calls_of_another_architecture_kill_the_program(box: Boxed) -> None:
    # int 0x80 with eax = 20 (getpid of 32 bit x86), then ret: a way around a filter of 64 bit numbers.
    script = (
        "import ctypes, mmap; m = mmap.mmap(-1, 4096, prot=7);"
        "m.write(bytes.fromhex('b814000000cd80c3'));"
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))() > 0)"
    )
    outside = subprocess.run([PYTHON, "-c", script], capture_output=True, check=False)
    assert outside.stdout == b"True\n"
    assert box.run([PYTHON, "-c", script]).code == -31
