"""What is saved when two oracles disagree, so that somebody can look into it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from eclogue.cli.files import CannotWrite
from eclogue.cli.validation_report import Report
from eclogue.core.encoding import program_text
from eclogue.validator.answers import answers_text
from eclogue.validator.replay import Replayed


def save_disagreement(report: Report, replayed: Replayed | None) -> str | None:
    """Save program, answers and trace of a report in a new folder here; return the folder's name."""
    if report.program is None or replayed is None:
        return None
    try:
        folder = Path(tempfile.mkdtemp(prefix="eclogue-disagreement-", dir="."))
        (folder / "program.json").write_text(program_text(report.program) + "\n", encoding="utf-8")
        (folder / "answers.json").write_text(answers_text(replayed.run.answers) + "\n", encoding="utf-8")
        shutil.copyfile(report.trace, folder / "trace.jsonl")
    except OSError as error:
        raise CannotWrite("eclogue-disagreement-…", error) from None
    return folder.name
