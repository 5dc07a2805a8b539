"""The files of an executed run as a document beside its trace, read and held against the model of files."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from eclogue.cli.reading import refuse
from eclogue.cli.trace_input import read_bytes
from eclogue.core.errors import MalformedInput
from eclogue.core.trace import Record
from eclogue.lowering.diagnostics import SourceText
from eclogue.runtime.files.manifests import read_document
from eclogue.runtime.files.recheck import check_files
from eclogue.validator.files_evidence import FilesChecked
from eclogue.validator.strict_json import MAX_BYTES


def files_checked(path: str, records: Sequence[Record]) -> tuple[FilesChecked, str]:
    """Return what the files in a document show of a run, and the digest of the bytes that were read.

    Raises `SourceErrors` (EC6005) for a document of another form.
    """
    data = read_bytes(path, MAX_BYTES + 1)
    try:
        base, final = read_document(data)
    except MalformedInput as error:
        hint = "`eclogue log --files FILE` writes it, before the run is merged"
        raise refuse("EC6005", error.message, SourceText(path, ""), None, hint) from None
    return check_files(records, base, final), sha256(data).hexdigest()
