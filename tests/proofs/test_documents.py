"""What the documents of `proofs/` name exists: files, theorems, tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from proof_files import LIBRARY, PROOFS, ROOT, proved

DOCUMENTS = [PROOFS / "README.md", PROOFS / "DIVERGENCES.md", PROOFS / "blueprint" / "README.md"]
OTHER_WORDS = {"core_a"}

documents = pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda path: path.parent.name + "/" + path.name
)


def quoted(document: Path) -> list[str]:
    return re.findall(r"`([^`\n]+)`", document.read_text(encoding="utf-8"))


@documents
def test_files_exist(document: Path) -> None:
    for word in quoted(document):
        if re.fullmatch(r"[\w./-]+/[\w./-]*", word) and "/build/" not in word:
            assert any((base / word).exists() for base in (ROOT, LIBRARY, document.parent)), word
    for link in re.findall(r"\]\(([^)]+)\)", document.read_text(encoding="utf-8")):
        assert (document.parent / link).exists(), link


@documents
def test_theorems_and_tests_exist(document: Path) -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for word in quoted(document):
        if re.fullmatch(r"test_\w+\.py", word):
            assert list((ROOT / "tests").rglob(word)), word
        elif word.startswith("test_"):
            assert f"def {word}(" in tests, word
        elif re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+", word):
            assert word in {*proved(), *OTHER_WORDS}, word


def test_the_readme_fits_on_a_page() -> None:
    assert len((PROOFS / "README.md").read_text(encoding="utf-8").splitlines()) <= 90
