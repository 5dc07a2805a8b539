"""Long and deep sources are lowered: no recursion in Python, and no time beyond linear."""

from __future__ import annotations

import pytest
from support.random_surface import NOWHERE, name

from eclogue.core.syntax import Let, Program
from eclogue.core.wellformed import well_formed
from eclogue.lowering import ast
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.lower import check_file, lower_task
from eclogue.lowering.parser import MAX_NESTING, parse

EFFECTS = "effect a { reversible ctl op(x: Int): Int }\n"
MANY = 20_000


def lowered(text: str) -> Program:
    source = SourceText("test.ecl", EFFECTS + text)
    file = parse(source)
    assert [item.code for item in check_file(file, source) if item.code != "EC1171"] == []
    return lower_task(file, source)


def many(form: str, number: int = MANY) -> str:
    return "".join(form.replace("%", str(position)) for position in range(number))


LONG = {
    "performs": f"task main(): Int {{ let x = 0; {many('let x = perform a.op(x);', 100_000)} x }}",
    "lets of different names": f"task main(): Int {{ {many('let x% = %;')} x0 }}",
    "lets in a clause": (
        f"task main(): Int {{ handle {{ 1 }} with {{ ctl a.op(x) {{ {many('let x = x;')} resume(x) }} }} }}"
    ),
    "exits in a clause": (
        "task main(): Int { handle { 1 } with { ctl a.op(x) {"
        f"{many('if x == % then { abort(1) };')} resume(x) }} }} }}"
    ),
    "blocks in a clause": (
        "task main(): Int { handle { 1 } with { ctl a.op(x) {"
        f"{many('let x = do { let y = x; if y == 1 then { answer(1) } else { y } };')}"
        " resume(x) } } }"
    ),
    "computations after a resume": (
        "task main(): Int { handle { 1 } with { ctl a.op(x) {"
        f" resume(x); {many('let x = x;')} x }} }} }}"
    ),
    "a chain of operators": f"task main(): Int {{ 0 {many('+ %')} }}",
    "a chain of projections": f"task main(): Any {{ let x: Any = 1; x {many('.k')} }}",
    "a wide list": f"task main(): Any {{ [{many('%, ')}] }}",
    "a wide record": f"task main(): Any {{ let r = {{{many('k%: %, ')}}}; r.k7 }}",
    "a chain of else if": f"task main(): Int {{ {many('if % == 1 then { % } else ')} {{ 0 }} }}",
    "a chain of else if in a clause": (
        "task main(): Int { handle { 1 } with { ctl a.op(x) {"
        f"{many('if % == x then { resume(%) } else ')} {{ answer(0) }} }} }} }}"
    ),
    "defs that call each other": (
        "def d0() { 1 } "
        + "".join(f"def d{n + 1}() {{ d{n}() }} " for n in range(MANY))
        + f"task main(): Int {{ d{MANY}() }}"
    ),
    "types that use each other": (
        "type T0 = Int "
        + "".join(f"type T{n + 1} = List[T{n}] " for n in range(MANY))
        + f"task main(): Any {{ let x: T{MANY} = []; x }}"
    ),
    "data that get deeper": f"task main(): Any {{ let x = {{k: 1}}; {many('let x = {k: x};')} x.k }}",
    "data that share": (
        f"task main(): Any {{ let x = {{k: 1}}; {many('let x = {k: x, l: x};', 1000)} x.k }}"
    ),
    "joins of data that share": (
        "task main(): Any { let x = {k: 1}; let y = {k: 2};"
        f"{many('let x = {k: x, l: x}; let y = {k: y, l: y};', 200)}"
        f"{many('let z = if true then { x } else { y };', 200)} z.k.k }}"
    ),
    "rounds": "task main(): Int { let y = 1; repeat 100000 with x = 0 { x + y } }",
    "nested as deeply as is allowed": (
        "task main(): Int { "
        + "handle { " * (MAX_NESTING // 2)
        + "perform a.op(1)"
        + " } with { fun a.op(x) { x } }" * (MAX_NESTING // 2)
        + " }"
    ),
}


@pytest.mark.parametrize("case", LONG)
def test_long_sources(case: str) -> None:
    assert well_formed(lowered(LONG[case])) == ()


def test_a_surface_tree_may_be_deeper_than_any_text() -> None:
    literal = ast.PureComputation(ast.LiteralExpression(1, span=NOWHERE), span=NOWHERE)
    computation: ast.Computation = literal
    for _ in range(MANY):
        block = ast.Block((ast.RunStatement(computation, span=NOWHERE),), tail=True, span=NOWHERE)
        computation = ast.IfComputation(
            ast.LiteralExpression(True, span=NOWHERE), block, None, span=NOWHERE
        )
    body = ast.Block((ast.RunStatement(computation, span=NOWHERE),), tail=True, span=NOWHERE)
    result = ast.NamedType(name("Any"), span=NOWHERE)
    task = ast.TaskDeclaration(name("main"), (), result, None, body, span=NOWHERE)
    file = ast.SourceFile((task,), span=NOWHERE)
    source = SourceText("test.ecl", "")
    assert check_file(file, source) == ()
    assert not isinstance(lower_task(file, source).body, Let)


def test_many_errors_are_all_reported() -> None:
    source = SourceText("test.ecl", f"task main(): Any {{ {many('let x% = y%;', 20_000)} 1 }}")
    found = check_file(parse(source), source)
    assert len(found) == 20_000
    assert {item.code for item in found} == {"EC1001"}


def test_a_long_cycle_is_shown_in_short() -> None:
    defs = "".join(f"def d{n}() {{ d{(n + 1) % MANY}() }} " for n in range(MANY))
    source = SourceText("test.ecl", defs + "task main(): Any { d0() }")
    (found,) = check_file(parse(source), source)
    assert found.code == "EC1161"
    assert [text for _, text in found.notes[:2]] == ["`d0` uses `d1` here", "`d1` uses `d2` here"]
    assert found.notes[-2:][0] == (None, f"and so on, {MANY - 10} more")
    assert found.notes[-1][1] == f"`d{MANY - 1}` uses `d0` here"
