"""Bundles for tests: made from a program in a folder, and changed in every place of the document."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
from click.testing import CliRunner, Result

from eclogue.cli.main import main
from eclogue.cli.trace_input import open_trace
from eclogue.core.encoding import program_ref
from eclogue.core.profiles import Profile
from eclogue.lean.certificate import make
from eclogue.lean.sources import read_package
from eclogue.lean.toolchain import COMMIT, VERSION
from eclogue.lowering.load import load_program
from eclogue.validator.answers import answers_digest
from eclogue.validator.certificate_evidence import (
    CertificateChecked,
    KernelVerdict,
    LeanIdentity,
    TheoremFound,
)
from eclogue.validator.claims_map import read_claims
from eclogue.validator.envelope import claim_of, companion_of, statements
from eclogue.validator.evidence import Evidence
from eclogue.validator.strict_json import written
from eclogue.validator.validation import validate
from eclogue.validator.verification import Subject

NO_LEAN = "/there/is/no/lean"
TIME = "2026-01-31T12:00:00Z"


def eclogue(*arguments: str) -> Result:
    """Run a command in this process; an error that is no exit is a failure of the test."""
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@attrs.frozen
class Accepting:
    """What Lean would say of a certificate that it accepts."""

    digest: str = "sha256:" + "b" * 64

    def of(self, evidence: Evidence, salt: bytes = b"") -> CertificateChecked:
        """Return the answer for the run of this evidence."""
        assert evidence.replayed is not None
        run, known = evidence.replayed.run, read_claims()
        records = [item for _, item, _ in run.records()]
        profile = evidence.profile.profile
        assert profile is not Profile.NONE
        certificate = make(run.program, run.answers, records, profile, salt=salt)
        package, _ = read_package()
        theorems = (known.theorems[name] for name in certificate.theorems)
        return CertificateChecked(
            verdict=KernelVerdict.ACCEPTED,
            reason="accepted",
            program_ref=program_ref(run.program),
            answers_digest=answers_digest(run.answers),
            trace_ref=evidence.refs.last,
            records=len(records),
            profile=profile,
            states_bytes=certificate.states_bytes,
            segments=certificate.segments,
            certificate_digest=certificate.digest,
            theorems=tuple(
                TheoremFound(each.id, each.declaration, each.statement_digest, each.axioms)
                for each in theorems
            ),
            lean=LeanIdentity(VERSION, COMMIT, self.digest, package.digest, known.foundation, "path"),
        )


def claim_without_lean(
    program: str, trace: str, subjects: list[Subject], salt: bytes = b"", **options: Any
) -> bytes:
    """Return the bundle that `certify` writes where Lean accepts the certificate, made without Lean."""
    loaded = load_program(program, **options)
    with open_trace(trace) as lines:
        evidence = validate(lines, loaded, salt=salt).evidence
    certified = attrs.evolve(evidence, certificate=Accepting().of(evidence, salt))
    _, predicate = claim_of(certified, version="0.1.0", time=TIME)
    return b"\n".join(statements(predicate, subjects)) + b"\n"


# ------------------------------------------------------------------------------------------------
# Changes


Place = tuple[str | int, ...]


def places(document: Any, place: Place = ()) -> Iterator[Place]:
    """Yield the place of everything in a document, the document itself left out."""
    members: Iterator[tuple[str | int, Any]]
    if isinstance(document, dict):
        members = iter(document.items())
    elif isinstance(document, list):
        members = iter(enumerate(document))
    else:
        return
    for key, item in members:
        yield (*place, key)
        yield from places(item, (*place, key))


def at(document: Any, place: Place) -> Any:
    """Return what stands at a place."""
    for key in place:
        document = document[key]
    return document


def changes(document: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every change of one place with its name: another value, gone, twice, null, one member more."""
    for place in places(document):
        name = ".".join(map(str, place))
        item = at(document, place)
        for how, value in _others(item):
            changed = copy.deepcopy(dict(document))
            at(changed, place[:-1])[place[-1]] = value
            yield f"{name} {how}", changed
        gone = copy.deepcopy(dict(document))
        parent = at(gone, place[:-1])
        del parent[place[-1]]
        yield f"{name} gone", gone
        if isinstance(parent, list):
            twice = copy.deepcopy(dict(document))
            at(twice, place[:-1]).insert(place[-1], copy.deepcopy(item))
            yield f"{name} twice", twice


def _others(item: Any) -> Iterator[tuple[str, Any]]:
    """Yield values that stand for other ones of the same kind, and one of another."""
    if isinstance(item, bool):
        yield "other", not item
    elif isinstance(item, int):
        yield "other", item + 1
    elif isinstance(item, str):
        last = item[-1:]
        yield "other", item[:-1] + ("0" if last != "0" else "1")
        if item:
            yield "empty", ""
    elif isinstance(item, dict):
        yield "more", {**item, "more": None}
    elif isinstance(item, list):
        yield "more", [*item, None]
    yield "null", None


def forged(document: dict[str, Any]) -> bytes:
    """Return the bundle of a changed claim, with the companion that belongs to it, as a forger makes it."""
    claim = written(document)
    try:
        companion = companion_of(claim, document["subject"], document["predicate"])
    except (KeyError, TypeError, AttributeError):
        companion = b""
    return claim + b"\n" + companion + b"\n"


def claim_in(bundle: bytes) -> dict[str, Any]:
    """Return the claim of a bundle that is not signed."""
    document = json.loads(bundle.splitlines()[0])
    assert isinstance(document, dict)
    return document


def write(name: str, data: bytes) -> str:
    """Write a file here, and return its name."""
    Path(name).write_bytes(data)
    return name
