"""Every lesson of the tutorial is run: its outputs are real, its answers check, its links lead somewhere.

`ECLOGUE_RENEW=1 pytest tests/docs` writes the outputs anew.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from support.console import BLOCK, compare, printed

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LESSONS = sorted(path for path in (DOCS / "tutorial").glob("[0-9]*.md"))
PAGES = sorted([ROOT / "README.md", *DOCS.rglob("*.md"), ROOT / "proofs" / "README.md"])


def test_there_are_ten_lessons_each_with_an_answer() -> None:
    assert len(LESSONS) == 10
    answers = sorted(path.stem for path in (DOCS / "tutorial" / "answers").glob("*.ecl"))
    assert answers == [path.name[:2] for path in LESSONS]
    index = (DOCS / "tutorial" / "README.md").read_text(encoding="utf-8")
    assert all(f"({path.name})" in index for path in LESSONS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_shows_real_output(lesson: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(DOCS / "tutorial" / "answers", tmp_path / "answers")
    text = lesson.read_text(encoding="utf-8")
    assert len(BLOCK.findall(text)) == 2
    assert f"answers/{lesson.name[:2]}.ecl" in text
    compare(lesson, tmp_path)


def test_the_answers_check_and_are_formatted(tmp_path: Path) -> None:
    shutil.copytree(DOCS / "tutorial" / "answers", tmp_path / "answers")
    for path in sorted((tmp_path / "answers").glob("*.ecl")):
        before = path.read_text(encoding="utf-8")
        assert printed(f"eclogue check {path} --json", tmp_path).startswith('{"status": "checked"')
        printed(f"eclogue fmt {path}", tmp_path)
        assert path.read_text(encoding="utf-8") == before


LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        assert not name or (page.parent / name).exists(), f"{page}: {target}"
        if anchor and name.endswith(".md"):
            headings = re.findall(
                r"^#+ (.*)$", (page.parent / name).read_text(encoding="utf-8"), re.MULTILINE
            )
            assert anchor in {re.sub(r"[^\w -]", "", item).lower().replace(" ", "-") for item in headings}
