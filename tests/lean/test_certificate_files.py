"""A certificate in a folder: it comes back, every change is noticed, and Lean alone checks it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.certified_runs import RUNS, Certified

from eclogue.core.errors import MalformedInput
from eclogue.lean.build import Build
from eclogue.lean.certificate import Certificate, CertificateLimits, make
from eclogue.lean.certificate_files import MANIFEST, README, SCRIPT, read, write
from eclogue.lean.process import CHILD

RUN = RUNS["resumed"]


def made(about: Certified = RUN, **limits: int) -> Certificate:
    bounds = CertificateLimits(**limits)
    return make(about.program, about.answers, about.records, about.profile, limits=bounds)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Write a certificate in three stretches."""
    folder = tmp_path / "kept"
    write(made(stretch_records=5), folder)
    return folder


def test_a_kept_certificate_comes_back(kept: Path) -> None:
    assert read(kept) == made(stretch_records=5)
    assert read(kept).digest == made(stretch_records=5).digest
    assert len((kept / README).read_text(encoding="utf-8").splitlines()) == 2


def test_writing_again_changes_nothing(kept: Path) -> None:
    before = {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}
    write(read(kept), kept)
    assert before == {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}


def _manifest(change: Callable[[str], str]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        path = folder / MANIFEST
        text = path.read_text(encoding="utf-8")
        changed = change(text)
        assert changed != text
        path.write_text(changed, encoding="utf-8")

    return damage


def _document(key: str, content: object) -> Callable[[Path], None]:
    return _manifest(lambda text: json.dumps({**json.loads(text), key: content}, indent=2) + "\n")


def _file(folder: Path) -> Path:
    return folder / "EclogueRun" / "Certificate.lean"


def _linked(folder: Path) -> None:
    target = folder / "elsewhere"
    _file(folder).rename(target)
    os.symlink(target, _file(folder))


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "a changed file": (lambda folder: _file(folder).write_text("prelude\n"), "whose digest"),
    "a missing file": (lambda folder: _file(folder).unlink(), "no such file"),
    "a link": (_linked, "no such file"),
    "a file more": (lambda folder: _file(folder).with_name("More.lean").touch(), "does not name"),
    "not UTF-8": (lambda folder: _file(folder).write_bytes(b"\xff"), "cannot be read"),
    "no manifest": (lambda folder: (folder / MANIFEST).unlink(), "no such file"),
    "no JSON": (_manifest(lambda text: text[:-3]), "is no manifest"),
    "a list": (_manifest(lambda _: "[]"), "is no manifest"),
    "a key twice": (_manifest(lambda text: text.replace("{", '{"records": 1,', 1)), "stands twice"),
    "a key more": (_document("note", "fine"), "not in the form"),
    "another form": (_manifest(lambda text: json.dumps(json.loads(text))), "not in the form"),
    "another format": (_document("format", "eclogue-certificate/2"), "the format is"),
    "no profile": (_document("profile", "all"), "is no manifest"),
    "a path trick": (_document("files", {"EclogueRun/../../x.lean": "sha256:"}), "is no name of a file"),
    "an absolute path": (_document("files", {"/etc/passwd": "sha256:"}), "is no name of a file"),
    "another Lean": (_document("lean", {"version": "4.0.0", "commit": "0"}), "not in the form"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_folder_is_refused(kept: Path, name: str) -> None:
    damage, reason = DAMAGES[name]
    damage(kept)
    with pytest.raises(MalformedInput, match=reason):
        read(kept)


# ------------------------------------------------------------------------------------------------
# By Lean alone


@pytest.fixture
def compiled(development: Build, tmp_path: Path) -> Path:
    """Return a folder with the compiled development, as the script leaves it after its first run."""
    out = tmp_path / "out"
    shutil.copytree(development.search_path, out, copy_function=os.link)
    return out


def _by_lean_alone(development: Build, kept: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """Follow the instruction in the folder, with a `lean` that is a script."""
    lean = development.lean
    program = out.parent / "lean"
    words = [sys.executable, "-I", "-S", str(CHILD), lean.kind, str(lean.location), "0", "0"]
    program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    instruction = (kept / README).read_text(encoding="utf-8").splitlines()[0].rpartition(": ")[2].split()
    places = {"lean": str(program), "SOURCES": str(development.package.layout.root), "OUT": str(out)}
    command = [places.get(word, word) for word in instruction]
    assert command[:2] == ["sh", SCRIPT]
    return subprocess.run(command, cwd=kept, capture_output=True, text=True, check=False, timeout=300)


def test_lean_alone_accepts_it(development: Build, kept: Path, compiled: Path) -> None:
    # One module of the development is compiled by the script, the others were.
    (compiled / "Eclogue.olean").unlink()
    found = _by_lean_alone(development, kept, compiled)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "'EclogueRun.certificate' does not depend on any axioms" in found.stdout
    assert (compiled / "Eclogue.olean").stat().st_size


def test_lean_alone_refuses_another_one(development: Build, kept: Path, compiled: Path) -> None:
    path = kept / "EclogueRun" / "Stretch2.lean"
    text = path.read_text(encoding="utf-8")
    changed = text.replace("(.resumptionHandle ", "(.resumptionHandle 1", 1)
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    found = _by_lean_alone(development, kept, compiled)
    assert found.returncode != 0
    assert "does not depend" not in found.stdout
