"""Views that are mounts in namespaces of their holder: programs run in them, and do not keep them busy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.boxed import Boxed

from eclogue.runtime.sandbox import syscalls
from eclogue.runtime.sandbox.interface import Finished, ProcessLimits, SandboxError
from eclogue.runtime.sandbox.process import ViewHandle, run_in


def hold_mounts() -> None:
    """Become what holds mounts: in a mount namespace of its own, and a user namespace if it is not root."""
    user, group = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.CLONE_NEWNS | (0 if user == 0 else syscalls.CLONE_NEWUSER))
    if user != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            Path("/proc/self", name).write_text(text)
    syscalls.mount(b"", b"/", b"", syscalls.MS_REC | syscalls.MS_PRIVATE)


def overlay(folder: Path) -> bytes:
    """Mount an overlay of `lower` and `upper` at `view`."""
    options = f"lowerdir={folder}/lower,upperdir={folder}/upper,workdir={folder}/work,userxattr"
    view = os.fsencode(folder / "view")
    syscalls.mount(b"overlay", view, b"overlay", 0, os.fsencode(options))
    return view


HOLDING = """
cat old folder/inner; echo new > new; echo more >> old; rm folder/inner; ln old again; mkdir made
mv made moved; exec 9> held
(cd moved; exec setsid sleep 1000) &
setsid sleep 1000 < old &
sleep 0.05
"""


def test_a_program_works_in_an_overlay_and_leaves_it_free(box: Boxed) -> None:
    def hold(_: ViewHandle) -> tuple[Finished, list[bytes], list[bytes]]:
        hold_mounts()
        for name in ("lower/folder", "upper", "work", "view"):
            (box.folder / name).mkdir(parents=True)
        (box.folder / "lower" / "old").write_text("old\n")
        (box.folder / "lower" / "folder" / "inner").write_text("inner\n")
        view = overlay(box.folder)
        directory = os.open(view, os.O_PATH | os.O_DIRECTORY)
        done = run_in(ViewHandle(directory), ["/bin/sh", "-c", HOLDING])
        seen = sorted(os.listdir(view))
        os.close(directory)
        # Not MNT_DETACH: the kernel says EBUSY if anything still uses it.
        syscalls.unmount(view)
        again = sorted(os.listdir(overlay(box.folder)))
        syscalls.unmount(view)
        return done, seen, again

    done, seen, again = box.do(hold)
    assert (done.code, done.out, done.err, done.left_running) == (0, b"old\ninner\n", b"", 2)
    assert seen == again == [b"again", b"folder", b"held", b"moved", b"new", b"old"]
    assert (box.folder / "lower" / "old").read_text() == "old\n"


def test_a_view_that_is_not_mounted_where_the_program_starts_is_an_error(box: Boxed) -> None:
    def elsewhere(view: ViewHandle) -> str:
        hold_mounts()
        with pytest.raises(SandboxError) as caught:
            run_in(view, ["true"])
        return caught.value.message

    assert box.do(elsewhere) == "the view is not mounted where the program was to be started"


def test_device_nodes_and_set_user_id_bits_of_a_view_have_no_effect(box: Boxed) -> None:
    if box.who == "nobody":
        pytest.skip("only root can put such files into a view")
    os.mknod(box.folder / "null", 0o20666, os.makedev(1, 3))
    shutil.copy("/usr/bin/id", box.folder / "id")
    os.chown(box.folder / "id", 65534, 65534)
    os.chmod(box.folder / "id", 0o6755)
    done = box.shell("./id -u; ./id -g; cat null; echo x > null")
    assert done.out == b"1000\n1000\n"
    assert done.err.count(b"Permission denied") == 2


def test_what_is_mounted_beneath_a_view_is_seen_too(box: Boxed) -> None:
    def hold(_: ViewHandle) -> Finished:
        hold_mounts()
        (box.folder / "below").mkdir()
        syscalls.mount(b"tmpfs", os.fsencode(box.folder / "below"), b"tmpfs", 0)
        (box.folder / "below" / "file").write_text("below\n")
        view = os.open(box.folder, os.O_PATH | os.O_DIRECTORY)
        return run_in(ViewHandle(view), ["cat", "below/file"])

    assert box.do(hold).out == b"below\n"


def test_the_number_of_system_calls_does_not_depend_on_the_files(box: Boxed) -> None:
    if shutil.which("strace") is None:
        pytest.skip("system calls are counted by strace")
    if box.who == "nobody":
        pytest.skip("counted once")
    few = count_calls(box.folder)
    for number in range(2000):
        (box.folder / str(number)).write_text("x")
    # Waiting is done in pieces whose number depends on the timing.
    assert abs(count_calls(box.folder) - few) <= 100


RUN = """
import os, sys
from eclogue.runtime.sandbox.process import ViewHandle, run_in
view = ViewHandle(os.open(sys.argv[1], os.O_PATH | os.O_DIRECTORY))
for _ in range(int(sys.argv[2])):
    assert run_in(view, ["true"]).code == 0
"""


def count_calls(folder: Path) -> float:
    """Return the number of system calls of one run: that of six runs, less that of one, by five."""

    def calls(runs: int) -> int:
        command = ["strace", "-f", "-c", "-U", "calls", sys.executable, "-c", RUN, str(folder), str(runs)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return int(done.stderr.splitlines()[-1].split()[0])

    return (calls(6) - calls(1)) / 5


def test_a_run_without_limits(box: Boxed) -> None:
    limits = ProcessLimits(seconds=None, memory=None, output=10, processes=None, file_size=None)
    assert box.run(["echo", "free"], limits=limits).out == b"free\n"
