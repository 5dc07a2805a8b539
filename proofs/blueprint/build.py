"""Build the blueprint: a static site of all definitions and theorems, with their status from the audit.

    python proofs/blueprint/build.py                      audits the Lean development, then builds
    python proofs/blueprint/build.py --audit report.json  takes what `eclogue lean check --json` printed

The site is in `proofs/blueprint/build/web`; start with `index.html`. It needs the extra `[docs]`, and
without `--audit` also `[lean]`. No status is typed: a definition or theorem is marked only if the audit
vouches for every Lean name in it. Exit codes: 0 all are marked; 1 some are not (the site is built and shows
which); 2 it could not be built.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from blueprint_site.site import OUTPUT, NotBuilt, build, read_audit


def main(arguments: list[str] | None = None) -> int:
    """Build the site and say what is wrong; return the exit code."""
    parser = argparse.ArgumentParser(description="Build the blueprint.")
    parser.add_argument("--audit", type=Path, help="what `eclogue lean check --json` printed")
    parser.add_argument(
        "--output", type=Path, default=OUTPUT, help="the folder in which `src` and `web` are made anew"
    )
    given = parser.parse_args(arguments)
    try:
        problems = build(read_audit(given.audit), given.output)
    except NotBuilt as error:
        print(error, file=sys.stderr)
        return 2
    for problem in sorted(problems):
        print(problem, file=sys.stderr)
    print(f"{given.output / 'web' / 'index.html'}: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
