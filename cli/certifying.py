"""`eclogue certify`: an envelope for a run, of exactly the strength that the evidence supports."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from rich.text import Text

from eclogue.cli.certification import Certified, Request, certify
from eclogue.cli.corpus import certify_corpus
from eclogue.cli.disagreement import save_disagreement
from eclogue.cli.files import CannotWrite, keep_inputs
from eclogue.cli.keys import private_key
from eclogue.cli.lean_progress import lean_checker
from eclogue.cli.lean_reasons import reasons_and_hint
from eclogue.cli.options import error_format_option, parse_arguments, program_options
from eclogue.cli.reporting import print_all
from eclogue.cli.result import lean_json, members_text
from eclogue.cli.salts import read_salt, salt_option
from eclogue.cli.summary import counted, output_console
from eclogue.cli.validating import failures, print_report
from eclogue.cli.validation_report import diagnostics_json, report_json
from eclogue.core.canonical import text_of
from eclogue.core.encoding import program_ref
from eclogue.core.values import Value
from eclogue.lean.certificate_files import not_for_certificates, write
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceText
from eclogue.validator.certificate_evidence import CertificateChecked, KernelVerdict
from eclogue.validator.envelope import run_facts
from eclogue.validator.evidence import Strength


@click.command("certify")
@click.argument("program", required=False)
@program_options
@click.option("--trace", metavar="TRACE", help="The run's trace; without it the program is run.")
@click.option("--answers", metavar="FILE", help="The host's answers; default those that the trace records.")
@click.option(
    "--files", metavar="FILE", help="An executed run's files (`eclogue log --files`), for that facet."
)
@click.option(
    "--out", metavar="BUNDLE", help="Where the bundle goes; default beside the trace, as NAME.intoto.jsonl."
)
@click.option("--sign", metavar="KEY", help="Sign with an Ed25519 key in PEM (see `eclogue keys`).")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    help="Give Lean so many seconds for each file.",
)
@click.option("--keep", metavar="DIR", help="Leave the certificate there, to be checked with Lean alone.")
@click.option(
    "--private-arguments", is_flag=True, help="Do not write the task's arguments into the bundle."
)
@salt_option
@click.option(
    "--corpus", metavar="DIR", help="Certify every program in a folder, and go on where it ended."
)
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="How many runs at a time."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@error_format_option
def certify_command(
    program: str | None,
    task: str | None,
    arguments: tuple[str, ...],
    trace: str | None,
    answers: str | None,
    files: str | None,
    out: str | None,
    sign: str | None,
    timeout: float | None,
    keep: str | None,
    private_arguments: bool,
    salt: str | None,
    corpus: str | None,
    jobs: int,
    as_json: bool,
    error_format: str,
) -> None:
    """Write an envelope that says what is claimed about the run of PROGRAM, for others to recheck.

    The trace is validated as `validate` does it; then Lean's kernel checks a certificate of this very run.
    Without Lean (the extra `lean`) the strength is reference_validated, and the envelope says no more. A
    rejected run has no envelope. With --corpus, every NAME.ecl of a folder is certified, with the trace
    NAME.trace.jsonl (made if it is not there), the answers NAME.answers.json and the arguments
    NAME.arguments.json (an object), if they are there. Exit codes: 0 an envelope was written; 1 rejected; 2
    usage, malformed input, static errors, I/O; 3 unknown; 4 two readings disagree, Lean's among them.
    """
    if (program is None) == (corpus is None):
        raise click.UsageError("give a PROGRAM, or --corpus DIR")
    if corpus is not None:
        if any((task, arguments, trace, answers, files, out, keep, salt)):
            raise click.UsageError(
                "--corpus takes NAME.ecl with NAME.trace.jsonl, NAME.answers.json and NAME.arguments.json"
            )
        with failures(error_format, as_json):
            key = None if sign is None else private_key(sign)
            sys.exit(certify_corpus(Path(corpus), jobs, key, timeout, as_json=as_json))
    assert program is not None
    with failures(error_format, as_json):
        request = Request(
            program, task, parse_arguments(arguments), trace, answers, files, out,
            None if sign is None else private_key(sign), timeout, private_arguments, read_salt(salt),
        )  # fmt: skip
        new = [request.bundle, *([] if trace is not None else [request.trace_path])]
        keep_inputs((program, trace, answers, files, sign, salt), new)
        _may_keep(keep)
        with lean_checker() as checker:
            done = certify(request, checker)
        _finish(done, keep, error_format, as_json)


def _may_keep(keep: str | None) -> None:
    """Refuse a folder for the certificate in which something else would be written over."""
    try:
        reason = None if keep is None else not_for_certificates(Path(keep))
    except OSError as error:
        raise CannotWrite(keep or "", error) from None
    if reason is not None:
        raise click.UsageError(f"--keep {keep}: {reason}; name an empty or a new folder")


def _finish(done: Certified, keep: str | None, error_format: str, as_json: bool) -> None:
    if done.alarm:
        _alarm(done, error_format, as_json)
    if done.granted is None:
        if as_json:
            click.echo(report_json(done.report))
        else:
            print_report(done.report, error_format)
        if os.path.lexists(done.request.bundle):
            click.echo(f"note: {done.request.bundle} is of an earlier call, and was left alone", err=True)
        sys.exit(done.report.exit_code)
    if keep is not None and done.certificate is not None:
        try:
            write(done.certificate, Path(keep))
        except OSError as error:
            raise CannotWrite(keep, error) from None
    found = warnings_of(done)
    print_all(found, SourceText(done.request.program, ""), error_format)
    if as_json:
        click.echo(certified_json(done, keep, found))
        return
    console = output_console()
    for line in certified_lines(done, keep):
        console.print(line)


def _alarm(done: Certified, error_format: str, as_json: bool) -> None:
    """Say that Lean refuses what both Python readings accept, save everything, and end with 4."""
    assert done.checked is not None
    saved = save_disagreement(done.report, done.validation.evidence.replayed)
    notes = ((None, f"Lean: {done.checked.reason}"), (None, f"everything is in {saved}"))
    message = "Lean refuses the certificate of a run on which both readings agree: this is a bug in Eclogue"
    hint = "please report it, with that folder and the output of `eclogue --version`"
    item = Diagnostic("EC4406", Severity.ERROR, message, None, notes, hint)
    print_all([item], SourceText(done.request.program, ""), error_format)
    if as_json:
        click.echo(certified_json(done, None, [item]))
    sys.exit(4)


def warnings_of(done: Certified) -> list[Diagnostic]:
    """Return why an envelope is not of the strongest kind, if it is not."""
    checked = done.checked
    if checked is None or checked.verdict is KernelVerdict.ACCEPTED:
        return [] if checked is None else unknown_lean(checked)
    message = "Lean did not check this run, so that its envelope says no more than replay does"
    reasons, hint = reasons_and_hint(checked.reason)
    notes = tuple((None, reason) for reason in reasons)
    return [Diagnostic("EC4512", Severity.WARNING, message, None, notes, hint)]


def unknown_lean(checked: CertificateChecked) -> list[Diagnostic]:
    """Return a warning where the Lean that accepted is one that says itself what it is."""
    if checked.lean is None or checked.lean.known:
        return []
    message = "the Lean that checked this run is not one whose digest is known here"
    notes = (
        (None, f"Lean {checked.lean}"),
        (None, "the envelope assumes that this Lean is what it says it is (lean_binary)"),
    )
    hint = "others know whether they trust that Lean; the package's, of the extra `lean`, is a known one"
    return [Diagnostic("EC4515", Severity.WARNING, message, None, notes, hint)]


def elsewhere(done: Certified) -> list[str]:
    """Return the files that do not lie beside the bundle, where `verify` looks for them."""
    folder = Path(done.request.bundle).resolve().parent
    request = done.request
    files = (request.program, request.trace_path, request.answers, request.files)
    return [path for path in files if path is not None and Path(path).resolve().parent != folder]


# ------------------------------------------------------------------------------------------------
# What is printed


def certified_lines(done: Certified, keep: str | None) -> list[Text]:
    """Return what was claimed, for people."""
    assert done.granted is not None
    strength = done.granted.strength
    colour = "bold green" if strength is Strength.SEMANTIC_ADEQUACY else "bold yellow"
    evidence, checked = done.validation.evidence, done.checked
    facts = [
        ("run", f"{run_facts(evidence).status}, {counted(done.validation.records, 'record')}"),
        ("profile", f"{evidence.profile.profile.value}: {evidence.profile.reason}"),
        ("strength", f"{strength.value}: {done.granted.reason}"),
        ("bundle", f"{done.bundle}{'' if done.request.key is None else ', signed'}"),
        ("trace", f"{done.request.trace_path}, {evidence.refs.last}"),
        ("program", f"{done.request.program}, {program_ref(done.program)}"),
    ]
    if done.files is not None:
        facts.append(("files", f"{done.files.strength.value}: {done.files.reason}"))
    if checked is not None and checked.verdict is KernelVerdict.ACCEPTED and checked.lean is not None:
        bytes_too = ", with their canonical bytes" if checked.states_bytes else ""
        count = "one piece" if checked.segments == 1 else f"{checked.segments} pieces"
        facts.append(("certificate", f"{checked.certificate_digest}, in {count}{bytes_too}"))
        facts.append(("lean", f"{checked.lean}; {len(checked.theorems)} theorems applied, no axioms"))
    if keep is not None and done.certificate is not None:
        facts.append(("kept", f"in {keep}, where README.txt says how to check it with Lean alone"))
    apart = elsewhere(done)
    if apart:
        facts.append(("to verify", f"copy {' and '.join(apart)} beside the bundle, or name them there"))
    return [
        Text.assemble(("certified", colour), f"  {strength.value}"),
        Text(),
        *(Text.assemble("  ", (f"{name:<12}", "dim"), text) for name, text in facts),
    ]


def certified_json(done: Certified, keep: str | None, found: list[Diagnostic]) -> str:
    """Return what was claimed as one JSON object (`validator/schema/certify-result.schema.json`)."""
    granted, evidence, checked = done.granted, done.validation.evidence, done.checked
    plain: dict[str, Value] = {
        "verdict": "unknown" if granted is None else "accepted",
        "profile": evidence.profile.profile.value,
        "status": run_facts(evidence).status,
        "strength": Strength.RUNTIME_ONLY.value if granted is None else granted.strength.value,
        "strength_reason": "two oracles disagree" if granted is None else granted.reason,
        "bundle": done.bundle,
        "signed": done.request.key is not None and done.bundle is not None,
        "trace": done.request.trace_path,
        "records": done.validation.records,
        "program_ref": program_ref(done.program),
        "trace_ref": evidence.refs.last,
        "certificate": None,
        "kept": keep,
    }
    certificate = lean = "null"
    if checked is not None and checked.verdict is KernelVerdict.ACCEPTED:
        certificate = members_text(
            [
                ("digest", text_of(checked.certificate_digest)),
                ("segments", str(checked.segments)),
                ("states_bytes", "true" if checked.states_bytes else "false"),
            ]
        )
        lean = lean_json(checked.lean)
    members = [
        (key, certificate if key == "certificate" else text_of(value)) for key, value in plain.items()
    ]
    source = SourceText(done.request.program, "")
    return members_text([*members, ("lean", lean), ("diagnostics", diagnostics_json(found, source))])
