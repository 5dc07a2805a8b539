"""Programs in a sandbox: what they see, how their end is told, their limits, and what they leave behind."""

from __future__ import annotations

import os
import resource
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.boxed import Boxed

from eclogue.runtime.sandbox.interface import Finished, ProcessLimits, SandboxError
from eclogue.runtime.sandbox.launching import Launch
from eclogue.runtime.sandbox.messages import CannotStart
from eclogue.runtime.sandbox.process import BASE_ENVIRONMENT, ViewHandle, run_in


def test_a_program_works_in_the_workspace(box: Boxed) -> None:
    (box.folder / "there").write_text("seen")
    done = box.shell("pwd; cat there; echo made > new; echo oops >&2; exit 3")
    assert (done.code, done.out, done.err) == (3, b"/workspace\nseen", b"oops\n")
    assert (box.folder / "new").read_text() == "made\n"
    assert (box.folder / "new").stat().st_uid == box.folder.stat().st_uid
    assert (done.timed_out, done.left_running, done.out_dropped, done.err_dropped) == (False, 0, 0, 0)


def test_only_these_folders_are_there(box: Boxed) -> None:
    names = set(box.shell("ls /").out.split())
    own = {b"bin", b"dev", b"etc", b"proc", b"tmp", b"usr", b"workspace"}
    assert own <= names <= own | {b"lib", b"lib32", b"lib64", b"libx32", b"sbin"}


def test_the_environment_is_what_is_given(box: Boxed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "of the host")
    done = box.run(["env"], env={"COLOUR": "blue", "LANG": "C"})
    lines = dict(line.split("=", 1) for line in done.out.decode().splitlines())
    assert lines == {**BASE_ENVIRONMENT, "LANG": "C", "COLOUR": "blue"}


def test_a_signal_is_a_negative_code(box: Boxed) -> None:
    assert box.shell("kill -9 $$").code == -9
    assert box.shell("kill -TERM $$").code == -15


def test_signals_and_masks_are_as_a_program_expects_them(box: Boxed) -> None:
    done = box.shell("cat /proc/self/status; umask")
    lines = dict(line.partition(":\t")[::2] for line in done.out.decode().splitlines())
    assert {lines[name] for name in ("SigBlk", "SigIgn", "SigCgt")} == {"0" * 16}
    assert "0022" in lines


@pytest.mark.parametrize(
    ("argv", "cwd", "reason"),
    [
        (["no-such-program"], "", "no-program"),
        (["./missing"], "", "no-program"),
        (["./plain"], "", "not-executable"),
        (["/usr"], "", "not-executable"),
        (["true"], "missing", "no-directory"),
        (["true"], "plain", "no-directory"),
        (["true"], "/home", "no-directory"),
    ],
)
def test_what_cannot_be_started_is_named(box: Boxed, argv: list[str], cwd: str, reason: str) -> None:
    (box.folder / "plain").write_text("text")

    def attempt(view: ViewHandle) -> tuple[str, str]:
        with pytest.raises(CannotStart) as caught:
            run_in(view, argv, cwd=cwd)
        return caught.value.reason, caught.value.message

    named, message = box.do(attempt)
    assert named == reason
    assert (cwd or argv[0]) in message


@pytest.mark.parametrize(
    ("argv", "options"),
    [
        ([], {}),
        ([""], {}),
        (["a\0b"], {}),
        (["true"], {"cwd": "a\0"}),
        (["true"], {"env": {"A=B": "c"}}),
        (["true"], {"env": {"": "c"}}),
        (["true"], {"readable": ["/"]}),
        (["true"], {"readable": ["etc"]}),
        (["true"], {"readable": ["/proc/1"]}),
        (["true"], {"readable": ["/workspace"]}),
    ],
)
def test_malformed_requests_are_refused(argv: list[str], options: dict[str, object]) -> None:
    with pytest.raises(SandboxError):
        run_in(ViewHandle(-1), argv, **options)  # type: ignore[arg-type]


def test_names_and_arguments_are_bytes(box: Boxed) -> None:
    name = b"\xff\xfe \n'\""
    folder = os.fsencode(box.folder) + b"/" + name
    os.mkdir(folder)
    os.chmod(folder, 0o777)
    done = box.run(["/bin/sh", "-c", 'printf %s "$0$VALUE"; basename "$PWD" > file', name], cwd=name,
                   env={b"VALUE": b"\xfd"})  # fmt: skip
    assert done.out == name + b"\xfd"
    with open(folder + b"/file", "rb") as written:
        assert written.read() == name + b"\n"


def test_a_launch_is_read_back_as_it_was_written() -> None:
    launch = Launch(
        (b"\xff", b"x"),
        ((b"A", b"\xfe=\n"),),
        b"\xfd",
        ProcessLimits(1.5, 2, 3, None, 5),
        True,
        (b"/\xfc",),
    )
    assert Launch.from_bytes(launch.to_bytes()) == launch


def test_large_input_and_output_do_not_block_each_other(box: Boxed) -> None:
    given = os.urandom(1 << 20) * 8
    done = box.shell("tee /dev/stderr", stdin=given, limits=ProcessLimits(output=len(given)))
    assert done.out == given
    assert done.err == given


def test_input_that_nobody_reads_is_no_error(box: Boxed) -> None:
    assert box.run(["true"], stdin=bytes(1 << 22)).code == 0


def test_output_is_bounded_and_the_rest_counted(box: Boxed) -> None:
    done = box.shell(
        "head -c 3000000 /dev/zero; head -c 50 /dev/zero >&2", limits=ProcessLimits(output=1000)
    )
    assert (len(done.out), done.out_dropped) == (1000, 2_999_000)
    assert (len(done.err), done.err_dropped) == (50, 0)


def test_time_is_bounded(box: Boxed) -> None:
    done = box.shell(
        "echo begun; trap '' TERM INT; sleep 1000 & sleep 1000", limits=ProcessLimits(seconds=1.5)
    )
    assert (done.code, done.timed_out, done.out) == (-9, True, b"begun\n")
    assert done.left_running == 2


def test_memory_is_bounded(box: Boxed) -> None:
    limits = ProcessLimits(memory=1 << 28)
    done = box.python("x = bytearray(1 << 29)", limits=limits)
    assert done.code == 1
    assert b"MemoryError" in done.err
    assert box.python("x = bytearray(1 << 27)", limits=limits).code == 0
    full = box.shell("head -c 300000000 /dev/zero > /tmp/x", limits=limits)
    assert b"No space left" in full.err


MANY = """
import mmap, os, time
def shared_map():
    made = mmap.mmap(-1, 60 << 20)
    made.write(b"z" * (60 << 20))
    return made
shared = b"x" * (100 << 20)
for _ in range(6):
    if os.fork() == 0:
        own = OWN
        time.sleep(5 if own else 0.3)
        os._exit(0)
for _ in range(6):
    os.wait()
"""


def test_the_memory_of_all_processes_is_bounded(box: Boxed) -> None:
    limits = ProcessLimits(memory=300 << 20)
    for own in ('b"y" * (60 << 20)', "shared_map()"):
        done = box.python(MANY.replace("OWN", own), limits=limits)
        assert (done.code, done.exceeded, done.timed_out) == (-9, "memory", False)
    done = box.python(MANY.replace("OWN", "None"), limits=limits)
    assert (done.code, done.exceeded, done.err) == (0, None, b"")


def test_the_size_of_a_file_is_bounded(box: Boxed) -> None:
    done = box.shell("exec head -c 5000 /dev/zero > big", limits=ProcessLimits(file_size=1000))
    assert done.code == -25
    assert (box.folder / "big").stat().st_size == 1000


FORKS = """
import os, sys, time
children = 0
try:
    while children < 2000:
        if os.fork() == 0:
            time.sleep(1000)
        children += 1
except BlockingIOError:
    pass
print(children)
"""


def test_the_number_of_processes_is_bounded(box: Boxed) -> None:
    done = box.python(FORKS, limits=ProcessLimits(processes=40))
    children = int(done.out)
    if box.who == "root":
        assert 39 <= children <= 40 + 300
    else:
        assert children == 39
    assert done.left_running == children


def test_daemons_are_ended_and_counted(box: Boxed) -> None:
    done = box.shell(
        "setsid sleep 1000 & (setsid setsid sh -c 'sleep 1000 & touch up; wait' &);"
        "until [ -e up ]; do sleep 0.01; done; echo done"
    )
    assert (done.code, done.out) == (0, b"done\n")
    assert done.left_running == 3


ORPHANS = """
import os, time
for _ in range(5):
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            os._exit(3)
        os._exit(0)
    os.waitpid(child, 0)
while [name for name in os.listdir("/proc") if name.isdigit() and name != str(os.getpid())]:
    time.sleep(0.01)
"""


def test_zombies_are_reaped_and_not_counted(box: Boxed) -> None:
    done = box.python(ORPHANS, limits=ProcessLimits(seconds=30))
    assert (done.code, done.timed_out, done.left_running) == (0, False, 0)
    waits = "import os\nif os.fork() == 0: os._exit(7)\nos.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)"
    done = box.python(waits)
    assert (done.code, done.left_running) == (0, 0)


def test_a_process_that_forks_all_the_time_does_not_outlive_the_sandbox(box: Boxed) -> None:
    forking = "import os\nif os.fork():\n    os._exit(0)\nwhile os.fork() == 0: pass\n"
    done = box.python(
        forking + "while True:\n    if os.fork(): os._exit(0)\n", limits=ProcessLimits(processes=100)
    )
    assert done.code == 0


def test_many_at_the_same_time(box: Boxed) -> None:
    def together(view: ViewHandle) -> list[Finished]:
        gate = threading.Barrier(16)

        def one(number: int) -> Finished:
            if number < 16:
                gate.wait()
            return run_in(
                view, ["/bin/sh", "-c", f"echo {number} > {number}; cat"], stdin=b"%d" % number * 50_000
            )

        with ThreadPoolExecutor(16) as pool:
            return list(pool.map(one, range(64)))

    for number, done in enumerate(box.do(together)):
        assert (done.code, done.out) == (0, b"%d" % number * 50_000)
        assert (box.folder / str(number)).read_text() == f"{number}\n"


TOOLS = """
import asyncio, getpass, multiprocessing, os, pathlib, pty, socket, tempfile
master, slave = os.openpty()
print(os.ttyname(slave), os.isatty(slave))
print(multiprocessing.get_context("fork").Pool(2).map(abs, [-1, -2]))
server = socket.create_server(("localhost", 0))
client = socket.create_connection(server.getsockname())
client.sendall(b"hello")
print(server.accept()[0].recv(5), getpass.getuser(), pathlib.Path.home())
print(asyncio.run(asyncio.sleep(0, "slept")), os.path.exists(tempfile.mkdtemp()), socket.gethostname())
"""


def test_what_ordinary_programs_do_works(box: Boxed) -> None:
    done = box.python(TOOLS)
    expected = "/dev/pts/0 True\n[1, 2]\nb'hello' agent /tmp\nslept True sandbox\n"
    assert (done.code, done.out.decode(), done.err) == (0, expected, b"")


def test_git_and_make_work(box: Boxed) -> None:
    if not os.path.exists("/usr/bin/git") or not os.path.exists("/usr/bin/make"):
        pytest.skip("git and make are not in /usr/bin")
    (box.folder / "Makefile").write_text("all:\n\techo made\n")
    done = box.shell(
        "set -e; git init -q .; git config user.email a@b; git config user.name a; git add .;"
        "git commit -qm first; git log --format=%s; git status --short; make -s"
    )
    assert (done.code, done.out, done.err) == (0, b"first\nmade\n", b"")


def test_that_no_descriptor_is_left_is_named(box: Boxed) -> None:
    def exhausted(view: ViewHandle) -> tuple[set[str], list[int], bool]:
        before = sorted(int(name) for name in os.listdir("/proc/self/fd"))
        free = [number for number in range(4000) if number not in before[:-1]]
        codes, messages = [], set()
        for spare in range(10):
            resource.setrlimit(resource.RLIMIT_NOFILE, (free[spare], 4096))
            try:
                codes.append(run_in(view, ["true"]).code)
            except SandboxError as error:
                messages.add(error.message)
            resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
        return messages, codes, before == sorted(int(name) for name in os.listdir("/proc/self/fd"))

    messages, codes, nothing_left = box.do(exhausted)
    assert {message.rpartition(": ")[2].split("'")[0] for message in messages} >= {"Too many open files"}
    assert all("Too many open files" in message for message in messages)
    assert (codes, nothing_left) == ([], True)


def test_that_no_process_can_be_started_is_named(box: Boxed) -> None:
    if box.who == "root":
        pytest.skip("the kernel does not hold root to the bound")

    def exhausted(view: ViewHandle) -> str:
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        with pytest.raises(SandboxError) as caught:
            run_in(view, ["true"])
        return caught.value.message

    assert box.do(exhausted) == "no process can be started: Resource temporarily unavailable"


def test_no_descriptor_and_no_child_is_left_in_the_controller(box: Boxed) -> None:
    def compare(view: ViewHandle) -> tuple[list[str], list[str], bool]:
        before = os.listdir("/proc/self/fd")
        run_in(view, ["true"])
        with pytest.raises(CannotStart):
            run_in(view, ["missing"])
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
        return before, os.listdir("/proc/self/fd"), True

    before, after, _ = box.do(compare)
    assert before == after


def test_a_path_of_the_host_can_be_shown_and_not_written(box: Boxed) -> None:
    with tempfile.TemporaryDirectory(prefix="eclogue-shown-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "tool").write_text("#!/bin/sh\necho works\n")
        (folder / "tool").chmod(0o777)
        assert box.run([str(folder / "tool")], readable=[folder]).out == b"works\n"
        done = box.shell(
            f"echo no > {folder}/new || echo no >> {folder}/tool; ls {folder}", readable=[folder]
        )
        assert done.out == b"tool\n"
        assert done.err.count(b"Read-only file system") == 2
        with pytest.raises(CannotStart):
            box.run([str(folder / "tool")])
