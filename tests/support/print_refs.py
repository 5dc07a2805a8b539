"""Prints the refs of some generated programs and of their runs, to be called in another process."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from eclogue.core.encoding import program_ref
from eclogue.core.run import run
from support.cases import directed_case, undirected_case


def refs(number: int) -> Iterator[str]:
    """Yield program refs and trace refs for the seeds below `number`."""
    for seed in range(number):
        for case in (directed_case(seed), undirected_case(seed)):
            yield program_ref(case.program)
            yield run(case.program, case.answers).trace_ref(b"salt")


if __name__ == "__main__":
    sys.stdout.writelines(f"{ref}\n" for ref in refs(int(sys.argv[1])))
