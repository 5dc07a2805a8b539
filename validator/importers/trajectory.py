"""What the importers of trajectories share: what they give, and how they refuse."""

from __future__ import annotations

from typing import NoReturn, Protocol

import attrs

from eclogue.core.errors import EclogueError, MalformedInput
from eclogue.core.limits import MEBI
from eclogue.core.trace import CompletedWith
from eclogue.core.values import RecordValue, Value
from eclogue.lowering.diagnostics import BYTE_ORDER_MARK
from eclogue.validator.importers.calls import Calls
from eclogue.validator.importers.foreign_json import REPEATED_KEY

STRENGTH_REASON = (
    "the trace was imported: no program stands behind it, so no semantics was compared with it"
)
"""Why an imported trace is `runtime_only`, whatever else is true of it."""


UTF_8 = "save the file as UTF-8"
LARGEST_DOCUMENT = 64 * MEBI
"""The size in bytes of the largest file that is read as one document."""


class TrajectoryRefused(EclogueError):
    """A file that is not imported: why, and where.

    `line` counts from 1; `offset` counts characters from the start of that line or, where `line` is None,
    of the file. `unsupported` says that the file may well be right, and that this version does not know it.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        line: int | None = None,
        offset: int | None = None,
        hint: str | None = None,
        unsupported: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.line = line
        self.offset = offset
        self.hint = hint
        self.unsupported = unsupported


@attrs.frozen
class Ending:
    """Whether the run ended, with what value, and how the file says so."""

    value: CompletedWith | None
    reason: str


class ExtraWriter(Protocol):
    """Takes what an extra file holds: the file's documents as templates, in their order."""

    def __call__(self, line: int | None, template: Value) -> None:
        """Take a document; `line` is its line in a file of several, None in a file of one."""


@attrs.define
class Import:
    """An import under way: where records and templates go, and what there is to say about the file."""

    calls: Calls
    extra: ExtraWriter
    version: str | None = None
    """The version of the format, where the file names one."""
    unknown: dict[str, int] = attrs.Factory(dict)
    """Kinds of entries that the importer does not know, with how often each stands there."""
    copied: int = 0
    """Calls that stand in copied context: they were made earlier, elsewhere, and are no records."""
    delegated: int = 0
    """Calls among the records that a sub-agent made."""

    def count_unknown(self, kind: str | None) -> None:
        """Count an entry of an unknown kind, or of none."""
        name = "(none)" if kind is None else kind
        self.unknown[name] = self.unknown.get(name, 0) + 1


def not_this_format(tool: str, wanted: str, document: Value) -> NoReturn:
    """Refuse a document that is of another format, and say of which if that can be told."""
    other = _looks_like(document)
    hint = f"this looks like {other}" if other is not None else "eclogue import --help lists the formats"
    raise TrajectoryRefused("EC4605", f"this is no {tool} file: there is no {wanted} in it", hint=hint)


def document_text(data: bytes) -> str:
    """Return the text of a file that is one document; raises `TrajectoryRefused` (EC0004, EC0005)."""
    if len(data) > LARGEST_DOCUMENT:
        message = f"more than {LARGEST_DOCUMENT // MEBI} MiB, the most that is read of one document"
        raise TrajectoryRefused("EC0005", message, hint="files in JSON Lines may be larger")
    try:
        return data.decode("utf-8").removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        offset = len(data[: error.start].decode("utf-8").removeprefix(BYTE_ORDER_MARK))
        message = f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise TrajectoryRefused("EC0004", message, offset=offset, hint=UTF_8) from None


def not_json(error: MalformedInput, hint: str, line: int | None = None) -> NoReturn:
    """Refuse what is no JSON, with a hint that fits what is wrong, else with `hint`."""
    own = {REPEATED_KEY: "JSON does not say which of the two counts: leave one of them out"}
    if error.message.endswith("is not JSON"):
        hint = "JSON has finite numbers only: write null, or text"
    hint = own.get(error.message, hint)
    raise TrajectoryRefused("EC4601", error.message, line=line, offset=error.offset, hint=hint) from None


def _looks_like(document: Value) -> str | None:
    first = document[0] if isinstance(document, tuple) and document else document
    if not isinstance(first, RecordValue):
        return None
    keys = first.fields.keys()
    if "schema_version" in keys and "steps" in keys:
        return "ATIF: eclogue import atif"
    if "trajectory" in keys:
        return "SWE-agent: eclogue import swe-agent"
    if "sessionId" in keys or "parentUuid" in keys:
        return "Claude Code: eclogue import claude-code"
    if "source" in keys and keys & {"kind", "action", "observation"}:
        return "OpenHands: eclogue import openhands"
    if "seq" in keys and "record" in keys:
        return "a trace of Eclogue, which needs no import"
    return None
