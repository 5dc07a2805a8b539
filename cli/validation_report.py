"""What validating a trace came to, for people, as diagnostics, and as one JSON object.

The object is described by `validator/schema/validate-result.schema.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs
from rich.text import Text

from eclogue.cli.reporting import NO_SOURCE, diagnostic_json
from eclogue.cli.result import members_text
from eclogue.cli.show import record_line
from eclogue.core.canonical import quote, text_of
from eclogue.core.encoding import program_ref
from eclogue.core.errors import LimitExceeded
from eclogue.core.syntax import Program, Span
from eclogue.core.trace import Record
from eclogue.core.values import Value
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceText
from eclogue.validator.evidence import Strength
from eclogue.validator.replay import Disagreement, Divergence
from eclogue.validator.trace_file import record_text
from eclogue.validator.validation import Extent, Standing, Validation, disagreement

EXIT_CODES = {Standing.ACCEPTED: 0, Standing.REJECTED: 1, Standing.UNKNOWN: 3, Standing.DISAGREED: 4}
_VERDICTS = {Standing.DISAGREED: "unknown"}
_COLOURS = {
    Standing.ACCEPTED: "bold green",
    Standing.REJECTED: "bold red",
    Standing.UNKNOWN: "bold yellow",
    Standing.DISAGREED: "bold red",
}
_EXTENTS = {
    Extent.COMPLETED: "a completed run",
    Extent.FAILED: "a failed run",
    Extent.PREFIX: "a prefix: the run has not ended",
}


@attrs.frozen(eq=False)
class Report:
    """A validation with what it was about: the trace's file name, and the program if one was given."""

    validation: Validation
    trace: str
    program: Program | None
    saved: str | None = None
    """Where the program, the answers and the trace were saved, when readings disagreed."""

    @property
    def verdict(self) -> str:
        """`accepted`, `rejected` or `unknown`."""
        standing = self.validation.standing
        return _VERDICTS.get(standing, standing.value)

    @property
    def exit_code(self) -> int:
        """The exit code that the documentation promises."""
        return EXIT_CODES[self.validation.standing]

    @property
    def disagreement(self) -> Disagreement | None:
        """What two oracles say differently, if they do."""
        evidence = self.validation.evidence
        return None if evidence.replayed is None else disagreement(evidence, evidence.replayed)

    @property
    def trace_ref(self) -> str | None:
        """The last ref, where all refs are right."""
        refs = self.validation.evidence.refs
        return refs.last if refs.mismatch is None else None

    @property
    def judged(self) -> bool:
        """Whether the trace keeps the lifecycle rules, so that its profile means something."""
        return self.validation.evidence.lifecycle.accepted


# ------------------------------------------------------------------------------------------------
# Diagnostics


def diagnostics_of(report: Report) -> list[Diagnostic]:
    """Return what is wrong, each with the line of the trace where that shows."""
    evidence = report.validation.evidence
    if report.disagreement is not None:
        return [_about_disagreement(report.disagreement, report.saved)]
    found = []
    if evidence.refs.mismatch is not None:
        mismatch = evidence.refs.mismatch
        notes = ((None, f"computed {mismatch.expected}"), (None, f"in the file {mismatch.found}"))
        item = _at_record("EC4402", mismatch.number, "has another ref than its content gives", notes)
        hint = "if the run had a salt, give it with --salt" if mismatch.number == 0 else None
        found.append(attrs.evolve(item, hint=hint))
    if evidence.lifecycle.rejection is not None:
        broken = evidence.lifecycle.rejection
        notes = ((None, f"expected {broken.expected}"), (None, f"found {broken.found}"))
        found.append(_at_record("EC4403", broken.number, f"breaks the rule {broken.rule}", notes))
    if evidence.replayed is not None and evidence.replayed.divergence is not None:
        found.append(_about_divergence(evidence.replayed.divergence, report.program))
    elif evidence.replayed is not None and evidence.replayed.exhausted is not None:
        limit = evidence.replayed.exhausted
        message = f"replay reached the limit {limit.limit} of {limit.bound:,}"
        found.append(Diagnostic("EC4407", Severity.ERROR, message, None))
    if report.validation.standing is Standing.UNKNOWN and evidence.withheld is not None:
        number = evidence.withheld
        message = "is redacted, and a redacted trace cannot be replayed"
        hint = "put its values back with `eclogue restore`, or validate it without --program"
        found.append(attrs.evolve(_at_record("EC4703", number, message, ()), hint=hint))
    if report.judged and evidence.asked is not None and not evidence.in_profile:
        message = f"the trace is in {evidence.profile.profile.value}, not in {evidence.asked.value}"
        span = None if evidence.profile.number is None else line_span(evidence.profile.number)
        found.append(
            Diagnostic("EC4405", Severity.ERROR, message, span, ((None, evidence.profile.reason),))
        )
    return found


def line_span(number: int) -> Span:
    """Return the place of a record in its file."""
    return Span(number + 1, 1, number + 1, 1)


def _at_record(code: str, number: int, says: str, notes: tuple[tuple[None, str], ...]) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, f"record {number} {says}", line_span(number), notes)


_LENGTHS = (60, 500, 10_000)


def _about_divergence(divergence: Divergence, program: Program | None) -> Diagnostic:
    expected, found = _side_by_side(divergence.expected, divergence.found)
    notes = [(None, f"expected  {expected}"), (None, f"found     {found}")]
    if divergence.span is not None and program is not None and program.source is not None:
        which = "the expected record" if divergence.expected is not None else "the run's last record"
        notes.append((None, f"{which} comes from {program.source}:{divergence.span}"))
    return _at_record("EC4404", divergence.number, "is not the run's", tuple(notes))


def _side_by_side(expected: Record | None, found: Record | None) -> tuple[str, str]:
    """Return both records as text, cut as short as shows the difference."""
    for length in _LENGTHS:
        left = "nothing: the run has no more records" if expected is None else record_line(expected, length)
        right = "nothing: the trace ends here" if found is None else record_line(found, length)
        if left != right:
            break
    return left, right


def _about_disagreement(differing: Disagreement, saved: str | None) -> Diagnostic:
    notes = [
        (None, f"the machine: {differing.machine}"),
        (None, f"{differing.oracle}: {differing.other}"),
    ]
    if saved is not None:
        notes.append((None, f"the program, the answers and the trace are in {saved}"))
    message = f"two readings disagree about {differing.about}: this is a bug in Eclogue"
    hint = "please report it, with that folder and the output of `eclogue --version`"
    return Diagnostic("EC4406", Severity.ERROR, message, None, tuple(notes), hint)


# ------------------------------------------------------------------------------------------------
# For people


def report_lines(report: Report) -> list[Text]:
    """Return the lines of the report: the verdict first, then what can be said about the trace."""
    validation = report.validation
    standing = validation.standing
    count = f"{validation.records:,} record{'' if validation.records == 1 else 's'}"
    head = Text.assemble((report.verdict, _COLOURS[standing]), f"  {count}, {_EXTENTS[validation.extent]}")
    return [
        head,
        Text(),
        *(Text.assemble("  ", (f"{name:<10}", "dim"), text) for name, text in _facts(report)),
    ]


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    evidence = report.validation.evidence
    if report.judged:
        yield "profile", f"{evidence.profile.profile.value}: {evidence.profile.reason}"
    yield "strength", f"{report.validation.granted.strength.value}: {report.validation.granted.reason}"
    if evidence.replayed is not None:
        origin = "recorded in the trace" if evidence.replayed.answers_from_trace else "given"
        yield "answers", f"{len(evidence.replayed.run.answers)}, {origin}"
    if report.program is not None:
        yield "program", program_ref(report.program)
    yield "trace", report.trace_ref or "none: the refs do not fit the records"


# ------------------------------------------------------------------------------------------------
# JSON


def report_json(report: Report) -> str:
    """Return the report as one JSON object on one line, its members in reading order."""
    evidence, granted = report.validation.evidence, report.validation.granted
    profile = evidence.profile if report.judged else None
    replayed = evidence.replayed
    answers = None
    if replayed is not None:
        answers = "trace" if replayed.answers_from_trace else "given"
    plain: dict[str, Value] = {
        "verdict": report.verdict,
        "profile": None if profile is None else profile.profile.value,
        "profile_reason": None if profile is None else profile.reason,
        "strength": granted.strength.value,
        "strength_reason": granted.reason,
        "extent": report.validation.extent.value,
        "records": report.validation.records,
        "answers": answers,
        "program_ref": None if report.program is None else program_ref(report.program),
        "trace_ref": report.trace_ref,
        "saved": report.saved,
    }
    source = SourceText(report.trace, "")
    return members_text(
        [
            *((key, text_of(value)) for key, value in plain.items()),
            ("rejection", _rejection_json(report)),
            ("divergence", _divergence_json(None if replayed is None else replayed.divergence)),
            ("disagreement", _disagreement_json(report.disagreement)),
            ("diagnostics", diagnostics_json(diagnostics_of(report), source)),
        ]
    )


def failure_json(
    verdict: str, reason: str, diagnostics: Iterable[Diagnostic], source: SourceText | None
) -> str:
    """Return the object for a trace or a program that could not be read."""
    plain: dict[str, Value] = {
        "verdict": verdict,
        "profile": None,
        "strength": Strength.RUNTIME_ONLY.value,
        "strength_reason": reason,
    }
    members = [(key, text_of(value)) for key, value in plain.items()]
    return members_text([*members, ("diagnostics", diagnostics_json(diagnostics, source))])


def diagnostics_json(diagnostics: Iterable[Diagnostic], source: SourceText | None) -> str:
    """Return diagnostics as a JSON list."""
    return f"[{', '.join(diagnostic_json(item, source or NO_SOURCE) for item in diagnostics)}]"


def _rejection_json(report: Report) -> str:
    broken = report.validation.evidence.lifecycle.rejection
    if broken is None:
        return "null"
    texts = {"rule": broken.rule, "expected": broken.expected, "found": broken.found}
    return members_text(
        [("record", str(broken.number)), *((key, quote(text)) for key, text in texts.items())]
    )


def _divergence_json(divergence: Divergence | None) -> str:
    if divergence is None:
        return "null"
    number, span = divergence.number, divergence.span
    place: Value = None if span is None else (span.line, span.column, span.end_line, span.end_column)
    return members_text(
        [
            ("record", str(number)),
            ("expected", _record_json(number, divergence.expected)),
            ("found", _record_json(number, divergence.found)),
            ("span", text_of(place)),
        ]
    )


def _record_json(number: int, item: Record | None) -> str:
    if item is None:
        return "null"
    try:
        return record_text(number, item)
    except LimitExceeded:  # the run's value, not the trace's; that the two differ is known all the same
        return f'{{"seq":{number},"record":"{type(item).__name__}","too_large":true}}'


def _disagreement_json(differing: Disagreement | None) -> str:
    if differing is None:
        return "null"
    texts = {
        "about": differing.about,
        "machine": differing.machine,
        "oracle": differing.oracle,
        "other": differing.other,
    }
    return members_text((key, quote(text)) for key, text in texts.items())
