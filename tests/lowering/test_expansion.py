"""The bound on expansions: what is counted is the tree, and nothing too large is ever built."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from strategies import for_seeds
from support.directed_surface import DirectedSurface
from support.terms import children

from eclogue.core.schema import ListSchema, RecordSchema, Schema
from eclogue.core.syntax import Check
from eclogue.lowering.declarations import read_declarations
from eclogue.lowering.diagnostics import SourceErrors, SourceText
from eclogue.lowering.expansion import EXPANSION_BOUND, UNSUPPORTED_CODES, Budget, ExpansionRefused
from eclogue.lowering.lower import check_file, lower_every_task, lower_task
from eclogue.lowering.lower_clauses import ClauseLowering
from eclogue.lowering.parser import parse
from eclogue.lowering.reporter import Reporter


def schema_size(schema: Schema) -> int:
    if isinstance(schema, ListSchema):
        return 1 + schema_size(schema.item)
    if isinstance(schema, RecordSchema):
        return 1 + sum(schema_size(field.schema) for field in schema.fields)
    return 1


def tree_size(node: Any) -> int:
    own = 1 + (schema_size(node.schema) if isinstance(node, Check) else 0)
    return own + sum(map(tree_size, children(node)))


def test_the_count_is_that_of_the_tree_before_and_after_it_is_written_out() -> None:
    def check(seed: int) -> None:
        source = SourceText("test.ecl", DirectedSurface(Random(seed)).text(40))
        declarations = read_declarations(parse(source), Reporter(source))
        main = declarations.tasks["main"]
        measured, built = Budget(), Budget()
        ClauseLowering(declarations, measured, measuring=True).task(main, {})
        term = ClauseLowering(declarations, built, measuring=False).task(main, {})
        assert measured.spent == built.spent == tree_size(term)

    for_seeds(300, check)


DOUBLING = "def d0() { 1 }\n" + "".join(
    f"def d{level + 1}() {{ let x = d{level}(); let y = d{level}(); x + y }}\n" for level in range(60)
)
DOUBLING_TYPES = "type T0 = Int\n" + "".join(
    f"type T{level + 1} = {{a: T{level}, b: T{level}}}\n" for level in range(60)
)
DOUBLING_HANDLERS = (
    "effect e { reversible ctl op(): Int }\nhandler h0() { ctl e.op() { resume(1) } }\n"
    + "".join(
        f"handler h{level + 1}() {{ ctl e.op() {{ let x = handle {{ 1 }} with h{level}();"
        f" let y = handle {{ x }} with h{level}(); resume(y) }} }}\n"
        for level in range(60)
    )
)
TOO_LARGE = {
    "rounds that are shared": "task main(): Int { repeat 1000000000 with x = 0 { x + 1 } }",
    "rounds that depend on what is around": (
        "task main(): Int { let y = 1; repeat 1000000000 with x = 0 while x < 5 { x + y } }"
    ),
    "loops in loops": (
        "task main(): Int { let y = 1; repeat 2000 with x = 0 { repeat 2000 with z = x { z + y } } }"
    ),
    "loops one after the other": (
        f"task main(): Int {{ let y = 1; {'let y = repeat 10000 with x = 0 { x + y }; ' * 300} y }}"
    ),
    "items": ("task main(): Any { for x in [" + "1, " * 2000 + "] { repeat 200 with y = 1 { y + x } } }"),
    "defs that double": DOUBLING + "task main(): Int { d60() }",
    "handlers that double": DOUBLING_HANDLERS + "task main(): Int { handle { 1 } with h60() }",
    "types that double": DOUBLING_TYPES + "task main(): Any { let x: T60 = do { let y: Any = 1; y }; x }",
}


@pytest.mark.parametrize("case", TOO_LARGE)
def test_what_is_too_large_is_refused(case: str) -> None:
    source = SourceText("test.ecl", TOO_LARGE[case])
    file = parse(source)
    for lower in (lower_task, lower_every_task):
        with pytest.raises(ExpansionRefused) as refused:
            lower(file, source)
        assert {item.code for item in refused.value.diagnostics} == {"EC3001"} == UNSUPPORTED_CODES
    assert [item.code for item in check_file(file, source)] == ["EC3001"]


def test_the_bound_itself_is_allowed() -> None:
    # A round is a let, a return, an operator and its operands; around them stand `let x = return 0; …;
    # return x` and the check of the result, `let y = …; return check(int, y)`.
    rounds = (EXPANSION_BOUND - 10) // 5
    for count, expected in ((rounds, ()), (rounds + 1, ("EC3001",))):
        source = SourceText("test.ecl", f"task main(): Int {{ repeat {count} with x = 0 {{ x + 1 }} }}")
        assert tuple(item.code for item in check_file(parse(source), source)) == expected


def test_every_task_is_measured_by_itself() -> None:
    text = (
        "task small(): Int { 1 }\n"
        "task large(): Int { repeat 1000000000 with x = 0 { x + 1 } }\n"
        "task other(): Int { repeat 100000 with x = 0 { x + 1 } }\n"
        "task more(): Int { repeat 100000 with x = 0 { x + 1 } }\n"
        "task user(): Int { let x = large(); other() }\n"
    )
    source = SourceText("test.ecl", text)
    found = check_file(parse(source), source)
    assert [(item.code, item.message.split("`")[1]) for item in found] == [
        ("EC3001", "large"),
        ("EC3001", "user"),
    ]
    assert lower_task(parse(source), source, "other").task == "other"


def test_other_errors_come_first() -> None:
    source = SourceText(
        "test.ecl", "task main(): Int { let y = z; repeat 1000000000 with x = 0 { x + 1 } }"
    )
    with pytest.raises(SourceErrors) as found:
        lower_task(parse(source), source)
    assert not isinstance(found.value, ExpansionRefused)
    assert [item.code for item in found.value.diagnostics] == ["EC1001"]
