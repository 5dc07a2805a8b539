"""How importing grows: the size of a session of Claude Code against time and memory.

    python bench/importing.py [--quick]

`usual` has each result after its call. `blocked` begins with a call that never has a result, so that every
later call waits for the end of the file: the most that can wait. Time is of the processor, in a process of
its own; `peak` is its resident memory. Megabytes per second should stay the same down a column, and the
peak of `usual` should hardly grow: what grows with the file are the ids.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from eclogue.validator.importers.importing import import_trajectory

MEGA = 1_000_000
SIZES = (1, 10, 100)
FAMILIES = ("usual", "blocked")


def entry(kind: str, block: dict[str, Any], **more: Any) -> str:
    """Return a line with one block."""
    return json.dumps({"type": kind, "message": {"content": [block]}, **more}) + "\n"


def lines(family: str, size: int) -> Iterator[str]:
    """Yield the lines of a session of so many bytes."""
    rng, written, number = Random(0), 0, 0
    if family == "blocked":
        yield entry("assistant", {"type": "tool_use", "id": "never", "name": "Bash", "input": {}})
    while written < size:
        number += 1
        name, text = f"t{number}", "a line of a file, é\n" * rng.choice((5, 50, 500))
        call = {
            "type": "tool_use",
            "id": name,
            "name": "Read",
            "input": {"path": f"{number}", "limit": 0.5},
        }
        result = {"type": "tool_result", "tool_use_id": name, "content": text}
        for line in (
            entry("assistant", call, uuid=f"a{number}"),
            entry("user", result, uuid=f"u{number}", toolUseResult={"file": text}),
        ):
            written += len(line)
            yield line


def measure(path: str) -> None:
    """Import a file, and print seconds, peak memory in megabytes, and the number of records."""
    with (
        Path(path).open("rb") as file,
        tempfile.TemporaryFile("w") as trace,
        tempfile.TemporaryFile("w") as extra,
    ):
        assert isinstance(trace, io.TextIOWrapper)
        assert isinstance(extra, io.TextIOWrapper)
        start = time.process_time()
        found = import_trajectory("claude-code", file, trace, extra)
        seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    print(f"{seconds:.2f} {peak:.0f} {found.records}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave out the largest size")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure is not None:
        measure(given.measure)
        return
    print(f"{'family':<8} {'MB':>5} {'records':>8} {'seconds':>8} {'MB/s':>6} {'peak MB':>8}")
    for family in FAMILIES:
        for size in SIZES[:-1] if given.quick else SIZES:
            with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
                file.writelines(lines(family, size * MEGA))
                file.flush()
                done = subprocess.run(
                    [sys.executable, __file__, "--measure", file.name],
                    capture_output=True,
                    text=True,
                    check=True,
                )
            seconds, peak, records = done.stdout.split()
            rate = size / float(seconds)
            print(f"{family:<8} {size:>5} {int(records):>8,} {seconds:>8} {rate:>6.1f} {peak:>8}")


if __name__ == "__main__":
    main()
