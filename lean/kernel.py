"""Put closed equations to Lean, many in one run, and have its kernel decide each by evaluation.

An equation is proved by `rfl` or it is not; there is no third way for it to be accepted. What Lean cannot
evaluate within its limits is unknown. An equation in a run that came to nothing is asked again on its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import attrs

from eclogue.lean.build import Build
from eclogue.lean.problems import Verdict
from eclogue.lean.process import ChildLimits, LeanRun

_OPTIONS = """\
set_option maxRecDepth 1000000
set_option smartUnfolding false
"""
"""Deep terms are no mistake here; and clever unfolding is exponential on nested continuations."""
_REFUSALS = ("Type mismatch", "Not a definitional equality", "type mismatch")


@attrs.frozen
class Equation:
    """Two closed terms of one type, as Lean text, and what their equality is about."""

    about: str
    left: str
    right: str


@attrs.frozen
class Question:
    """Definitions (name, type, body) and equations that use them.

    Names of definitions must differ between the questions of one call.
    """

    definitions: tuple[tuple[str, str, str], ...]
    equations: tuple[Equation, ...]


def decide(
    build: Build,
    questions: Sequence[Question],
    *,
    batch: int = 20,
    workers: int = 2,
    limits: ChildLimits | None = None,
) -> list[tuple[Verdict, ...]]:
    """Return for each question the verdict on each of its equations."""
    asking = _Asking(build, limits or ChildLimits())
    batches = [questions[start : start + batch] for start in range(0, len(questions), batch)]
    with ThreadPoolExecutor(workers) as pool:
        return [verdicts for answered in pool.map(asking.ask, batches) for verdicts in answered]


class _Asking:
    def __init__(self, build: Build, limits: ChildLimits) -> None:
        self.build = build
        self.limits = limits
        self.numbers = count()

    def ask(self, questions: Sequence[Question]) -> list[tuple[Verdict, ...]]:
        run, lines = self._run(questions)
        if run.trouble is None:
            return [
                _verdicts(run, question, first) for question, first in zip(questions, lines, strict=True)
            ]
        if len(questions) > 1:
            return [verdicts for question in questions for verdicts in self.ask([question])]
        (question,) = questions
        if len(question.equations) == 1:
            return [(Verdict.UNKNOWN,)]
        alone = [attrs.evolve(question, equations=(equation,)) for equation in question.equations]
        return [tuple(self.ask([part])[0][0] for part in alone)]

    def _run(self, questions: Sequence[Question]) -> tuple[LeanRun, list[int]]:
        """Run Lean on a file with the questions; return also the line on which each begins."""
        library = self.build.package.layout.library
        text = f"prelude\nimport {library}\n{_OPTIONS}namespace {library}\n"
        lines = []
        for question in questions:
            lines.append(text.count("\n") + 1)
            text += "".join(_text(question))
        path = self.build.workspace / f"Question{next(self.numbers)}.lean"
        path.write_text(f"{text}end {library}\n", encoding="utf-8")
        run = self.build.lean.run(
            [str(path)],
            search_path=self.build.search_path,
            directory=self.build.workspace,
            limits=self.limits,
        )
        path.unlink()
        return run, lines


def _text(question: Question) -> Iterator[str]:
    """Yield one line for each definition and each equation."""
    for name, kind, body in question.definitions:
        yield f"noncomputable def {name} : {kind} := {body}\n"
    for equation in question.equations:
        yield f"example : Eq ({equation.left}) ({equation.right}) := rfl\n"


def _verdicts(run: LeanRun, question: Question, first: int) -> tuple[Verdict, ...]:
    """Return the verdicts on a question that begins on line `first`, one for each equation."""
    behind = first + len(question.definitions)
    said = {message.line: message.text for message in run.messages}
    if any(line in said for line in range(first, behind)):
        return (Verdict.UNKNOWN,) * len(question.equations)
    return tuple(_verdict(said.get(behind + place)) for place in range(len(question.equations)))


def _verdict(complaint: str | None) -> Verdict:
    if complaint is None:
        return Verdict.ACCEPTED
    return Verdict.REJECTED if complaint.startswith(_REFUSALS) else Verdict.UNKNOWN
