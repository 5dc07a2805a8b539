"""How parsing and lowering grow: size against time, for sources of several shapes.

    python bench/lowering.py [--quick]

Times are processor seconds, each source parsed and lowered once in this process. Time per item should stay
the same down a family; `bytes/s` is for parsing alone.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from eclogue.core.encoding import program_ref
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.lower import lower_task
from eclogue.lowering.parser import parse

HEAD = "effect work { reversible ctl step(n: Int): Int }\n"


def sequential(size: int) -> str:
    """Return a source with `size` performs in a row."""
    steps = "".join(f"  let x{i} = perform work.step({i});\n" for i in range(size))
    return f"{HEAD}task main(): Int {{\n{steps}  return 0\n}}\n"


def chain(size: int) -> str:
    """Return a source with one expression of `size` operands."""
    return f"task main(): Int {{ return {' + '.join('1' for _ in range(size))} }}\n"


def definitions(size: int) -> str:
    """Return a source with `size` defs, each called once."""
    defs = "".join(f"def f{i}(x: Int): Int {{ return x + {i} }}\n" for i in range(size))
    calls = "".join(f"  f{i}({i});\n" for i in range(size))
    return f"{defs}task main(): Int {{\n{calls}  return 0\n}}\n"


def alternatives(size: int) -> str:
    """Return a source with one `else if` chain of `size` branches."""
    branches = " else ".join(f"if n == {i} then {{ return {i} }}" for i in range(size))
    return f"task main(): Int {{ let n = 3; {branches} else {{ return 0 }} }}\n"


FAMILIES: dict[str, Callable[[int], str]] = {
    "performs in a row": sequential,
    "operands in a chain": chain,
    "defs, each called": definitions,
    "else if": alternatives,
}


def seconds(work: Callable[[], object]) -> tuple[float, object]:
    """Return the processor time that `work` takes, and its result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def main() -> None:
    """Print a line for each family and size."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="small sizes only")
    sizes = [100, 1_000] if arguments.parse_args().quick else [1_000, 10_000, 100_000]
    parse(SourceText("warm", HEAD))  # the grammar's tables are made once
    columns = ("size", 9), ("bytes", 11), ("parse s", 9), ("bytes/s", 11), ("lower s", 9), ("ref s", 8)
    print(f"{'family':<22}" + "".join(f"{name:>{width}}" for name, width in (*columns, ("µs/item", 9))))
    for name, family in FAMILIES.items():
        for size in sizes:
            print(measured(name, family(size), size))


def measured(name: str, text: str, size: int) -> str:
    """Return the line of one source."""
    source = SourceText("bench.ecl", text)
    parsing, file = seconds(lambda: parse(source))
    lowering, program = seconds(lambda: lower_task(file, source))  # type: ignore[arg-type]
    naming, _ = seconds(lambda: program_ref(program))  # type: ignore[arg-type]
    whole = (parsing + lowering) / size * 1e6
    return (
        f"{name:<22}{size:>9,}{len(text):>11,}{parsing:>9.3f}{len(text) / parsing:>11,.0f}"
        f"{lowering:>9.3f}{naming:>8.3f}{whole:>9.1f}"
    )


if __name__ == "__main__":
    main()
