"""An installed wheel works outside the repository, with its grammar, pages and schemas."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.xdist_group("wheel")


def call(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a fresh environment with nothing but the wheel and what it requires."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    files = call("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
    for name in files:
        if (ROOT / name).is_file():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
    call(sys.executable, "-m", "build", "--wheel", "--outdir", folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=True)
    call(folder / "venv" / "bin" / "pip", "install", "-q", wheel, cwd=folder)
    return folder


def test_the_wheel_runs_a_program_elsewhere(installed: Path, tmp_path: Path) -> None:
    shutil.copyfile(ROOT / "examples" / "hello.ecl", tmp_path / "hello.ecl")
    printed = call(installed / "venv" / "bin" / "eclogue", "run", "hello.ecl", "--json", cwd=tmp_path)
    assert json.loads(printed)["value"] == "hello, world"


def test_the_wheel_has_its_pages_and_schemas(installed: Path, tmp_path: Path) -> None:
    assert "EC0001" in call(installed / "venv" / "bin" / "eclogue", "explain", "EC0001", cwd=tmp_path)
    script = (
        "from importlib.resources import files\n"
        "print(len(list((files('eclogue.validator') / 'schema').iterdir())))\n"
        "print((files('eclogue.core') / 'SPEC.md').is_file())\n"
    )
    printed = call(installed / "venv" / "bin" / "python", "-c", script, cwd=tmp_path).split()
    assert int(printed[0]) > 0
    assert printed[1] == "True"
