"""What each construct of the surface is in the core (SPEC §12), written out by hand."""

from __future__ import annotations

import pytest
from support.core_text import core_text

from eclogue.core.syntax import Let, Program, Span, Tier
from eclogue.core.values import Value
from eclogue.core.wellformed import schema_checked, well_formed
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.lower import lower_task
from eclogue.lowering.parser import parse

EFFECTS = """
effect a {
  reversible ctl get(): Int
  irreversible ctl put(x: Int): Any
  compensable ctl pair(x: Int, y: Text): Text
  reversible fun note(line: Text): Unit
}
"""

GET = "perform a.get(check(Unit, null)); return check(Int, #0)"


def lowered(text: str, task: str | None = None, **arguments: Value) -> Program:
    source = SourceText("test.ecl", EFFECTS + text)
    program = lower_task(parse(source), source, task, arguments)
    assert well_formed(program) == ()
    assert schema_checked(program) == ()
    return program


def body(block: str) -> str:
    """Return the core text of a block as the body of a task with the result Any."""
    return core_text(lowered(f"task main(): Any {{ {block} }}").body)


def clause(block: str, kind: str = "ctl", completion: str = "") -> str:
    """Return the core text of a block as the body of a clause of a.put(x)."""
    text = body(f"handle {{ () }} with {{ {kind} a.put(x) {{ {block} }} }}{completion}")
    return text.partition("a.put {")[2].removesuffix("}")


EXPRESSIONS = {
    "()": "null",
    "null": "null",
    "true": "true",
    '"a\\n"': '"a\\n"',
    "-5": "-5",
    "- - 5": "(0 - -5)",
    "-(1 + 2)": "(0 - (1 + 2))",
    "[1, []]": "[1, []]",
    '{b: 1, "a c": {}}': "{b: 1, a c: {}}",
    "{b: 1}.b": "{b: 1}.b",
    "1 + 2 * 3 - 4": "((1 + (2 * 3)) - 4)",
    "1 < 2": "(1 < 2)",
    "1 <= 2": "(1 <= 2)",
    "1 > 2": "not (1 <= 2)",
    "1 >= 2": "not (1 < 2)",
    "not (1 == 2) and true or 1 != 2": "((not (1 == 2) and true) or (1 != 2))",
    '"a" ++ "b"': '("a" ++ "b")',
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions(text: str) -> None:
    assert body(text) == f"return {EXPRESSIONS[text]}"


BLOCKS = {
    "": "return null",
    "1": "return 1",
    "1;": "return 1; return null",
    "return 1": "return 1",
    "let x = 1; x": "return 1; return #0",
    "let x = 1; let y = 2; x + y": "return 1; return 2; return (#1 + #0)",
    # An inner variable hides an outer one to the end of its block.
    "let x = 1; let x = x + 1; x": "return 1; return (#0 + 1); return #0",
    "let x = 1; let y = do { let x = 2; x }; x + y": "return 1; (return 2; return #0); return (#1 + #0)",
    "let _ = 1; let x = 2; x": "return 1; return 2; return #0",
    "let x = 1; let z = 2; {x}": "return 1; return 2; return {x: #1}",
    "let x: Int = 1; x": "return check(Int, 1); return #0",
    "let x: Any = 1; x": "return 1; return #0",
    "let x: Int = do { let y = 1; y }; x": "(return 1; return check(Int, #0)); return #0",
    "if true then { 1 } else { 2 }": "if true {return 1} else {return 2}",
    "let x: Int = if true then { 1 } else { 2 }; x": (
        "if true {return check(Int, 1)} else {return check(Int, 2)}; return #0"
    ),
    "if true then { 1 }": "if true {return 1} else {return null}",
    "if true then { 1; } else if false then { 2 }": (
        "if true {return 1; return null} else {if false {return 2} else {return null}}"
    ),
    "perform a.get()": GET,
    "perform a.get();": f"({GET}); return null",
    "let x = perform a.get(); x": f"({GET}); return #0",
    "let x: Int = perform a.get(); x": f"(({GET}); return check(Int, #0)); return #0",
    "perform a.put(1)": "perform a.put(check(Int, 1)); return check(Any, #0)",
    'perform a.pair(1, "b")': (
        'perform a.pair(check({x: Int, y: Text}, {x: 1, y: "b"})); return check(Text, #0)'
    ),
}


@pytest.mark.parametrize("block", BLOCKS)
def test_blocks(block: str) -> None:
    assert body(block) == BLOCKS[block]


LOOPS = {
    "repeat 0 with x = 1 { x }": "return 1; return #0",
    "repeat 2 with x = 1 { x + 1 }": "return 1; return (#0 + 1); return (#0 + 1); return #0",
    "repeat 2 with x = 1 while x < 5 { x + 1 }": (
        "return 1; if (#0 < 5) {return (#0 + 1); if (#0 < 5) {return (#0 + 1); return #0} else {return #0}}"
        " else {return #0}"
    ),
    # What is around the loop is one step further away in each round.
    "let y = 3; repeat 3 with x = 1 { x + y }": (
        "return 3; return 1; return (#0 + #1); return (#0 + #2); return (#0 + #3); return #0"
    ),
    "let y = 3; repeat 2 with _ = 1 { y }": "return 3; return 1; return #1; return #2; return #0",
    "repeat 1 with x = 1 { let y = x; return y }": "return 1; (return #0; return #0); return #0",
    "for x in [] { x }": "return []",
    # All items are evaluated before the first round.
    "for x in [1, 2] { x + 1 }": ("return 1; return 2; return (#1 + 1); return (#1 + 1); return [#1, #0]"),
    "let y = 3; for x in [y, y] { let z = y; x + z }": (
        "return 3; return #0; return #1; (return #2; return (#2 + #0)); (return #3; return (#2 + #0));"
        " return [#1, #0]"
    ),
    "for _ in [1] { 2 }": "return 1; return 2; return [#0]",
}


@pytest.mark.parametrize("block", LOOPS)
def test_loops(block: str) -> None:
    assert body(block) == LOOPS[block]


def test_a_call_binds_its_arguments_around_the_body() -> None:
    text = (
        "def f(x: Int, y): Int { let z = x; z + y } task main(): Any { let x = 5; let r = f(x, x + 1); r }"
    )
    assert core_text(lowered(text).body) == (
        "return 5; (return check(Int, #0); return (#1 + 1); return #1; return check(Int, (#0 + #1)));"
        " return #0"
    )


def test_a_call_of_a_task_checks_arguments_and_result() -> None:
    text = 'task f(x: Int): Text { perform a.put(x); "a" } task main(): Any { f(1) }'
    assert core_text(lowered(text).body) == (
        "return check(Int, 1); (perform a.put(check(Int, #0)); return check(Any, #0));"
        ' return check(Text, "a")'
    )


def test_parameters_that_are_not_used_have_no_name() -> None:
    text = "def f(_, _, z) { z } task main(): Any { f(1, 2, 3) }"
    assert core_text(lowered(text).body) == "return 1; return 2; return 3; return #0"


def test_a_body_sees_its_own_parameters_only() -> None:
    text = "def f(x) { g(x) } def g(y) { y } task main(): Any { let y = 1; f(2) }"
    assert core_text(lowered(text).body) == "return 1; return 2; return #0; return #0"


def test_task_arguments_are_checked_literals() -> None:
    text = "task main(x: Int, y: Text): Int { x + 1 }"
    assert core_text(lowered(text, x=4, y="b").body) == (
        'return check(Int, 4); return check(Text, "b"); return check(Int, (#1 + 1))'
    )


HANDLES = {
    "handle { perform a.get() } with { }": f"handle {{{GET}}} with return {{return #0}}",
    "handle { 1 } with { return(x) { x + 1 } }": "handle {return 1} with return {return (#0 + 1)}",
    "let y = 1; handle { y } with { return(_) { y } ctl a.put(x) { resume(y) } }": (
        "return 1; handle {return #0} with return {return #1} a.put {resume #1; return #0}"
    ),
    "handle { 1 } with { ctl a.get() { resume(2) } }": (
        "handle {return 1} with return {return #0} a.get {resume 2; return #0}"
    ),
    # The fields of a payload are bound in the order of the parameters.
    "handle { 1 } with { ctl a.pair(p, q) { answer([p, q]) } }": (
        "handle {return 1} with return {return #0} a.pair {return #0.x; return #1.y; answer [#1, #0]}"
    ),
    "handle { 1 } with { ctl a.pair(_, q) { answer(q) } }": (
        "handle {return 1} with return {return #0} a.pair {return #0.y; answer #0}"
    ),
    "let x: Int = handle { 1 } with { }: Any; x": (
        "(handle {return 1} with return {return #0}; return check(Int, #0)); return #0"
    ),
}


@pytest.mark.parametrize("block", HANDLES)
def test_handles(block: str) -> None:
    assert body(block) == HANDLES[block]


def test_a_named_handler_binds_its_arguments_around_the_handled_block() -> None:
    text = (
        "handler h(n: Int, m) { return(x) { [x, n] } ctl a.put(y) { resume(m) } }"
        "task main(): Any { let z = 1; handle { perform a.put(z) } with h(z, 2): Unit }"
    )
    assert core_text(lowered(text).body) == (
        "return 1; return check(Int, #0); return 2;"
        " handle {perform a.put(check(Int, #2)); return check(Any, #0)}"
        " with return {return [#0, #2]} a.put {resume #1; return check(Unit, #0)}"
    )


CLAUSES = {
    "resume(x)": "resume #0; return #0",
    "return resume(x)": "resume #0; return #0",
    "resume(x); 1": "resume #0; return 1",
    "let r = resume(x); r + 1": "resume #0; return (#0 + 1)",
    "let r: Int = resume(x); r + 1": "resume #0; return check(Int, #0); return (#0 + 1)",
    "let r = resume(x); perform a.put(r); return x": (
        "resume #0; (perform a.put(check(Int, #0)); return check(Any, #0)); return #2"
    ),
    "let r = resume(x); if r == 1 then { r } else { x }": (
        "resume #0; if (#0 == 1) {return #0} else {return #1}"
    ),
    "answer(x)": "answer #0",
    "abort(x + 1)": "abort (#0 + 1)",
    "let y = perform a.get(); resume(y)": f"({GET}); resume #0; return #0",
    "if x == 1 then { resume(x) } else { abort(x) }": (
        "if (#0 == 1) {resume #0; return #0} else {abort #0}"
    ),
    # What follows an `if` that completes stands in the branch that goes on.
    "if x == 1 then { abort(x) }; resume(x)": "if (#0 == 1) {abort #0} else {resume #0; return #0}",
    "if x == 1 then { let y = 2; perform a.put(y); } else { answer(x) }; resume(x)": (
        "if (#0 == 1) {return 2; (perform a.put(check(Int, #0)); return check(Any, #0));"
        " resume #2; return #0} else {answer #0}"
    ),
    "let y = if x == 1 then { abort(x) } else { let z = 3; z + x }; resume(y)": (
        "if (#0 == 1) {abort #0} else {return 3; return (#0 + #1); resume #0; return #0}"
    ),
    "let y: Int = if x == 1 then { abort(x) } else { 3 }; resume(y)": (
        "if (#0 == 1) {abort #0} else {return check(Int, 3); resume #0; return #0}"
    ),
    # The branch that goes on comes first, and hides nothing from the other one.
    "do { let y = 2; if x == 1 then { let x = 4; x; } else { abort(x + y) } }; resume(x)": (
        "return 2; if (#1 == 1) {return 4; return #0; resume #3; return #0} else {abort (#1 + #0)}"
    ),
    "let y = do { let z = resume(x); z + 1 }; y + x": ("resume #0; return (#0 + 1); return (#0 + #2)"),
    "let y = do { if x == 1 then { abort(1) }; }; resume(y)": (
        "if (#0 == 1) {abort 1} else {return null; resume #0; return #0}"
    ),
    "if x == 1 then { if x == 2 then { answer(1) } else { answer(2) } } else { answer(3) }": (
        "if (#0 == 1) {if (#0 == 2) {answer 1} else {answer 2}} else {answer 3}"
    ),
    # An `if` without control is a computation.
    "if x == 1 then { 1 } else { 2 }; resume(x)": (
        "if (#0 == 1) {return 1} else {return 2}; resume #1; return #0"
    ),
}


@pytest.mark.parametrize("block", CLAUSES)
def test_clauses(block: str) -> None:
    assert clause(block) == CLAUSES[block]


COMPLETIONS = {
    "resume(x)": "resume #0; return check(Int, #0)",
    "let r = resume(x); r": "resume #0; return check(Int, #0)",
    "let r = resume(x); if true then { r } else { let y = r; y }": (
        "resume #0; if true {return check(Int, #0)} else {return #0; return check(Int, #0)}"
    ),
    "let r = resume(x); perform a.get()": f"resume #0; ({GET}); return check(Int, #0)",
    "answer(x)": "answer check(Int, #0)",
    "abort(x)": "abort check(Int, #0)",
}


@pytest.mark.parametrize("block", COMPLETIONS)
def test_completions_are_checked_where_their_type_is_given(block: str) -> None:
    assert clause(block, completion=": Int") == COMPLETIONS[block]


FUN_CLAUSES = {
    "": "resume null; return #0",
    "x": "resume #0; return #0",
    "return x": "resume #0; return #0",
    "perform a.put(x);": "(perform a.put(check(Int, #0)); return check(Any, #0)); resume null; return #0",
    "perform a.put(x)": "(perform a.put(check(Int, #0)); return check(Any, #0)); resume #0; return #0",
    "if x == 1 then { return 1 } else { 2 }": (
        "if (#0 == 1) {return 1} else {return 2}; resume #0; return #0"
    ),
}


@pytest.mark.parametrize("block", FUN_CLAUSES)
def test_fun_clauses_resume_with_their_value(block: str) -> None:
    assert clause(block, kind="fun") == FUN_CLAUSES[block]


def test_fun_clauses_are_completions_too() -> None:
    assert clause("x", kind="fun", completion=": Int") == "resume #0; return check(Int, #0)"


def test_operations_are_those_that_are_mentioned() -> None:
    text = (
        "def f() { handle { perform a.put(1) } with { fun a.note(_) { () } } }"
        "def unused() { perform a.get() }"
        'task main(): Any { f(); f() } task other(): Any { perform a.pair(1, "") }'
    )
    operations = lowered(text).operations
    assert [operation.name for operation in operations] == ["a.note", "a.put"]
    assert [operation.tier for operation in operations] == [Tier.REVERSIBLE, Tier.IRREVERSIBLE]
    assert [operation.name for operation in lowered(text, "other").operations] == ["a.pair"]


def test_bodies_of_defs_are_shared() -> None:
    term = lowered("def f(x) { [x, x] } task main(): Any { f(1); f(2) }").body
    assert isinstance(term, Let)
    assert isinstance(term.bound, Let)
    assert isinstance(term.body, Let)
    assert term.bound.body is term.body.body


def test_rounds_are_shared_where_they_depend_on_the_state_alone() -> None:
    term = lowered("task main(): Any { let y = 1; repeat 3 with x = y { x + 1 } }").body
    assert isinstance(term, Let)
    rounds = term.body
    assert isinstance(rounds, Let)
    first = rounds.body
    assert isinstance(first, Let)
    second = first.body
    assert isinstance(second, Let)
    assert first.bound is second.bound


def test_names_and_places_stay_as_annotations() -> None:
    source = "task main(): Any {\n  let first = 1;\n  first + 2\n}\n"
    program = lower_task(parse(SourceText("test.ecl", source)), SourceText("test.ecl", source))
    term = program.body
    assert (program.task, program.source) == ("main", "test.ecl")
    assert isinstance(term, Let)
    assert (term.name, term.span) == ("first", Span(2, 3, 2, 16))
    assert term.bound.span == Span(2, 15, 2, 16)
    assert term.body.span == Span(3, 3, 3, 12)
