"""The command as a process: output that cannot be written, readers that go, names that are not UTF-8."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HELLO = ROOT / "examples" / "hello.ecl"
COMMAND = [sys.executable, "-c", "from eclogue.cli.outermost import command; command()"]


def eclogue(
    *arguments: str | bytes, stdout: int = subprocess.PIPE, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        [*COMMAND, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=dict(os.environ if environment is None else environment),
        timeout=120,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr
    assert b"Exception ignored" not in done.stderr, done.stderr
    return done


def test_a_run_ends_as_documented() -> None:
    assert eclogue("run", str(HELLO)).returncode == 0
    assert eclogue("run", str(ROOT / "examples" / "two_branches.ecl")).returncode == 3
    assert eclogue("run", "nowhere.ecl").returncode == 2
    assert eclogue("run").returncode == 2
    assert eclogue("--version").returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is full")
@pytest.mark.parametrize("option", [(), ("--json",), ("--trace", "-")])
def test_a_full_disk_is_an_error(option: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        done = eclogue("run", str(HELLO), *option, stdout=full.fileno())
    assert done.returncode == 2
    assert b"No space left" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", str(HELLO), "--trace", "-"),
        ("run", str(HELLO)),
        ("run", str(HELLO), "--json"),
        ("doctor",),
        ("--help",),
    ],
)
def test_a_reader_that_goes_away_is_neither_a_pass_nor_a_rejection(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = eclogue(*arguments, stdout=writing)
    finally:
        os.close(writing)
    assert done.returncode == 141
    assert done.stderr == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is full")
def test_diagnostics_that_cannot_be_written_leave_the_exit_code() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, "run", "nowhere.ecl"], stderr=full, timeout=120, check=False)
        both = subprocess.run(
            [*COMMAND, "run", str(HELLO)], stdout=full, stderr=full, timeout=120, check=False
        )
    assert (done.returncode, both.returncode) == (2, 2)


def test_names_that_are_not_utf_8_are_shown_and_refused_where_they_must_be_written(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.ecl"
    shutil.copy(HELLO, name)
    done = eclogue("run", name)
    assert done.returncode == 0
    assert b"caf" in done.stdout
    assert eclogue("check", name).returncode == 0
    refused = eclogue("certify", name)
    assert refused.returncode == 2
    assert b"caf" in refused.stderr
    assert eclogue("run", os.fsencode(tmp_path) + b"/\xff.ecl").returncode == 2


def test_a_folder_whose_name_is_not_utf_8_is_certified(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xe9"
    os.mkdir(folder)
    shutil.copy(HELLO, folder + b"/hello.ecl")
    nowhere = {**os.environ, "ECLOGUE_LEAN": "/there/is/no/lean"}
    assert eclogue("certify", folder + b"/hello.ecl", environment=nowhere).returncode == 0
    assert eclogue("certify", "--corpus", folder, environment=nowhere).returncode == 0
    assert eclogue("verify", folder + b"/hello.intoto.jsonl", environment=nowhere).returncode == 0


def test_without_a_home_folder_nothing_is_kept_and_all_works(tmp_path: Path) -> None:
    shutil.copy(HELLO, tmp_path)
    lacking = {name: text for name, text in os.environ.items() if name not in {"HOME", "XDG_CACHE_HOME"}}
    environment = {**lacking, "HOME": "", "ECLOGUE_LEAN": "/there/is/no/lean"}
    for _ in range(2):
        done = eclogue("certify", "--corpus", str(tmp_path), environment=environment)
        assert done.returncode == 0
