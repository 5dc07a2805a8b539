"""Import of kernel-v3 documents: their own cases, and ours in the same syntax."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eclogue.core.canonical import text_of
from eclogue.core.decoding import program_from_value
from eclogue.core.encoding import load_program, program_ref, program_text
from eclogue.core.errors import SCHEMA, LimitExceeded, MalformedInput
from eclogue.core.limits import Limits
from eclogue.core.outcomes import Completed, Failed, HostAnswer, Suspended
from eclogue.core.profiles import Profile, admit
from eclogue.core.quick import read_quickly
from eclogue.core.run import Run, run
from eclogue.core.syntax import Tier
from eclogue.core.values import from_python, record
from eclogue.core.wellformed import schema_checked, well_formed
from eclogue.validator.importers.kernel_v3 import (
    FIXTURE_VERSION,
    Imported,
    ImportRefused,
    import_program,
    import_text,
)

PEER = Path(__file__).resolve().parents[1] / "peer" / "kernel-v3"
CASES = sorted(PEER.glob("*.json"))

OURS_ALONE = {"HostObservation", "RunEnd"}
"""Records that kernel-v3 does not make."""


def record_names(done: Run) -> list[str]:
    return [type(item).__name__ for _, item, _ in done.records()]


# ------------------------------------------------------------------------------------------------
# Their cases


def test_all_cases_are_here() -> None:
    assert len(CASES) == 6


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_their_cases(case: Path) -> None:
    """Each is accepted; a completed one has their value and their sequence of record types."""
    imported = import_text(case.read_bytes())
    expected = json.loads(case.read_text())["expected"]
    done = run(imported.program, imported.answers)
    assert not well_formed(imported.program)
    assert not schema_checked(imported.program)
    if "rejection" in expected:
        assert imported.notes == (
            "kernel-v3 is expected to refuse this document because of"
            f" {expected['rejection']['construct']}; here it is a program",
        )
        return
    assert imported.notes == ()
    assert expected["envelope_status"] == "completed"
    assert done.outcome == Completed(from_python(expected["completed_value"]))
    theirs = [item["record_type"] for batch in expected["batches"] for item in batch["records"]]
    assert [name for name in record_names(done) if name not in OURS_ALONE] == theirs


def test_what_their_negatives_do_here() -> None:
    done = {}
    for case in CASES:
        imported = import_text(case.read_bytes())
        if imported.notes:
            done[case.stem] = run(imported.program, imported.answers)
    assert {stem: one.outcome for stem, one in done.items()} == {
        "01_record_expr_in_payload": Suspended("ask", record({"k": 1})),
        "03_string_value": Completed("hello"),
        "04_no_resume_no_abort_handler": Completed(None),
    }
    answered = done["04_no_resume_no_abort_handler"]
    assert record_names(answered) == [
        "EffectDeclaration",
        "HandlerSelection",
        "ResumptionHandle",
        "EffectCapture",
        "RunEnd",
    ]


def test_expected_sequences_by_hand() -> None:
    """The same as above, written out, so that a change of their files does not change what is tested."""
    sequences = {}
    for case in CASES:
        imported = import_text(case.read_bytes())
        sequences[case.stem] = record_names(run(imported.program, imported.answers))
    assert sequences["01_pure_let_chain"] == ["RunEnd"]
    assert sequences["03_handled_abort"] == [
        "EffectDeclaration",
        "HandlerSelection",
        "ResumptionHandle",
        "EffectCapture",
        "RunEnd",
    ]
    assert sequences["05_multi_step_observation_stream"] == [
        "EffectDeclaration",
        "HostObservation",
        "EffectDeclaration",
        "HostObservation",
        "RunEnd",
    ]


# ------------------------------------------------------------------------------------------------
# Documents of our own, in their syntax


def lit(value: object) -> dict[str, Any]:
    return {"node": "Lit", "value": value}


def var(name: str) -> dict[str, Any]:
    return {"node": "Var", "name": name}


def fields(**items: object) -> dict[str, Any]:
    return {"node": "RecordExpr", "fields": [{"name": name, "value": item} for name, item in items.items()]}


def ret(expression: object) -> dict[str, Any]:
    return {"node": "Return", "expr": expression}


def let(name: str, bound: object, body: object) -> dict[str, Any]:
    return {"node": "Let", "name": name, "bound": bound, "body": body}


def perform(kind: str, payload: object = None) -> dict[str, Any]:
    return {"node": "Perform", "effect_kind": kind, "payload": payload or lit(None)}


def resume(value: object) -> dict[str, Any]:
    return {"node": "Resume", "value": value}


def abort(value: object) -> dict[str, Any]:
    return {"node": "Abort", "value": value}


def schema(name: str, **more: object) -> dict[str, Any]:
    return {"node": name, **more}


ANY = schema("AnySchema")


def install(kind: str, body: object, result: object = ANY, payload: str = "p") -> dict[str, Any]:
    return {
        "node": "StaticHandlerInstall",
        "effect_kind": kind,
        "handler_id": f"{kind}.v1",
        "handled_result_schema": result,
        "payload_name": payload,
        "body": body,
    }


def handle(body: object, *bindings: object) -> dict[str, Any]:
    return {"node": "Handle", "body": body, "handler_env": {"bindings": list(bindings)}}


def fixture(program: object, **given: object) -> dict[str, Any]:
    return {
        "fixture_schema_version": FIXTURE_VERSION,
        "case": "ours",
        "kind": "positive",
        "input": {"program": program, "observations": [], **given},
        "expected": {},
    }


def imported(document: object) -> Imported:
    return import_text(json.dumps(document))


def outcome(program: object, *answers: object) -> object:
    """Return the value that a program completes with, through its JSON document."""
    whole = imported(fixture(program, observations=[{"value": answer} for answer in answers]))
    assert program_ref(load_program(program_text(whole.program))) == program_ref(whole.program)
    done = run(whole.program, whole.answers).outcome
    assert isinstance(done, Completed)
    return json.loads(text_of(done.value))


WRAP = let("r", resume(lit(1)), ret(fields(got=var("r"))))

COMPLETED = [
    ("shadowing", let("x", ret(lit(1)), let("x", ret(fields(old=var("x"))), ret(var("x")))), {"old": 1}),
    (
        "inner names end",
        let("x", ret(lit(1)), let("y", let("x", ret(lit(2)), ret(var("x"))), ret(var("x")))),
        1,
    ),
    (
        "unhandled name of a clause",
        let("p", ret(lit(7)), handle(ret(var("p")), install("a", ret(var("p"))))),
        7,
    ),
    ("payload", handle(perform("a", lit("in")), install("a", ret(fields(p=var("p"))))), {"p": "in"}),
    (
        "payload shadows",
        let("p", ret(lit(0)), handle(perform("a", lit(1)), install("a", ret(var("p"))))),
        1,
    ),
    (
        "tail resume",
        handle(let("x", perform("a"), ret(fields(x=var("x")))), install("a", resume(lit(5)))),
        {"x": 5},
    ),
    ("resume then wrap", handle(let("x", perform("a"), ret(var("x"))), install("a", WRAP)), {"got": 1}),
    (
        "two resumes of one clause, deep",
        handle(let("x", perform("a"), let("y", perform("a"), ret(lit("end")))), install("a", WRAP)),
        {"got": {"got": "end"}},
    ),
    (
        "two bindings",
        handle(
            let(
                "x",
                perform("a", lit(1)),
                let("y", perform("b", lit(2)), ret(fields(x=var("x"), y=var("y")))),
            ),
            install("a", resume(fields(a=var("p")))),
            install("b", resume(fields(b=var("p")))),
        ),
        {"x": {"a": 1}, "y": {"b": 2}},
    ),
    (
        "inner effect first, then outer: the outer wrap is around the inner one",
        handle(
            handle(
                let("i", perform("inner"), let("o", perform("outer"), ret(fields(i=var("i"), o=var("o"))))),
                install("inner", let("r", resume(lit("in")), ret(fields(inner=var("r"))))),
            ),
            install("outer", let("r", resume(lit("out")), ret(fields(outer=var("r"))))),
        ),
        {"outer": {"inner": {"i": "in", "o": "out"}}},
    ),
    (
        "outer effect first, then inner",
        handle(
            handle(
                let("o", perform("outer"), let("i", perform("inner"), ret(lit(0)))),
                install("inner", let("r", resume(lit("in")), ret(fields(inner=var("r"))))),
            ),
            install("outer", let("r", resume(lit("out")), ret(fields(outer=var("r"))))),
        ),
        {"outer": {"inner": 0}},
    ),
    (
        "nearest handler",
        handle(handle(perform("a"), install("a", ret(lit("in")))), install("a", ret(lit("out")))),
        "in",
    ),
    (
        "a clause performs outward",
        handle(
            handle(perform("a", lit(1)), install("a", let("t", perform("a", var("p")), resume(var("t"))))),
            install("a", resume(fields(outer=var("p")))),
        ),
        {"outer": 1},
    ),
    (
        "a clause performs after its resume",
        handle(
            handle(perform("a"), install("a", let("r", resume(lit(1)), perform("b", var("r"))))),
            install("b", resume(fields(b=var("p")))),
        ),
        {"b": 1},
    ),
    (
        "abort skips the rest",
        let(
            "x",
            handle(let("y", perform("a"), ret(lit("not this"))), install("a", abort(lit("out")))),
            ret(var("x")),
        ),
        "out",
    ),
    (
        "abort after a computation",
        handle(perform("a"), install("a", let("x", ret(lit(3)), abort(fields(x=var("x")))))),
        {"x": 3},
    ),
    (
        "outer abort while an inner clause waits",
        handle(
            handle(
                let("i", perform("inner"), perform("outer")),
                install("inner", let("r", resume(lit(1)), ret(fields(never=var("r"))))),
            ),
            install("outer", abort(lit("dropped"))),
        ),
        "dropped",
    ),
    (
        "a resume inside the bound part of lets, names hidden and kept apart",
        let(
            "y",
            ret(lit("outer y")),
            handle(
                perform("a", lit("payload")),
                install(
                    "a",
                    let(
                        "x",
                        let(
                            "y",
                            ret(lit("inner y")),
                            let("z", resume(var("y")), ret(fields(z=var("z"), y=var("y")))),
                        ),
                        let("w", ret(var("y")), ret(fields(x=var("x"), w=var("w"), p=var("p")))),
                    ),
                ),
            ),
        ),
        {"p": "payload", "w": "outer y", "x": {"y": "inner y", "z": "inner y"}},
    ),
    (
        "a resume bound three lets deep",
        handle(
            perform("a"),
            install(
                "a",
                let(
                    "a",
                    let("b", let("c", resume(lit(1)), ret(fields(c=var("c")))), ret(fields(b=var("b")))),
                    ret(fields(a=var("a"))),
                ),
            ),
        ),
        {"a": {"b": {"c": 1}}},
    ),
    (
        "a handler inside a clause, which does not resume for it",
        handle(
            perform("a"),
            install(
                "a",
                let(
                    "h",
                    handle(perform("b"), install("b", resume(lit("b")))),
                    let("r", resume(var("h")), ret(var("r"))),
                ),
            ),
        ),
        "b",
    ),
    ("no bindings", handle(ret(lit([1, {"a": None}]))), [1, {"a": None}]),
    ("a handler as the last step of a body", handle(perform("a"), install("a", handle(ret(lit(4))))), 4),
    (
        "a perform as the last step of a body",
        handle(handle(perform("a"), install("a", perform("b"))), install("b", resume(lit(9)))),
        9,
    ),
    (
        "fields in order, a later one wins",
        ret(
            {
                "node": "RecordExpr",
                "fields": [{"name": "k", "value": lit(1)}, {"name": "k", "value": lit(2)}],
            }
        ),
        {"k": 2},
    ),
]


@pytest.mark.parametrize(
    ("program", "value"), [case[1:] for case in COMPLETED], ids=[case[0] for case in COMPLETED]
)
def test_programs_that_complete(program: object, value: object) -> None:
    assert outcome(program) == value


def test_answers_of_the_host_in_order() -> None:
    program = let("a", perform("ask1"), let("b", perform("ask2"), ret(fields(a=var("a"), b=var("b")))))
    assert outcome(program, 10, {"k": True}) == {"a": 10, "b": {"k": True}}
    suspended = imported(fixture(program, observations=[{"value": 10}]))
    assert suspended.answers == (HostAnswer(10),)
    assert run(suspended.program, suspended.answers).outcome == Suspended("ask2", None)


def test_the_records_of_nested_wraps() -> None:
    """Three handlers, the worker goes from the innermost outwards: what kernel-v3 gets wrong."""
    worker = let("x", perform("a"), let("y", perform("b"), let("z", perform("c"), ret(lit(0)))))
    program: Any = worker
    for kind in ("a", "b", "c"):
        program = handle(
            program, install(kind, let("r", resume(lit(kind)), ret(fields(**{kind: var("r")}))))
        )
    whole = imported(program)
    done = run(whole.program)
    assert done.outcome == Completed(from_python({"c": {"b": {"a": 0}}}))
    select = ["EffectDeclaration", "HandlerSelection", "ResumptionHandle", "ContinuationResume"]
    assert record_names(done) == select * 3 + ["ResumeReturn", "EffectCapture"] * 3 + ["RunEnd"]
    assert admit(whole.program).profile is Profile.CORE0H


def test_operations_are_named_as_they_are() -> None:
    whole = imported(handle(perform("zeta.b"), install("alpha", ret(lit(1)))))
    assert [(operation.name, operation.tier) for operation in whole.program.operations] == [
        ("alpha", Tier.IRREVERSIBLE),
        ("zeta.b", Tier.IRREVERSIBLE),
    ]


REGISTRY = [
    {
        "effect_kind": "ask",
        "payload_schema": schema("NullSchema"),
        "operation_result_schema": schema("ListSchema", item=schema("StrSchema")),
    },
    {
        "effect_kind": "other",
        "payload_schema": schema("LiteralSchema", value=3),
        "operation_result_schema": schema("TypeSchema", type="int"),
    },
]


def test_registered_schemas_are_declared_and_checked() -> None:
    asked = fixture(perform("ask"), registry=REGISTRY, observations=[{"value": ["a"]}])
    whole = imported(asked)
    assert json.loads(program_text(whole.program))["operations"] == [
        {"name": "ask", "payload": "null", "result": {"list": "text"}, "tier": "irreversible"},
        {"name": "other", "payload": {"lit": 3}, "result": "int", "tier": "irreversible"},
    ]
    assert whole.notes == (
        "input.registry[1].operation_result_schema:"
        " TypeSchema of int accepts booleans in kernel-v3; here ints only",
    )
    assert run(whole.program, whole.answers).outcome == Completed(("a",))
    wrong_answer = imported(fixture(perform("ask"), registry=REGISTRY, observations=[{"value": [1]}]))
    assert run(wrong_answer.program, wrong_answer.answers).outcome == Failed(SCHEMA)
    wrong_payload = imported(fixture(perform("other", lit(4)), registry=REGISTRY))
    assert run(wrong_payload.program).outcome == Failed(SCHEMA)


@pytest.mark.parametrize(
    ("wanted", "good", "bad"),
    [
        (schema("IntSchema"), 1, True),
        (schema("NullSchema"), None, 0),
        (schema("BoolSchema"), False, 0),
        (schema("StrSchema"), "", None),
        (schema("LiteralSchema", value=5), 5, 6),
        (schema("TypeSchema", type="str"), "a", 1),
        (schema("TypeSchema", type="bool"), True, 1),
        (schema("ListSchema", item=schema("ListSchema", item=schema("IntSchema"))), [[1], []], [1]),
    ],
)
@pytest.mark.parametrize("form", ["return", "abort", "tail resume", "resume", "perform"])
def test_completions_are_checked(wanted: object, good: object, bad: object, form: str) -> None:
    bodies = {
        "return": lambda value: ret(lit(value)),
        "abort": lambda value: abort(lit(value)),
        "tail resume": lambda value: resume(lit(value)),
        "resume": lambda value: let("x", resume(lit(value)), ret(var("x"))),
        "perform": lambda value: let("x", resume(lit(value)), perform("echo", var("x"))),
    }
    for value, fails in ((good, False), (bad, True)):
        program = handle(
            handle(perform("a"), install("a", bodies[form](value), wanted)),
            install("echo", resume(var("p"))),
        )
        done = run(imported(program).program)
        assert done.outcome == (Failed(SCHEMA) if fails else Completed(from_python(value)))


# ------------------------------------------------------------------------------------------------
# Refused

TWICE = let("a", resume(lit(1)), let("b", resume(lit(2)), ret(var("b"))))
REFUSED = [
    (
        fixture(ret(lit(1))) | {"fixture_schema_version": "v2"},
        "fixture_schema_version: this version is not known",
    ),
    (fixture(ret(lit(1)), oracle=1), "input.oracle: this member is not known"),
    (
        fixture(perform("a"), observations=[{"value": 1}, {"reuse_index": 0}]),
        "input.observations[1].reuse_index: a suspension is answered once",
    ),
    (fixture(ret(lit(1)), observations=[{"value": 1, "at": 2}]), "input.observations[0].at: this member"),
    (
        fixture(ret(lit(1)), registry=[REGISTRY[0]] * 2),
        "input.registry[1].effect_kind: ask is registered twice",
    ),
    (ret(var("x")), "expr: the name x is not bound here"),
    (let("x", ret(var("x")), ret(lit(1))), "bound.expr: the name x is not bound here"),
    (let("y", let("x", ret(lit(1)), ret(lit(1))), ret(var("x"))), "body.expr: the name x is not bound"),
    (
        let("y", handle(ret(lit(1)), install("a", ret(var("p")))), ret(var("p"))),
        "body.expr: the name p is not bound",
    ),
    (ret(fields(k=var("x"))), "expr.fields[0].value: the name x is not bound"),
    (
        handle(
            perform("a"), install("a", let("x", let("y", resume(lit(1)), ret(var("y"))), ret(var("y"))))
        ),
        "handler_env.bindings[0].body.body.expr: the name y is not bound",
    ),
    (resume(lit(1)), "the document: Resume stands outside the body of a handler"),
    (let("x", ret(lit(1)), abort(lit(1))), "body: Abort stands outside the body of a handler"),
    (
        handle(resume(lit(1)), install("a", ret(lit(1)))),
        "body: Resume stands outside the body of a handler",
    ),
    (
        handle(perform("a"), install("a", handle(resume(lit(1)), install("b", ret(lit(1)))))),
        "handler_env.bindings[0].body.body: Resume stands outside the body of a handler, or under a Handle",
    ),
    (
        handle(perform("a"), install("a", let("x", handle(resume(lit(1))), ret(var("x"))))),
        "handler_env.bindings[0].body.bound.body: Resume stands outside",
    ),
    (
        handle(perform("a"), install("a", TWICE)),
        "handler_env.bindings[0].body.body: the body has resumed before",
    ),
    (
        handle(perform("a"), install("a", let("x", TWICE, ret(var("x"))))),
        "handler_env.bindings[0].body.bound.body: the body has resumed before this",
    ),
    (
        handle(perform("a"), install("a", let("x", let("y", resume(lit(1)), ret(lit(1))), resume(lit(2))))),
        "handler_env.bindings[0].body.body: the body has resumed before this, and a body resumes",
    ),
    (
        handle(perform("a"), install("a", let("x", resume(lit(1)), abort(var("x"))))),
        "handler_env.bindings[0].body.body: the body has resumed before this, and only a body that has not",
    ),
    (
        handle(perform("a"), install("a", let("x", abort(lit(1)), ret(var("x"))))),
        "handler_env.bindings[0].body.bound: Abort is not the last step",
    ),
    (
        handle(perform("a"), install("a", let("x", resume(lit(1)), {"node": "Forward"}))),
        "handler_env.bindings[0].body.body: Forward: passing an operation on",
    ),
    (
        handle(perform("a"), install("a", {"node": "Forward"})),
        "handler_env.bindings[0].body: Forward: passing",
    ),
    (
        handle(perform("a"), install("a", {"node": "TerminalDelay", "reason": lit("later")})),
        "handler_env.bindings[0].body: TerminalDelay: delayed continuations",
    ),
    (
        handle(perform("a"), install("a", {"node": "TerminalFork", "branches": []})),
        "handler_env.bindings[0].body: TerminalFork: forks are made by the host",
    ),
    (
        handle(
            perform("a"),
            {
                "node": "DynamicHandlerInstall",
                "effect_kind": "a",
                "handler_id": "h",
                "handled_result_schema": ANY,
            },
        ),
        "handler_env.bindings[0]: DynamicHandlerInstall: its body is a Python function",
    ),
    (
        handle(perform("a"), {"node": "Install"}),
        "handler_env.bindings[0].node: the install Install is not known",
    ),
    (
        handle(perform("a"), install("a", ret(lit(1))), install("a", ret(lit(2)))),
        "handler_env.bindings[1].effect_kind: a has an install before this one",
    ),
    (
        handle(perform("a"), install("a", ret(lit(1))) | {"tier": 1}),
        "handler_env.bindings[0].tier: this member",
    ),
    ({"node": "While"}, "node: the computation While is not known"),
    (ret({"node": "Call"}), "expr.node: the expression Call is not known"),
    (perform("", lit(1)), "effect_kind: an operation has a name"),
    (ret(lit(1)) | {"span": 1}, "span: this member is not known"),
    (
        handle(perform("a"), install("a", ret(lit(1)), schema("TaggedRecordSchema", tag="T"))),
        "handler_env.bindings[0].handled_result_schema: TaggedRecordSchema accepts records with",
    ),
    (
        handle(perform("a"), install("a", ret(lit(1)), schema("RecordSchema", fields=[]))),
        "handler_env.bindings[0].handled_result_schema: RecordSchema accepts records with further keys",
    ),
    (
        handle(perform("a"), install("a", ret(lit(1)), schema("TypeSchema", type="dict"))),
        "handler_env.bindings[0].handled_result_schema.type: the Python type dict has no schema here",
    ),
    (
        handle(perform("a"), install("a", ret(lit(1)), schema("ListSchema", item=schema("MapSchema")))),
        "handler_env.bindings[0].handled_result_schema.item.node: the schema MapSchema is not known",
    ),
]


@pytest.mark.parametrize(("document", "message"), REFUSED)
def test_what_is_refused(document: object, message: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        imported(document)
    assert refused.value.message.startswith(message)
    assert refused.value.message == f"{refused.value.path}: {refused.value.reason}"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "the document: expected an object"),
        ({}, '"input" is missing'),
        ({"input": {}}, 'input: "program" is missing'),
        ({"input": {"program": 1}}, "input.program: expected an object"),
        ({"input": {"program": {}}}, 'input.program: "node" is missing'),
        ({"input": {"program": ret(lit(1)), "observations": {}}}, "input.observations: expected a list"),
        (
            {"input": {"program": ret(lit(1)), "observations": [1]}},
            "input.observations[0]: expected an object",
        ),
        (
            {"input": {"program": ret(lit(1)), "observations": [{}]}},
            'input.observations[0]: "value" is missing',
        ),
        ({"node": 3}, "node: expected text"),
        ({"node": "Return"}, '"expr" is missing'),
        ({"node": "Let", "name": "x", "bound": ret(lit(1))}, '"body" is missing'),
        (let("x", 1, ret(lit(1))), "bound: expected an object"),
        ({"node": "Let", "name": 1, "bound": ret(lit(1)), "body": ret(lit(1))}, "name: expected text"),
        ({"node": "Handle", "body": ret(lit(1)), "handler_env": []}, "handler_env: expected an object"),
        (
            {"node": "Handle", "body": ret(lit(1)), "handler_env": {"bindings": 1}},
            "handler_env.bindings: expected a list",
        ),
        (handle(ret(lit(1)), 1), "handler_env.bindings[0]: expected an object"),
        (
            handle(ret(lit(1)), {"node": "StaticHandlerInstall"}),
            'handler_env.bindings[0]: "body" is missing',
        ),
        (handle(perform("a"), install("a", 1)), "handler_env.bindings[0].body: expected an object"),
        (
            handle(perform("a"), install("a", ret(lit(1)), 1)),
            "handler_env.bindings[0].handled_result_schema: expected",
        ),
        (ret({"node": "RecordExpr", "fields": {}}), "expr.fields: expected a list"),
    ],
)
def test_what_is_malformed(document: object, message: str) -> None:
    with pytest.raises(MalformedInput) as refused:
        imported(document)
    assert not isinstance(refused.value, ImportRefused)
    assert message in refused.value.message


@pytest.mark.parametrize(
    "text", ["", "{", '{"node": "Return", "expr": {"node": "Lit", "value": 1.5}}', b"\xff"]
)
def test_what_is_not_json_of_values(text: str | bytes) -> None:
    with pytest.raises(MalformedInput):
        import_text(text)


# ------------------------------------------------------------------------------------------------
# Notes, size, sharing


def test_notes() -> None:
    restarted = imported(fixture(ret(lit(1)), restart_via_serialized_artifact=True))
    assert restarted.notes == (
        "restart_via_serialized_artifact is ignored: any suspended run can be saved and read back",
    )
    no_version = imported({"input": {"program": ret(lit(1))}})
    assert no_version.notes == (f"the document names no version; it was read as {FIXTURE_VERSION}",)
    assert imported(fixture(ret(lit(1)))).notes == ()
    assert imported(fixture(ret(lit(1)))).program.task == "ours"


def nested(opening: str, middle: str, closing: str, depth: int) -> str:
    return opening * depth + middle + closing * depth


ONE = json.dumps(ret(lit(1)))
DEEP = {
    "lets": nested(
        f'{{"node":"Let","name":"x","bound":{ONE},"body":', json.dumps(ret(var("x"))), "}", 100_000
    ),
    "bound lets": nested('{"node":"Let","name":"x","bound":', ONE, ',"body":' + ONE + "}", 30_000),
    "handles": nested('{"node":"Handle","body":', ONE, ',"handler_env":{"bindings":[]}}', 30_000),
    "records": '{"node":"Return","expr":'
    + nested('{"node":"RecordExpr","fields":[{"name":"k","value":', json.dumps(lit(1)), "}]}", 20_000)
    + "}",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_deep_documents(text: str) -> None:
    done = run(import_text(text).program)
    assert isinstance(done.outcome, Completed)


def test_deep_bodies() -> None:
    body = nested(
        '{"node":"Let","name":"x","bound":', json.dumps(resume(lit(7))), f',"body":{ONE}}}', 10_000
    )
    before = nested(f'{{"node":"Let","name":"y","bound":{ONE},"body":', body, "}", 10_000)
    text = json.dumps(handle(perform("a"), install("a", "HERE"))).replace('"HERE"', before)
    whole = import_text(text)
    assert run(whole.program).outcome == Completed(1)
    assert program_ref(program_from_value(read_quickly(program_text(whole.program)))) == program_ref(
        whole.program
    )


def test_sharing_is_bounded() -> None:
    one = from_python(ret(lit(1)))
    for _ in range(60):
        one = record({"node": "Let", "name": "x", "bound": one, "body": one})
    with pytest.raises(LimitExceeded, match="program_nodes"):
        import_program(one, Limits(program_nodes=10_000))
