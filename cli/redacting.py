"""`eclogue redact` and `eclogue restore`: values out of a trace, and back in."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import click
from rich.text import Text

from eclogue.cli.files import both_or_none, keep_inputs, replacing
from eclogue.cli.options import error_format_option
from eclogue.cli.reading import opened, refuse
from eclogue.cli.reporting import print_all
from eclogue.cli.result import members_text
from eclogue.cli.salts import read_salt, salt_option
from eclogue.cli.summary import counted, output_console
from eclogue.cli.trace_input import open_trace, read_bytes
from eclogue.cli.validating import failures
from eclogue.cli.validation_report import diagnostics_json, line_span
from eclogue.core.canonical import quote
from eclogue.core.errors import MalformedInput
from eclogue.core.limits import DEFAULT, MEBI
from eclogue.core.trace import START_REF
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceErrors, SourceText
from eclogue.validator.disclosure import tells
from eclogue.validator.redaction import (
    NotRedactable,
    Selection,
    Selector,
    committed,
    read_selector,
    select,
    texts_of,
)
from eclogue.validator.refs import RefChain
from eclogue.validator.strict_json import read_strictly
from eclogue.validator.trace_file import Line, line, read_line
from eclogue.validator.withheld import is_withheld, value_of, with_value

BLOBS_FORMAT = "eclogue-blobs/1"


@click.command("redact")
@click.argument("trace")
@click.option(
    "--redact",
    "selections",
    multiple=True,
    metavar="WHAT",
    help="Values to take out: of operations (model.*, fs.read:payload, fs.read:result), or RunEnd.",
)
@click.option(
    "--secret", "secrets", multiple=True, metavar="TEXT", help="Take out every value with this text."
)
@click.option("--everywhere", is_flag=True, help="Take out too what still tells one of these values.")
@click.option("--out", metavar="OUT", help="The redacted trace; default NAME.redacted.jsonl.")
@click.option("--blobs", metavar="BLOBS", help="What was taken out; default NAME.blobs.jsonl.")
@click.option(
    "--check", multiple=True, metavar="FILE", help="See whether this file tells what was taken out."
)
@salt_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@error_format_option
def redact_command(
    trace: str,
    selections: tuple[str, ...],
    secrets: tuple[str, ...],
    everywhere: bool,
    out: str | None,
    blobs: str | None,
    check: tuple[str, ...],
    salt: str | None,
    as_json: bool,
    error_format: str,
) -> None:
    """Take values out of TRACE and leave their commitments, so that its refs stay.

    What is taken out goes to a file that only its owner can read; `eclogue restore` puts it back. A
    commitment to a value that one could guess gives it away, unless the run had a --salt. Texts and
    numbers of four characters and more are looked for in what stays, and with --check in other files: as
    they are, as JSON has them, in UTF-16, percent encoded, in hexadecimal and in base64; parts of them and
    other writings are not. Exit codes: 0 redacted; 1 what was taken out is still told, in the trace or in
    a file to be checked; 2 usage, malformed input, I/O.
    """
    if not selections and not secrets:
        raise click.UsageError("say what to take out, with --redact WHAT or --secret TEXT")
    if "" in secrets:
        raise click.UsageError("--secret: the empty text stands everywhere")
    stem = Path(trace).name.removesuffix(".jsonl")
    target = out or str(Path(trace).with_name(f"{stem}.redacted.jsonl"))
    store = blobs or str(Path(trace).with_name(f"{stem}.blobs.jsonl"))
    if Path(target).resolve() == Path(store).resolve():
        raise click.UsageError("--out and --blobs name the same file")
    extra = Path(trace).with_name(f"{stem}.extra.jsonl")
    check = (*check, str(extra)) if extra.exists() and str(extra) not in check else check
    keep_inputs((trace, salt, *check), (target, store))
    if Path(store).exists():
        raise click.UsageError(
            f"{store} is there already, with values of another redaction; name --blobs anew"
        )
    with failures(error_format, as_json):
        done = _redact(
            _Task(trace, target, store, read_salt(salt)), selections, secrets, everywhere=everywhere
        )
        told = [*_kept(done, trace), *_checked(done, secrets, check)]
        print_all(told, SourceText(trace, ""), error_format)
        if as_json:
            click.echo(_redacted_json(done, told))
        else:
            _print(done, given=not told)
    sys.exit(1 if told else 0)


@attrs.frozen
class _Task:
    trace: str
    out: str
    blobs: str
    salt: bytes


@attrs.frozen(eq=False)
class _Done:
    """What was taken out, and from where."""

    task: _Task
    selection: Selection
    lines: list[Line]
    ref: str


def _redact(task: _Task, selections: Sequence[str], secrets: Sequence[str], *, everywhere: bool) -> _Done:
    selectors = [_selector(text) for text in selections]
    lines = _right_lines(task)
    try:
        records = [record for _, record, _, _ in lines]
        selection = select(records, selectors, secrets, everywhere=everywhere)
    except NotRedactable as error:
        raise refuse("EC4704", error.message, SourceText(task.trace, ""), None) from None
    if not selection.numbers:
        message = "nothing is taken out: no record has such a value"
        hint = "`eclogue run --trace -` and the trace itself show operations and values"
        raise refuse("EC4702", message, SourceText(task.trace, ""), None, hint)
    with opened(task.trace) as file:
        originals = [data.decode() for data in file]
    ref = lines[-1][2] if lines else START_REF
    with both_or_none(task.out, task.blobs) as (out, store):
        store.write(json.dumps({"format": BLOBS_FORMAT, "trace_ref": ref}) + "\n")
        for (number, record, own, span), original in zip(lines, originals, strict=True):
            if number not in selection.numbers or is_withheld(record):
                out.write(original)
                continue
            taken = committed(value_of(record), task.salt, DEFAULT.value_size)
            out.write(line(number, with_value(record, taken), span, own) + "\n")  # type: ignore[arg-type]
            store.write(json.dumps({"seq": number, "line": original}, ensure_ascii=False) + "\n")
    return _Done(task, selection, lines, ref)


def _selector(text: str) -> Selector:
    try:
        return read_selector(text)
    except MalformedInput as error:
        raise refuse("EC4702", error.message, SourceText("--redact", ""), None) from None


def _right_lines(task: _Task) -> list[Line]:
    """Return the records of a trace whose refs are right: else nobody could verify what comes out."""
    chain = RefChain(task.salt)
    lines = []
    with open_trace(task.trace, redacted=True) as read:
        for item in read:
            number, record, ref, _ = item
            mismatch = chain.accept(number, record, ref)
            if mismatch is not None:
                message = f"the ref of record {number} is not that of the trace"
                hint = "if the run had a salt, give it with --salt"
                raise refuse("EC4402", message, SourceText(task.trace, ""), None, hint)
            lines.append(item)
    return lines


# ------------------------------------------------------------------------------------------------
# What is still told


def _kept(done: _Done, trace: str) -> Iterator[Diagnostic]:
    """Yield the records that still tell something that was taken out of others."""
    for item in done.selection.kept[:20]:
        message = f"record {item.number} still tells {item.why}"
        hint = "take it out too, or use --everywhere"
        yield Diagnostic("EC4704", Severity.ERROR, message, line_span(item.number), hint=hint)
    more = len(done.selection.kept) - 20
    if more > 0:
        yield Diagnostic("EC4704", Severity.ERROR, f"and {more} more records of {trace} do", None)


_SHORTEST = 4
_LARGEST = 512 * MEBI
"""Bytes of a file that is searched, or of a file with blobs."""


def _checked(done: _Done, secrets: Sequence[str], files: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield the files that tell what was taken out, in one of the ways that `disclosure` looks for."""
    texts = set(secrets)
    for number in done.selection.numbers:
        record = done.lines[number][1]
        if not is_withheld(record):
            texts |= {text for text in texts_of(value_of(record)) if len(text) >= _SHORTEST}
    for path in files:
        data = read_bytes(path, _LARGEST + 1)
        if len(data) > _LARGEST:
            message = f"{path} has more than {_LARGEST // MEBI} MiB, too much to be searched"
            yield Diagnostic("EC4704", Severity.ERROR, message, None)
        elif tells(data, texts):
            yield Diagnostic(
                "EC4704", Severity.ERROR, f"{path} tells what was taken out of the trace", None
            )


# ------------------------------------------------------------------------------------------------
# What is printed


def _print(done: _Done, *, given: bool) -> None:
    count = len(done.selection.numbers)
    salted = "salted" if done.task.salt else "not salted: a value that one can guess is given away"
    facts = [
        ("trace", f"{done.task.out}, {'to be given away' if given else 'NOT to be given away as it is'}"),
        ("blobs", f"{done.task.blobs}, to be kept: `eclogue restore` puts them back"),
        ("commitments", salted),
        ("ref", done.ref),
    ]
    console = output_console()
    head = ("redacted", "bold green" if given else "bold red")
    console.print(Text.assemble(head, f"  {count} of {len(done.lines)} records"))
    console.print()
    for name, text in facts:
        console.print(Text.assemble("  ", (f"{name:<12}", "dim"), text))


def _redacted_json(done: _Done, told: Sequence[Diagnostic]) -> str:
    """Return what was done as one JSON object (`validator/schema/redact-result.schema.json`)."""
    return members_text(
        [
            ("verdict", '"rejected"' if told else '"accepted"'),
            ("records", str(len(done.lines))),
            ("redacted", f"[{', '.join(map(str, sorted(done.selection.numbers)))}]"),
            ("out", quote(done.task.out)),
            ("blobs", quote(done.task.blobs)),
            ("salted", "true" if done.task.salt else "false"),
            ("trace_ref", quote(done.ref)),
            ("diagnostics", diagnostics_json(told, SourceText(done.task.trace, ""))),
        ]
    )


# ------------------------------------------------------------------------------------------------
# Back


@click.command("restore")
@click.argument("trace")
@click.argument("blobs")
@click.option("--out", metavar="OUT", required=True, help="The trace with its values.")
@salt_option
@error_format_option
def restore_command(trace: str, blobs: str, out: str, salt: str | None, error_format: str) -> None:
    """Put the values in BLOBS back into TRACE, from which they were taken.

    Each must be the one that the trace has the commitment to. Values taken out by another redaction stay
    out, and are counted. Exit codes: 0 restored; 2 usage, malformed input, blobs of another trace or of
    nothing that is missing, I/O.
    """
    keep_inputs((trace, blobs, salt), (out,))
    with failures(error_format, as_json=False):
        ref, originals = _blobs(blobs)
        chain, texts, put_back, left = RefChain(read_salt(salt)), [], 0, 0
        last = START_REF
        with open_trace(trace, redacted=True) as lines, opened(trace) as file:
            for found, data in zip(lines, file, strict=True):
                number, record, text = found[0], found[1], data.decode()
                restored, last = found, found[2]
                if is_withheld(record) and number in originals:
                    text = originals[number]
                    restored = _original(text, found, blobs)
                    put_back += 1
                elif is_withheld(record):
                    left += 1
                if chain.accept(*restored[:3]) is not None:
                    raise _other(blobs, f"what it has for record {number} is not what was taken out")
                texts.append(text)
        if last != ref:
            raise _other(blobs, f"they were taken out of the trace {ref}")
        if not put_back:
            raise _other(blobs, "none of its values is missing from the trace")
        with replacing(out) as target:
            target.writelines(texts)
        rest = f"; {counted(left, 'record')} still redacted" if left else ""
        click.echo(f"restored  {put_back} of {counted(len(originals), 'record')}, in {out}{rest}")


def _original(text: str, redacted: Line, blobs: str) -> Line:
    """Return the record in a line that was taken out, which must be the redacted one but for its value."""
    number, record, ref, span = redacted
    try:
        found = read_line(text)
    except MalformedInput as error:
        raise _other(blobs, f"what it has for record {number} is no record: {error.message}") from None
    if found[0] != number:
        raise _other(blobs, f"what it has for record {number} is record {found[0]}")
    if (with_value(found[1], None), *found[2:]) != (with_value(record, None), ref, span):
        raise _other(blobs, f"what it has for record {number} has more than its value changed")
    return found


def _blobs(path: str) -> tuple[str, dict[int, str]]:
    """Return the ref of the trace that a blobs file is about, and its lines by record (EC4705)."""
    found: dict[int, str] = {}
    data = read_bytes(path, _LARGEST + 1)
    if len(data) > _LARGEST:
        raise _other(path, f"it has more than {_LARGEST // MEBI} MiB")
    try:
        header, *items = (read_strictly(row) for row in data.splitlines())
        if header["format"] != BLOBS_FORMAT:
            raise _other(path, f"it is of the format {header['format']!r}")
        ref = header["trace_ref"]
        if not isinstance(ref, str):
            raise MalformedInput("it names no trace")
        for item in items:
            number, text = item["seq"], item["line"]
            if not isinstance(number, int) or not isinstance(text, str) or number in found:
                raise MalformedInput("a line of it is no record that was taken out")
            found[number] = text
    except (ValueError, KeyError, TypeError, MalformedInput) as error:
        reason = error.message if isinstance(error, MalformedInput) else "it has another form"
        raise _other(path, reason) from None
    return ref, found


def _other(path: str, reason: str) -> SourceErrors:
    hint = "`eclogue redact` writes it beside the redacted trace"
    return refuse("EC4705", f"no blobs of this trace: {reason}", SourceText(path, ""), None, hint)
