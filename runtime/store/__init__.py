"""Executed runs on disk: the trace as it grows, what stands beside its records, and the world's folder.

    STATE/runs/1/   run.json      the program, its arguments, the provider, the policy: a run's inputs
                    trace.jsonl   the records, in the very form in which `eclogue run --trace` writes them
                    beside        for records by number: when, by which host, in which file state
                    world/        the scopes and their layers (`runtime/scope.py`)

Every record has the ref of the trace, so that a commit is named by its content, and runs with a common
prefix share the refs of it. `git_export` writes the same as a git repository.
"""

from eclogue.runtime.store.log import DamagedRun, Note, RunLog, Stored, read_log, read_notes, watch
from eclogue.runtime.store.runs import RunInputs, Runs, read_inputs

__all__ = [
    "DamagedRun",
    "Note",
    "RunInputs",
    "RunLog",
    "Runs",
    "Stored",
    "read_inputs",
    "read_log",
    "read_notes",
    "watch",
]
