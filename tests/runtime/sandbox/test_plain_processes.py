"""Programs without isolation: only on request, with the given environment, within limits."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest
from support.boxed import Boxed, boxed
from support.users import become_reaper, in_child

from eclogue.runtime.sandbox import syscalls
from eclogue.runtime.sandbox.interface import Finished, ProcessLimits, SandboxError
from eclogue.runtime.sandbox.messages import CannotStart
from eclogue.runtime.sandbox.process import BASE_ENVIRONMENT, ViewHandle, run_in


@pytest.fixture
def plain() -> Iterator[Boxed]:
    """Make a workspace for whoever runs the tests."""
    with boxed("root") as made:
        yield made


def shell(plain: Boxed, script: str, **options: object) -> Finished:
    return plain.shell(script, isolated=False, **options)


def test_it_is_refused_where_there_are_no_namespaces_unless_it_is_asked_for(
    plain: Boxed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syscalls, "LINUX", False)
    with pytest.raises(SandboxError, match="cannot be isolated here") as caught:
        plain.shell("true")
    assert "without isolation" in (caught.value.hint or "")
    assert shell(plain, "echo plain").out == b"plain\n"


def test_a_program_works_in_the_folder(plain: Boxed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "of the host")
    done = shell(plain, "pwd; cat; env >&2; exit 7", stdin=b"given", env={"COLOUR": "blue"})
    assert (done.code, done.out) == (7, os.fsencode(plain.folder) + b"\ngiven")
    lines = dict(line.split("=", 1) for line in done.err.decode().splitlines())
    assert {name: lines.get(name) for name in BASE_ENVIRONMENT} == BASE_ENVIRONMENT
    assert lines["COLOUR"] == "blue"
    assert "SECRET_TOKEN" not in lines


def test_its_end_is_told(plain: Boxed) -> None:
    assert shell(plain, "kill -9 $$").code == -9
    done = shell(
        plain, "exec head -c 5000 /dev/zero > big", limits=ProcessLimits(file_size=1000, processes=1)
    )
    assert done.code == -25
    done = shell(plain, "head -c 5000 /dev/zero", limits=ProcessLimits(output=1000))
    assert (len(done.out), done.out_dropped) == (1000, 4000)


@pytest.mark.parametrize(
    ("argv", "cwd", "reason"),
    [
        (["missing"], "", "no-program"),
        (["/usr"], "", "not-executable"),
        (["true"], "missing", "no-directory"),
    ],
)
def test_what_cannot_be_started_is_named(plain: Boxed, argv: list[str], cwd: str, reason: str) -> None:
    with pytest.raises(CannotStart) as caught:
        plain.run(argv, cwd=cwd, isolated=False)
    assert caught.value.reason == reason


def test_time_is_bounded_and_the_group_ends(plain: Boxed) -> None:
    limits = ProcessLimits(seconds=1.5)
    done = shell(plain, "sleep 1000 & echo $! > other; sleep 1000", limits=limits)
    assert (done.code, done.timed_out) == (-9, True)
    assert ended(int((plain.folder / "other").read_text()))


def test_what_is_left_in_the_group_is_ended(plain: Boxed) -> None:
    done = shell(plain, "sleep 1000 & echo $! > other")
    assert (done.code, done.left_running) == (0, 1)
    assert ended(int((plain.folder / "other").read_text()))
    assert shell(plain, "true").left_running == 0


def test_the_group_ends_with_the_controller(plain: Boxed) -> None:
    def crash(view: ViewHandle) -> bool:
        become_reaper()
        controller = os.fork()
        if controller == 0:
            run_in(view, ["/bin/sh", "-c", "echo $$ > pid; sleep 1000"], isolated=False)
        path = plain.folder / "pid"
        while not path.exists() or not path.read_text():
            time.sleep(0.005)
        os.kill(controller, signal.SIGKILL)
        return in_child(lambda: ended(int(path.read_text())))

    assert plain.do(crash)


def ended(pid: int) -> bool:
    """Whether a process ends within ten seconds; one that nobody reaped has ended."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.005)
    return False
