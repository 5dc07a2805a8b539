"""ruff, ruff format and mypy --strict are clean."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("core", "lowering", "validator", "lean", "runtime", "cli")


def call(*command: str, cwd: Path = ROOT, **variables: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff() -> None:
    call("ruff", "check", ".")


def test_ruff_format() -> None:
    call("ruff", "format", "--check", ".")


def test_mypy_strict(tmp_path: Path) -> None:
    """Mypy finds packages by folder, so the folders are linked under their import root."""
    (tmp_path / "eclogue").mkdir()
    for package in PACKAGES:
        (tmp_path / "eclogue" / package).symlink_to(ROOT / package)
    packages = [part for package in PACKAGES for part in ("-p", f"eclogue.{package}")]
    config = str(ROOT / "pyproject.toml")
    cache = str(ROOT / ".mypy_cache")
    call(
        "mypy", "--strict", "--config-file", config, "--cache-dir", cache, *packages,
        cwd=tmp_path, MYPYPATH=str(tmp_path),
    )  # fmt: skip
