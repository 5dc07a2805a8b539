"""`eclogue verify`: somebody else's envelope, rechecked without trusting who made it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
from rich.text import Text

from eclogue.cli.disagreement import save_disagreement
from eclogue.cli.keys import public_key
from eclogue.cli.options import error_format_option, parse_arguments, program_options
from eclogue.cli.reading import refuse
from eclogue.cli.reporting import Unsupported, print_all
from eclogue.cli.result import lean_json, members_text
from eclogue.cli.salts import read_salt, salt_option
from eclogue.cli.summary import counted, output_console
from eclogue.cli.trace_input import read_bytes
from eclogue.cli.validating import failures
from eclogue.cli.validation_report import Report, diagnostics_json
from eclogue.cli.verification_run import Asked, Recheck, Verified, verify
from eclogue.core.canonical import text_of
from eclogue.core.errors import MalformedInput
from eclogue.core.values import Value
from eclogue.lowering.diagnostics import Diagnostic, SourceText
from eclogue.validator.bundle import MAX_BYTES, Bundle, UnknownVersion, read_bundle
from eclogue.validator.evidence import Strength
from eclogue.validator.known_leans import is_known

_STRENGTHS = [strength.value for strength in Strength]
_COLOURS = {"accepted": "bold green", "rejected": "bold red", "unknown": "bold yellow"}


@click.command("verify")
@click.argument("bundle")
@click.option("--program", metavar="PROGRAM", help="The program; default by its name beside the bundle.")
@program_options
@click.option("--trace", metavar="TRACE", help="The trace; default by its name beside the bundle.")
@click.option("--answers", metavar="FILE", help="The answers; default by their name beside the bundle.")
@click.option("--files", metavar="FILE", help="An executed run's files; default by their name beside it.")
@click.option(
    "--recheck",
    type=click.Choice([each.value for each in Recheck]),
    help="How much to find out again; default as much as can be done here.",
)
@click.option("--key", metavar="PUB", help="The public key, in PEM, with which the bundle must be signed.")
@click.option(
    "--policy", type=click.Choice(_STRENGTHS), help="The strength that this recheck must reach at least."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    help="Give Lean so many seconds for each file.",
)
@click.option("--claims", is_flag=True, help="Print too what the claim cites, assumes and does not say.")
@salt_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@error_format_option
def verify_command(
    bundle: str,
    program: str | None,
    task: str | None,
    arguments: tuple[str, ...],
    trace: str | None,
    answers: str | None,
    files: str | None,
    recheck: str | None,
    key: str | None,
    policy: str | None,
    timeout: float | None,
    claims: bool,
    salt: str | None,
    as_json: bool,
    error_format: str,
) -> None:
    """Recheck the envelope in BUNDLE, and everything that it claims.

    The files that it is about are sought beside it. `strength` is what this call found out again: with
    digests runtime_only, by replay reference_validated, with Lean what its kernel makes of this run's
    certificate. What the bundle claims is `claimed_strength`. Exit codes: 0 accepted; 1 rejected, or the
    policy is not met; 2 usage, malformed input, I/O; 3 a file or Lean is missing, or it is of another
    version; 4 two readings disagree.
    """
    with failures(error_format, as_json):
        read = _bundle(bundle)
        located = {"program": program, "trace": trace, "answers": answers, "files": files}
        asked = Asked(
            Path(bundle).parent, located, task, parse_arguments(arguments),
            None if recheck is None else Recheck(recheck),
            None if key is None else public_key(key), timeout, read_salt(salt),
        )  # fmt: skip
        found = verify(read, asked)
        for line in read.ignored:
            found.remark("EC4502", f"line {line} of the bundle is something else, and was left alone")
        if policy is not None and not found.rejected:
            _hold_against(found, Strength(policy))
        saved = None
        if found.disagreed and found.validation is not None:
            report = Report(found.validation, found.trace, found.program)
            saved = save_disagreement(report, found.validation.evidence.replayed)
        _print(found, bundle, policy, saved, error_format, as_json)
        if claims and not as_json:
            _print_claims(read)
    sys.exit(found.exit_code)


def _bundle(path: str) -> Bundle:
    data = read_bytes(path, MAX_BYTES + 1)
    source = SourceText(path, "")
    try:
        return read_bundle(data)
    except UnknownVersion as error:
        raise Unsupported(refuse("EC4503", error.message, source, None).diagnostics, source) from None
    except MalformedInput as error:
        hint = "a bundle is what `eclogue certify` writes, NAME.intoto.jsonl"
        raise refuse("EC4501", error.message, source, None, hint) from None


def _print_claims(bundle: Bundle) -> None:
    """Print what a claim cites, assumes and does not say, in its own words."""
    console = output_console()
    predicate = bundle.claim.document.get("predicate")
    said = predicate if isinstance(predicate, dict) else {}
    for title, key, shown in (
        ("decided by Lean's kernel", "decides", str),
        ("theorems", "theorems", lambda item: item["decl"]),
        ("assumed", "assumptions", lambda item: item["text"]),
        ("not claimed", "nonClaims", lambda item: item["text"]),
    ):
        items = said.get(key)
        if isinstance(items, list) and items:
            console.print(Text(f"\n  {title}", "bold"))
        for item in items if isinstance(items, list) else ():
            with suppress(KeyError, TypeError):
                console.print(Text(f"    {_visible(shown(item))}"))


def _visible(text: object) -> str:
    """Return a text of somebody else's without characters that change how it is shown."""
    return "".join(char if char.isprintable() else "\ufffd" for char in str(text))


def _hold_against(found: Verified, policy: Strength) -> None:
    """Refuse what does not reach the strength that is asked for."""
    if found.granted.strength.at_least(policy):
        return
    claimed = "nothing" if found.claimed is None else found.claimed.strength.value
    found.reject(
        "EC4514",
        f"this recheck reaches {found.granted.strength.value}, and the policy asks for {policy.value}",
        f"the bundle claims {claimed}",
        found.granted.reason,
    )


# ------------------------------------------------------------------------------------------------
# What is printed


def _print(
    found: Verified, bundle: str, policy: str | None, saved: str | None, error_format: str, as_json: bool
) -> None:
    items = [*found.rejected, *found.unknown, *found.remarks]
    if found.disagreed:
        hint = "please report it, with that folder and the output of `eclogue --version`"
        found.reject(
            "EC4406", "two readings disagree: this is a bug in Eclogue", f"saved in {saved}", hint=hint
        )
        items = [*found.rejected, *found.remarks]
    if as_json:
        click.echo(verified_json(found, bundle, policy, items))
    else:
        console = output_console()
        for line in verified_lines(found):
            console.print(line)
    if items:
        print_all(items, SourceText(bundle, ""), error_format)


def verified_lines(found: Verified) -> Iterator[Text]:
    """Yield what verifying came to, for people."""
    head = found.granted.strength.value if found.verdict == "accepted" else ""
    yield Text.assemble((found.verdict, _COLOURS[found.verdict]), f"  {head}".rstrip())
    yield Text()
    for name, text in _facts(found):
        yield Text.assemble("  ", (f"{name:<10}", "dim"), text)


def _facts(found: Verified) -> Iterator[tuple[str, str]]:
    yield "strength", f"{found.granted.strength.value}: {found.granted.reason}"
    if found.claimed is not None:
        yield "claimed", f"{found.claimed.strength.value}, on {found.claimed.time}"
    if found.facts is not None:
        yield "run", f"{found.facts.status}, {counted(found.facts.records, 'record')}"
        yield "profile", found.facts.profile.value
    if found.rechecked is not None:
        yield "recheck", found.rechecked.value
    if found.lean is not None:
        yield "lean", f"{found.lean}; {_beside(found)}"
    if found.files is not None:
        yield "files", f"{found.files.strength.value}: {found.files.reason}"
    yield "signature", found.signature
    for role, state in found.subjects.items():
        yield role, {"same": "the file that the bundle is about"}.get(state, state)


def _beside(found: Verified) -> str:
    """Return how the Lean of this call stands to the one that the bundle names."""
    assert found.lean is not None
    assert found.claimed is not None
    assert found.claimed.lean is not None
    named = found.claimed.lean.binary
    if named == found.lean.binary_digest:
        return "the bundle names the same"
    return f"the bundle names another, {'a known one' if is_known(named) else f'not a known one ({named})'}"


def verified_json(found: Verified, bundle: str, policy: str | None, items: list[Diagnostic]) -> str:
    """Return what verifying came to as one JSON object (`validator/schema/verify-result.schema.json`)."""
    plain: dict[str, Value] = {
        "verdict": found.verdict,
        "profile": found.profile,
        "status": None if found.facts is None else found.facts.status,
        "records": None if found.facts is None else found.facts.records,
        "strength": found.granted.strength.value,
        "strength_reason": found.granted.reason,
        "claimed_strength": None if found.claimed is None else found.claimed.strength.value,
        "recheck": None if found.rechecked is None else found.rechecked.value,
        "policy": policy,
        "signature": found.signature,
    }
    subjects = members_text((role, text_of(state)) for role, state in found.subjects.items())
    return members_text(
        [
            *((key, text_of(value)) for key, value in plain.items()),
            ("lean", lean_json(found.lean)),
            ("subjects", subjects),
            ("diagnostics", diagnostics_json(items, SourceText(bundle, ""))),
        ]
    )
