"""Programs of the kernel-v3 reference (JSON syntax trees) as programs of this language.

A document is one of that project's conformance fixtures (`input.program`, `input.observations`, …) or a
bare program, an object with a `node`. What it means there and here:

| there | here |
|---|---|
| `Let Return Perform Handle Lit Var RecordExpr` | the same; names become de Bruijn indices |
| `effect_kind` | the operation's name as it stands, dot or no dot; its tier is `irreversible` |
| `input.registry` (payload and result schemas) | the operation's schemas; `any` if not registered |
| `Perform` | `let x = perform op(check(P, e)); return check(R, x)` |
| `StaticHandlerInstall` with `handled_result_schema` S | a clause that completes with `check(S, …)` |
| a body that ends without `Resume` and `Abort` | `answer` |
| `let x = (let y = a; Resume(e)); b` | `let y = a; let x = resume e; b`, with `y` hidden in `b` |
| `input.observations` (`{"value": …}`) | the host's answers, in order |

Differences, all deliberate:

- The documents called *negative* are mostly outside that project's narrowest profile, which has ints and
  null only. Booleans, text, lists and records, `RecordExpr` and `AnySchema`, and bodies with neither
  `Resume` nor `Abort` are part of this language and are accepted. A note says so where a document expects a
  rejection.
- Refused, with the reason and the place (`ImportRefused`): `DynamicHandlerInstall` (a Python function),
  `Forward`, `TerminalDelay`, `TerminalFork` (not in this language), a body that may resume twice, resume
  under a nested `Handle`, abort after a resume or other than as the last step, `Resume` and `Abort` outside
  a body, two installs for one effect in one `Handle` (there the first one counts), unbound names, nodes,
  members and versions that are not known, and observations with `reuse_index` (they submit an answer a
  second time).
- `RecordSchema` and `TaggedRecordSchema` accept records with further keys; no schema here does, so that
  they are refused. `TypeSchema` of `int` accepts booleans there and not here; a note says so.
- A value of the wrong schema is an exception there and the outcome `failed(schema)` here. A resumed value
  is checked where the perform returns, so that its `ContinuationResume` is in the trace.
- This trace has two records that theirs has not: `HostObservation` for an answer of the host, and `RunEnd`.
  There `EffectCapture` says `return` also for a body that did not resume; here it says `answer`.
- A number must be an integer, below 2^53 in magnitude or written `{"$int": "…"}`: floats are no values.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from eclogue.core.limits import DEFAULT, Limits
from eclogue.core.memory import collector_paused
from eclogue.core.outcomes import HostAnswer
from eclogue.core.paths import ROOT, Path
from eclogue.core.quick import read_quickly
from eclogue.core.syntax import Program
from eclogue.core.values import RecordValue, Value
from eclogue.validator.importers.kernel_v3_shapes import (
    Fields,
    ImportRefused,
    Signatures,
    as_list,
    as_record,
    effect_kind,
    member,
    members,
    schema_of,
)
from eclogue.validator.importers.kernel_v3_terms import Importer

__all__ = ["FIXTURE_VERSION", "ImportRefused", "Imported", "import_program", "import_text"]

FIXTURE_VERSION = "shepherd_kernel_v3_reference.v0_lite_fixture.v1"
"""The version of fixtures that is read."""


@attrs.frozen(eq=False)
class Imported:
    """What a document comes to: a program, the host's answers, and remarks for people."""

    program: Program
    answers: tuple[HostAnswer, ...]
    notes: tuple[str, ...]


def import_text(data: bytes | str, limits: Limits = DEFAULT) -> Imported:
    """Import a document from its JSON text; raises as `import_program`."""
    with collector_paused():
        return import_program(read_quickly(data), limits)


def import_program(document: Value, limits: Limits = DEFAULT) -> Imported:
    """Import a document.

    Raises `ImportRefused` for what this language does not have, `MalformedInput` for what is not of the
    documents' shape, both with the place in the message, and `LimitExceeded` for more nodes than the limit.
    """
    fields = as_record(document, ROOT)
    notes: list[str] = []
    if "node" in fields:
        importer = Importer({}, limits, notes)
        return Imported(importer.program(document, ROOT, None), (), tuple(notes))
    _check_version(fields, notes)
    _note_rejection(fields, notes)
    place = ROOT / "input"
    given = members(
        member(fields, "input", ROOT),
        place,
        ("program",),
        ("observations", "registry", "restart_via_serialized_artifact"),
    )
    if "restart_via_serialized_artifact" in given:
        notes.append(
            "restart_via_serialized_artifact is ignored: any suspended run can be saved and read back"
        )
    answers = tuple(_answers(given.get("observations", ()), place / "observations"))
    registry = _registry(given.get("registry", ()), place / "registry", notes)
    case = fields.get("case")
    importer = Importer(registry, limits, notes)
    program = importer.program(given["program"], place / "program", case if isinstance(case, str) else None)
    return Imported(program, answers, tuple(notes))


# ------------------------------------------------------------------------------------------------
# Around the program


def _check_version(fields: Fields, notes: list[str]) -> None:
    version = fields.get("fixture_schema_version")
    if version is None:
        notes.append(f"the document names no version; it was read as {FIXTURE_VERSION}")
    elif version != FIXTURE_VERSION:
        raise ImportRefused(
            ROOT / "fixture_schema_version", f"this version is not known, {FIXTURE_VERSION} is"
        )


def _note_rejection(fields: Fields, notes: list[str]) -> None:
    """Note that the other project refuses the document, if it says so."""
    expected = fields.get("expected")
    rejection = expected.fields.get("rejection") if isinstance(expected, RecordValue) else None
    if isinstance(rejection, RecordValue):
        construct = rejection.fields.get("construct")
        about = f" because of {construct}" if isinstance(construct, str) else ""
        notes.append(f"kernel-v3 is expected to refuse this document{about}; here it is a program")


def _answers(value: Value, path: Path) -> Iterator[HostAnswer]:
    for position, item in enumerate(as_list(value, path)):
        place = path / position
        if "reuse_index" in as_record(item, place):
            raise ImportRefused(
                place / "reuse_index",
                "a suspension is answered once; fork the suspended run to answer it again",
            )
        yield HostAnswer(members(item, place, ("value",))["value"])


def _registry(value: Value, path: Path, notes: list[str]) -> Signatures:
    signatures: Signatures = {}
    for position, item in enumerate(() if value is None else as_list(value, path)):
        place = path / position
        keys = ("effect_kind", "operation_result_schema", "payload_schema")
        fields = members(item, place, keys)
        kind = effect_kind(fields, place)
        if kind in signatures:
            raise ImportRefused(place / "effect_kind", f"{kind} is registered twice")
        payload, result = (
            schema_of(fields[key], place / key, notes)
            for key in ("payload_schema", "operation_result_schema")
        )
        signatures[kind] = (payload, result)
    return signatures
