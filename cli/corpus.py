"""Certifying a folder of programs: a line for each, a summary, and nothing that is done already."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click
from rich.progress import Progress
from rich.table import Table

from eclogue.cli.certification import BUNDLE, TRACE, Certified, Request, certify
from eclogue.cli.certified_before import CertifiedBefore
from eclogue.cli.lean_progress import lean_checker
from eclogue.cli.reading import read_document, refuse
from eclogue.cli.result import object_text
from eclogue.cli.summary import output_console
from eclogue.cli.trace_input import read_bytes
from eclogue.cli.verification_run import Asked, Recheck, verify
from eclogue.core.canonical import read
from eclogue.core.errors import LimitExceeded, MalformedInput
from eclogue.core.values import RecordValue, Value
from eclogue.lean.certificate_check import Checker
from eclogue.lowering.diagnostics import SourceErrors, SourceText
from eclogue.lowering.expansion import ExpansionRefused
from eclogue.validator.bundle import MAX_BYTES, read_bundle
from eclogue.validator.evidence import Strength
from eclogue.validator.verification import subjects_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_ANSWERS = ".answers.json"
ARGUMENTS = ".arguments.json"


@attrs.frozen
class Line:
    """What became of one program: a verdict, the strength of its envelope, and why it is no stronger.

    The strength is empty where nothing ran.
    """

    program: str
    verdict: str
    strength: str
    remark: str = ""

    @property
    def exit_code(self) -> int:
        """The exit code that this program alone would have had."""
        return _EXIT_CODES[self.verdict]


_EXIT_CODES = {"accepted": 0, "rejected": 1, "malformed": 2, "unsupported": 3, "unknown": 3, "disagreed": 4}


def certify_corpus(
    folder: Path, jobs: int, key: Ed25519PrivateKey | None, timeout: float | None, *, as_json: bool
) -> int:
    """Certify every program in a folder and return the exit code, that of the worst run.

    Of `NAME.ecl` the trace is `NAME.trace.jsonl`, made if it is not there, and the answers, if there are
    any, `NAME.answers.json`. A program whose bundle is about these very files is not certified again.
    """
    if not folder.is_dir():
        raise refuse("EC0001", "there is no such folder", SourceText(str(folder), ""), None)
    programs = sorted(path for path in folder.iterdir() if path.suffix == ".ecl")
    if not programs:
        raise refuse("EC0001", "there is no program, NAME.ecl, in it", SourceText(str(folder), ""), None)
    found: dict[Path, Line] = {}
    with lean_checker() as checker, ThreadPoolExecutor(jobs) as pool, _progress(len(programs)) as bar:
        running = {pool.submit(_one, path, key, timeout, checker): path for path in programs}
        for future in as_completed(running):
            found[running[future]] = line = future.result()
            bar.advance(bar.task_ids[0])
            if not as_json:
                click.echo(f"{line.verdict:<11} {line.strength:<20} {line.program}  {line.remark}".rstrip())
    lines = [found[path] for path in programs]
    if as_json:
        click.echo(_json(lines))
    else:
        output_console().print(_table(lines))
    return max((line.exit_code for line in lines), default=0)


def _progress(count: int) -> Progress:
    bar = Progress(disable=not sys.stderr.isatty(), transient=True)
    bar.add_task("certifying", total=count)
    return bar


def _one(program: Path, key: Ed25519PrivateKey | None, timeout: float | None, checker: Checker) -> Line:
    stem = program.stem
    answers, trace = program.with_name(stem + _ANSWERS), program.with_name(stem + TRACE)
    for path in (program, answers, trace, program.with_name(stem + ARGUMENTS)):
        if path.exists() and not path.is_file():  # a pipe would be waited for
            return Line(program.name, "malformed", "", f"{path.name} is not a file")
    try:
        arguments = read_arguments(program.with_name(stem + ARGUMENTS))
    except SourceErrors as error:
        return Line(program.name, "malformed", "", error.diagnostics[0].message)
    request = Request(
        str(program),
        arguments=arguments,
        trace=str(trace) if trace.exists() else None,
        answers=str(answers) if answers.exists() else None,
        out=str(program.with_name(stem + BUNDLE)),
        key=key,
        timeout=timeout,
    )
    standing = _done(request, checker)
    if standing is not None:
        return Line(program.name, "accepted", standing, "certified before")
    try:
        return _line(program.name, certify(request, checker))
    except ExpansionRefused as error:
        return Line(program.name, "unsupported", "", error.diagnostics[0].message)
    except SourceErrors as error:
        return Line(program.name, "malformed", "", error.diagnostics[0].message)
    except LimitExceeded as error:
        return Line(program.name, "unknown", "", str(error))
    except click.ClickException as error:
        return Line(program.name, "malformed", "", error.message)
    except (OSError, UnicodeError) as error:
        return Line(program.name, "malformed", "", str(error))
    except (RecursionError, MemoryError) as error:
        return Line(program.name, "unknown", "", f"too large for this machine: {type(error).__name__}")


def read_arguments(path: Path) -> dict[str, Value]:
    """Return the arguments in a file, none without one (EC4101)."""
    if not path.exists():
        return {}
    value = read_document(str(path), "EC4101", read, "write an object with the task's arguments by name")
    if not isinstance(value, RecordValue):
        raise refuse("EC4101", "arguments are an object", SourceText(str(path), ""), None)
    return dict(value.fields)


def _line(name: str, done: Certified) -> Line:
    if done.alarm:
        assert done.checked is not None
        return Line(name, "disagreed", Strength.RUNTIME_ONLY.value, done.checked.reason)
    if done.granted is None:
        granted = done.validation.granted
        verdict = "disagreed" if done.report.exit_code == 4 else done.report.verdict
        return Line(name, verdict, granted.strength.value, granted.reason)
    strength = done.granted.strength
    remark = "" if strength is Strength.SEMANTIC_ADEQUACY or done.checked is None else done.checked.reason
    return Line(name, "accepted", strength.value, remark.split("\n")[0])


def _done(request: Request, checker: Checker) -> str | None:
    """Return the strength of a bundle that stands for these files as they are, if one is there.

    It must be one that this user's `certify` wrote, to the byte: what a bundle from elsewhere claims, only
    `verify` can tell. It is held against the files by digests, and its signature against the key, if there
    is one. One that says less than could be said now, because Lean was missing then, does not count; nor
    one about other answers or arguments.
    """
    try:
        data = read_bytes(request.bundle, MAX_BYTES + 1)
        if not CertifiedBefore().has(data):
            return None
        bundle = read_bundle(data)
        subjects = subjects_of(bundle.claim)
        if (request.answers is None) is ("answers" in subjects):
            return None
        files = {"program": request.program, "trace": request.trace_path, "answers": request.answers}
        key = None if request.key is None else request.key.public_key()
        asked = Asked(
            Path(request.bundle).parent, files, None, request.arguments, Recheck.DIGESTS, key, None
        )
        found = verify(bundle, asked)
    except (MalformedInput, SourceErrors, LimitExceeded, click.ClickException):
        return None
    claimed = found.claimed
    if found.verdict != "accepted" or claimed is None or found.redacted:
        return None
    weaker = claimed.strength is not Strength.SEMANTIC_ADEQUACY and not checker.problems
    return None if weaker else claimed.strength.value


def _table(lines: list[Line]) -> Table:
    table = Table(title="Certified", title_justify="left")
    table.add_column("verdict")
    table.add_column("strength")
    table.add_column("runs", justify="right")
    for (verdict, strength), count in sorted(
        Counter((line.verdict, line.strength) for line in lines).items()
    ):
        table.add_row(verdict, strength, str(count))
    return table


def _json(lines: list[Line]) -> str:
    return f'{{"runs": [{", ".join(_objects(lines))}]}}'


def _objects(lines: list[Line]) -> Iterator[str]:
    for line in lines:
        yield object_text(
            {
                "program": line.program,
                "verdict": line.verdict,
                "strength": line.strength,
                "remark": line.remark,
            }
        )
