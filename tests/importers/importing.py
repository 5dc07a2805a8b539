"""What tests of the importers share: the samples, and a file imported in memory."""

from __future__ import annotations

import io
from pathlib import Path

import attrs

from eclogue.core.trace import Record
from eclogue.validator.exporters.restore import restored
from eclogue.validator.importers.extra_file import Extra, MovedToRecords, read_extra
from eclogue.validator.importers.importing import DOCUMENTS, LINES, Imported, import_trajectory
from eclogue.validator.lifecycle import Lifecycle
from eclogue.validator.refs import RefChain
from eclogue.validator.trace_file import read_trace

HERE = Path(__file__).parent
SAMPLES = sorted(path for name in (*DOCUMENTS, *LINES) for path in (HERE / name).iterdir())


def sample_name(path: Path) -> str:
    return f"{path.parent.name}-{path.name}"


@attrs.frozen
class Done:
    """An import: what was said of it, its trace, and its extra file, both as they were written."""

    imported: Imported
    records: list[Record]
    extra: Extra
    trace_text: str
    extra_text: str

    def back(self) -> list[tuple[int | None, str]]:
        """Return the documents of the file that was imported, made from the trace and the extra file."""
        return list(restored(self.extra, MovedToRecords(self.records)))


def imported(name: str, data: bytes) -> Done:
    """Import a file; its refs fit, the lifecycle rules hold, and the extra file is this trace's."""
    trace, extra_file = io.StringIO(), io.StringIO()
    found = import_trajectory(name, io.BytesIO(data), trace, extra_file)
    records: list[Record] = []
    refs, lifecycle = RefChain(), Lifecycle()
    for number, item, ref, span in read_trace(io.BytesIO(trace.getvalue().encode())):
        assert span is None
        assert refs.accept(number, item, ref) is None
        assert lifecycle.accept(number, item) is None
        records.append(item)
    assert lifecycle.verdict().finished is (found.ending.value is not None)
    assert lifecycle.verdict().open_selections == 0
    assert found.trace_ref == refs.result().last
    assert found.records == len(records)
    extra = read_extra(io.BytesIO(extra_file.getvalue().encode()))
    assert (extra.format, extra.records, extra.trace_ref) == (name, len(records), found.trace_ref)
    return Done(found, records, extra, trace.getvalue(), extra_file.getvalue())
