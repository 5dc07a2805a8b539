"""Files that are no files, or far too large: each command says so, and neither waits nor fills memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.bundles import NO_LEAN, eclogue

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = [
    ("verify", "FILE"),
    ("verify", "hello.intoto.jsonl", "--program", "FILE"),
    ("verify", "hello.intoto.jsonl", "--trace", "FILE"),
    ("verify", "hello.intoto.jsonl", "--key", "FILE"),
    ("certify", "FILE"),
    ("certify", "hello.ecl", "--trace", "FILE"),
    ("certify", "hello.ecl", "--answers", "FILE"),
    ("certify", "hello.ecl", "--sign", "FILE"),
    ("certify", "hello.ecl", "--salt", "FILE"),
    ("validate", "FILE"),
    ("run", "FILE"),
    ("resume", "FILE"),
    ("import", "atif", "FILE"),
    ("import", "claude-code", "FILE"),
    ("import", "openhands", "FILE"),
    ("export", "atif", "FILE"),
    ("redact", "FILE", "--redact", "RunEnd", "--out", "out", "--blobs", "blobs"),
    ("restore", "hello.trace.jsonl", "FILE", "--out", "out"),
]
_NAMES = [" ".join(command) for command in COMMANDS]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECLOGUE_LEAN", NO_LEAN)
    Path("hello.ecl").write_bytes((ROOT / "examples" / "hello.ecl").read_bytes())
    assert eclogue("certify", "hello.ecl").exit_code == 0


def sparse() -> None:
    """Make a file of a terabyte that takes no room."""
    with Path("FILE").open("wb") as file:
        file.truncate(1 << 40)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("command", COMMANDS, ids=_NAMES)
def test_a_pipe_is_refused_unopened(command: tuple[str, ...]) -> None:
    os.mkfifo("FILE")
    result = eclogue(*command)
    assert result.exit_code == 2
    assert "it is a pipe, not a file" in result.stderr


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no device without end")
def test_a_device_is_refused() -> None:
    for command in (("verify", "/dev/zero"), ("validate", "/dev/zero"), ("run", "/dev/zero")):
        result = eclogue(*command)
        assert result.exit_code == 2
        assert "it is a device, not a file" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="files are not sparse")
@pytest.mark.parametrize("command", COMMANDS[:6], ids=_NAMES[:6])
def test_a_huge_file_is_not_read_to_its_end(command: tuple[str, ...]) -> None:
    sparse()
    result = eclogue(*command)
    assert result.exit_code == 2
    assert "error[EC" in result.stderr


def test_standard_input_can_be_named_where_a_file_is_read_once() -> None:
    command = [sys.executable, "-c", "from eclogue.cli.outermost import command; command()"]
    for arguments, code in (
        (["validate", "/dev/stdin"], 0),
        (["verify", "hello.intoto.jsonl", "--trace", "/dev/stdin"], 2),
    ):
        done = subprocess.run(
            [*command, *arguments],
            input=Path("hello.trace.jsonl").read_bytes(),
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert (b"a pipe cannot be" in done.stderr) is (code == 2)
