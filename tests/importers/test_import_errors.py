"""Files that are not imported: what is said, where, and with which exit code.

`ECLOGUE_RENEW=1 pytest tests/importers` writes the golden files anew; a missing one is a failure.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from importing import HERE, SAMPLES, sample_name

from eclogue.cli.main import main
from eclogue.core.errors import LimitExceeded
from eclogue.lowering.codes import CODES
from eclogue.validator.importers import importing as module
from eclogue.validator.importers import json_lines, openhands, trajectory
from eclogue.validator.importers.importing import DOCUMENTS, LINES, import_trajectory
from eclogue.validator.importers.trajectory import TrajectoryRefused

GOLDENS = HERE / "golden"
FILES = sorted((HERE / "malformed").iterdir())
SCHEMA = jsonschema.Draft202012Validator(
    json.loads((HERE.parents[1] / "validator" / "schema" / "import-result.schema.json").read_text())
)


def format_of(path: Path) -> str:
    return next(name for name in (*DOCUMENTS, *LINES) if path.name.startswith(name))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_said(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(path.name).write_bytes(path.read_bytes())
    result = CliRunner().invoke(main, ["import", format_of(path), path.name, "--out", "t.jsonl"])
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert [item.name for item in Path().iterdir()] == [path.name], "nothing half-written is left"
    found = f"exit code {result.exit_code}\n{result.stderr}"
    golden = GOLDENS / f"error-{path.name}.txt"
    if os.environ.get("ECLOGUE_RENEW"):
        golden.write_text(found, encoding="utf-8")
    assert golden.exists(), f"{golden} is missing"
    assert found == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_as_json(path: Path, tmp_path: Path) -> None:
    arguments = ["import", format_of(path), str(path), "--out", str(tmp_path / "t.jsonl"), "--json"]
    result = CliRunner().invoke(main, arguments)
    found = json.loads(result.stdout)
    SCHEMA.validate(found)
    (item,) = found["diagnostics"]
    assert (found["status"], result.exit_code) == (
        ("unsupported", 3) if path.stem == "atif-version" else ("malformed", 2)
    )
    whole_file = item["code"] == "EC4605"
    assert (item["line"] is None) is whole_file
    assert item["hint"] is not None


def test_every_golden_has_its_file() -> None:
    assert sorted(path.name for path in GOLDENS.glob("error-*")) == sorted(
        f"error-{path.name}.txt" for path in FILES
    )


def test_every_code_is_shown() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in GOLDENS.glob("error-*"))
    elsewhere = {"EC4606", "EC4607"}
    assert {code for code in CODES if code.startswith("EC46") and code not in text} == elsewhere


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [("claude-code", '{"type":"user"}\n{"a" 1}\n', ":2:6: "), ("atif", '{"a" 1}', ": ")],
)
def test_what_cannot_be_read_twice(name: str, text: str, place: str) -> None:
    """A pipe is not opened again to show the place; what is known of it is said."""
    script = Path(sys.executable).parent / "eclogue"
    done = subprocess.run(
        [script, "import", name, "/dev/stdin"], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"/dev/stdin{place}error[EC4601]: not JSON")


@pytest.mark.parametrize("name", [*DOCUMENTS, *LINES])
def test_files_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    for path, code in ((tmp_path / "none", "EC0001"), (tmp_path, "EC0002"), (Path("a\0b"), "EC0003")):
        result = CliRunner().invoke(main, ["import", name, str(path)])
        assert (result.exit_code, code in result.stderr) == (2, True), result.output


def refusal(name: str, data: bytes) -> TrajectoryRefused | None:
    try:
        import_trajectory(name, io.BytesIO(data), io.StringIO(), io.StringIO())
    except TrajectoryRefused as error:
        return error
    return None


@pytest.mark.parametrize("sample", SAMPLES, ids=sample_name)
def test_every_truncation_is_refused_or_imported(sample: Path) -> None:
    """Cut anywhere, a sample is refused with a place, or is a file of its own; it never crashes."""
    data = sample.read_bytes()
    refused = 0
    for cut in range(0, len(data), max(1, len(data) // 60)):
        found = refusal(sample.parent.name, data[:cut])
        if found is not None:
            assert found.code in ("EC4601", "EC4605", "EC0004")
            assert found.hint is not None
            refused += 1
    assert refused > 30


# ------------------------------------------------------------------------------------------------
# Large files


def lines_of(count: int, seen: list[int]) -> Iterator[bytes]:
    for number in range(count):
        call = {"type": "tool_use", "id": f"c{number}", "name": "f", "input": {"n": number}}
        yield json.dumps({"type": "assistant", "message": {"content": [call]}}).encode() + b"\n"
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "r"}
        yield json.dumps({"type": "user", "message": {"content": [result]}}).encode() + b"\n"
        seen.append(number)


class _Lines(io.BytesIO):
    """A file whose lines are made when they are asked for."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        super().__init__()
        self._lines = lines

    def readline(self, _size: int | None = -1, /) -> bytes:
        return next(self._lines, b"")


class _Watched(io.StringIO):
    """A file that keeps nothing, and notes how many calls were read when each line came."""

    def __init__(self, seen: list[int]) -> None:
        super().__init__()
        self.seen = seen
        self.ahead = 0
        self.lines = 0

    def write(self, text: str, /) -> int:
        self.ahead = max(self.ahead, len(self.seen) - self.lines // 2)
        self.lines += 1
        return len(text)


def test_lines_are_read_as_they_are_needed() -> None:
    """The records of a call are written when its result was read: nothing gathers in memory."""
    seen: list[int] = []
    trace = _Watched(seen)
    found = import_trajectory("claude-code", _Lines(lines_of(3_000, seen)), trace, io.StringIO())
    assert found.records == trace.lines == 6_000
    assert trace.ahead <= 1


def test_what_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "LONGEST_LINE", 100)
    monkeypatch.setattr(module, "LONGEST_LINE", 100)
    for owner in (module, trajectory, openhands):
        monkeypatch.setattr(owner, "LARGEST_DOCUMENT", 100)
    for name, start in (("claude-code", b'"'), ("openhands", b"["), ("atif", b'"'), ("swe-agent", b'"')):
        with pytest.raises(TrajectoryRefused) as found:
            import_trajectory(name, io.BytesIO(start + b"x" * 200), io.StringIO(), io.StringIO())
        assert found.value.code == "EC0005"


def test_a_value_that_is_too_large_for_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise LimitExceeded("value_size", 1)

    monkeypatch.setattr(module, "line", refuse)
    sample = HERE / "claude-code" / "simple.jsonl"
    result = CliRunner().invoke(main, ["import", "claude-code", str(sample)])
    assert result.exit_code == 3
    assert "value_size" in result.stderr
    assert result.stdout == ""
