"""What certificates cost: records against seconds and memory, in one piece and in stretches.

    python bench/certify.py [--quick] [--family NAME] [--bytes]

`make` writes the certificate in Python; `check` puts it to Lean, whose development is compiled beforehand;
`peak` is the largest memory of one run of Lean, whose start alone takes about 100 MB. Each line is measured
in a process of its own. In stretches, seconds and characters grow with the run and the memory does not.
With `--bytes`, short runs also state the canonical bytes of program, answers and records.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

import machine

from eclogue.core.profiles import Profile
from eclogue.core.run import run
from eclogue.core.schema import Atom
from eclogue.core.syntax import Computation, Let, Literal, Operation, Program, Return, Tier
from eclogue.lean.certificate import CertificateLimits, make
from eclogue.lean.certificate_check import checking
from eclogue.validator.certificate_evidence import KernelVerdict

FAMILIES = {"distinct": "handled effects in a row", "nested": "nested handlers"}
RECORDS_EACH = 6
"""Records of one handled effect."""
SIZES = (10, 100, 1_000, 10_000)
UNBOUNDED = 1 << 60
OPERATION = Operation("op", Atom.INT, Atom.INT, Tier.REVERSIBLE)


def _program(family: str, records: int) -> Program:
    body: Computation = machine.FAMILIES[family][0](max(1, records // RECORDS_EACH))
    return Program((OPERATION,), Let(Return(Literal(0)), body))


def measure(family: str, records: int, pieces: str, stated: int) -> dict[str, Any]:
    """Return what one certificate takes in this process."""
    program = _program(family, records)
    trace = [item for _, item, _ in run(program).records()]
    limits = CertificateLimits(records=UNBOUNDED, steps=UNBOUNDED, stated_bytes=stated)
    if pieces == "one":
        limits = CertificateLimits(
            records=UNBOUNDED,
            steps=UNBOUNDED,
            stretch_records=UNBOUNDED,
            stretch_steps=UNBOUNDED,
            stated_bytes=stated,
        )
    with checking() as checker:
        if checker.problems:
            raise SystemExit(str(checker.problems[0]))
        started = time.perf_counter()
        certificate = make(program, (), trace, Profile.CORE0H, limits=limits)
        written = time.perf_counter() - started
        started = time.perf_counter()
        found = checker.check(certificate, program, (), trace, Profile.CORE0H, limits=limits)
        checked = time.perf_counter() - started
    if found.verdict is not KernelVerdict.ACCEPTED:
        raise SystemExit(found.reason)
    return {
        "records": len(trace),
        "stretches": certificate.segments,
        "characters": sum(map(len, certificate.modules.values())),
        "states_bytes": certificate.states_bytes,
        "make": written,
        "check": checked,
        "peak": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
    }


def _in_a_process(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, __file__, "--measure", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr.strip())
    return dict(json.loads(done.stdout))


def table(family: str, *, quick: bool, stated: int) -> None:
    """Print the lines of one family, in one piece and in stretches."""
    print(f"\n{FAMILIES[family]}")
    head = f"{'records':>8} {'stretches':>9} {'characters':>10} {'bytes':>6} {'make':>8} {'check':>8}"
    print(f"{head} {'per record':>11} {'peak':>8}")
    for pieces in ("one", "stretches"):
        for records in SIZES[:-1] if quick else SIZES:
            found = _in_a_process(family, str(records), pieces, str(stated))
            print(
                f"{found['records']:>8} {found['stretches']:>9} {found['characters']:>10}"
                f" {'stated' if found['states_bytes'] else '-':>6} {found['make']:>6.2f} s"
                f" {found['check']:>6.2f} s {1000 * found['check'] / found['records']:>8.2f} ms"
                f" {found['peak'] // 1024:>5} MB",
                flush=True,
            )


def main() -> None:
    """Measure one line for `table`, or print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the longest runs")
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--bytes", action="store_true", help="state bytes where that is the default")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        family, records, pieces, stated = given.measure
        print(json.dumps(measure(family, int(records), pieces, int(stated))))
        return
    stated = CertificateLimits().stated_bytes if given.bytes else 0
    for family in given.family or FAMILIES:
        table(family, quick=given.quick, stated=stated)


if __name__ == "__main__":
    main()
