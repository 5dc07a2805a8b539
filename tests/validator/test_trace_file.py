"""Trace files: each kind of record by example, what is refused and where, runs there and back."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_programs import directed_program

from eclogue.core.errors import SCHEMA, LimitExceeded, MalformedInput, missing_key
from eclogue.core.run import Run, run
from eclogue.core.syntax import Span
from eclogue.core.trace import (
    START_REF,
    Closing,
    CompletedWith,
    Completion,
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    Failure,
    HandlerSelection,
    HostObservation,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    SelectionClosed,
)
from eclogue.core.values import from_python
from eclogue.validator.trace_file import line, read_trace, write_trace

REF = "sha256:" + "0a" * 32
TAIL = f',"ref":"{REF}"}}'

EXAMPLES: list[tuple[Record, str]] = [
    (
        EffectDeclaration('fs."read"', from_python({"b": 1, "$a": [2**60]})),
        '"record":"EffectDeclaration","operation":"fs.\\"read\\"",'
        '"payload":{"$$a":[{"$int":"1152921504606846976"}],"b":1}',
    ),
    (HandlerSelection(0, 3), '"record":"HandlerSelection","declaration":0,"captured":3'),
    (ResumptionHandle(1), '"record":"ResumptionHandle","selection":1'),
    (ContinuationResume(1, None), '"record":"ContinuationResume","selection":1,"value":null'),
    (ResumeReturn(1, "é\n"), '"record":"ResumeReturn","selection":1,"value":"é\\n"'),
    (
        EffectCapture(Completion.RETURN, 1, True),
        '"record":"EffectCapture","how":"return","selection":1,"value":true',
    ),
    (
        EffectCapture(Completion.ANSWER, 1, 1),
        '"record":"EffectCapture","how":"answer","selection":1,"value":1',
    ),
    (
        EffectCapture(Completion.ABORT, 1, ()),
        '"record":"EffectCapture","how":"abort","selection":1,"value":[]',
    ),
    (
        SelectionClosed(Closing.DROPPED, 1, 7),
        '"record":"SelectionClosed","why":"dropped","selection":1,"cause":7',
    ),
    (
        SelectionClosed(Closing.FAILED, 1, 7),
        '"record":"SelectionClosed","why":"failed","selection":1,"cause":7',
    ),
    (HostObservation(0, "ok"), '"record":"HostObservation","declaration":0,"value":"ok"'),
    (Failure(SCHEMA), '"record":"Failure","kind":"schema"'),
    (Failure(missing_key("$k")), '"record":"Failure","kind":"key","key":"$k"'),
    (RunEnd(CompletedWith(0)), '"record":"RunEnd","status":"completed","value":0'),
    (RunEnd(SCHEMA), '"record":"RunEnd","status":"failed","kind":"schema"'),
    (RunEnd(missing_key("")), '"record":"RunEnd","status":"failed","kind":"key","key":""'),
]


@pytest.mark.parametrize(("record", "members"), EXAMPLES)
def test_each_record_by_example(record: Record, members: str) -> None:
    plain = '{"seq":0,' + members + TAIL
    placed = '{"seq":0,' + members + ',"span":[1,2,3,4]' + TAIL
    assert line(0, record, None, REF) == plain
    assert line(0, record, Span(1, 2, 3, 4), REF) == placed
    assert list(read_trace([plain])) == [(0, record, REF, None)]
    assert list(read_trace([placed.encode() + b"\r\n"])) == [(0, record, REF, Span(1, 2, 3, 4))]
    backwards = json.dumps(dict(reversed(json.loads(placed).items())), indent=None)
    assert list(read_trace([backwards])) == [(0, record, REF, Span(1, 2, 3, 4))]


@pytest.mark.parametrize("record", [record for record, _ in EXAMPLES])
def test_each_missing_or_further_member_is_refused(record: Record) -> None:
    members = json.loads(line(0, record, None, REF))
    for key in members:
        less = {other: value for other, value in members.items() if other != key}
        with pytest.raises(MalformedInput, match="line 1: "):
            list(read_trace([json.dumps(less)]))
    for key in ("time", "cause", "value", "key", "payload"):
        if key not in members:
            with pytest.raises(
                MalformedInput, match=f'line 1: ("{key}" is no member of this|"key" belongs to)'
            ):
                list(read_trace([json.dumps(members | {key: 0})]))


SELECT = {"seq": 0, "record": "HandlerSelection", "declaration": 0, "captured": 0, "ref": REF}
CAPTURE = {"seq": 0, "record": "EffectCapture", "how": "answer", "selection": 0, "value": 1, "ref": REF}
END = {"seq": 0, "record": "RunEnd", "status": "completed", "value": 1, "ref": REF}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([SELECT], "a line holds one object"),
        ({"seq": 0}, '"record" should be one of EffectDeclaration, '),
        (SELECT | {"record": "HandlerSelected"}, '"record" should be one of EffectDeclaration, '),
        (SELECT | {"record": 3}, '"record" should be one of EffectDeclaration, '),
        (SELECT | {"seq": 1}, '"seq" is 1 where 0 is next'),
        (SELECT | {"seq": "0"}, '"seq" should be an integer of at least 0'),
        (SELECT | {"captured": -1}, '"captured" should be an integer of at least 0'),
        (SELECT | {"captured": True}, '"captured" should be an integer of at least 0'),
        (SELECT | {"ref": REF[:-1]}, '"ref" should be sha256:'),
        (SELECT | {"ref": REF.upper()}, '"ref" should be sha256:'),
        (SELECT | {"ref": REF + "\n"}, '"ref" should be sha256:'),
        (SELECT | {"ref": None}, '"ref" should be sha256:'),
        (SELECT | {"span": None}, '"span" should be [line, column'),
        (SELECT | {"span": [1, 1, 1]}, '"span" should be [line, column'),
        (SELECT | {"span": [0, 1, 1, 1]}, '"span" should be [line, column'),
        (SELECT | {"span": [1, 1, 1, "1"]}, '"span" should be [line, column'),
        (SELECT | {"span": [1, 1, 1, True]}, '"span" should be [line, column'),
        (CAPTURE | {"how": "resume"}, '"how" should be one of return, answer, abort'),
        (CAPTURE | {"how": 1}, '"how" should be one of return, answer, abort'),
        (END | {"status": "suspended"}, '"status" should be one of completed, failed'),
        (END | {"status": "failed"}, '"kind" is missing from this RunEnd'),
        (END | {"kind": "type"}, '"kind" is no member of this RunEnd'),
        (
            {"seq": 0, "record": "Failure", "kind": "key", "ref": REF},
            '"key" belongs to failures of kind key',
        ),
        (
            {"seq": 0, "record": "Failure", "kind": "type", "key": "k", "ref": REF},
            '"key" belongs to failures of kind key',
        ),
        (
            {"seq": 0, "record": "Failure", "kind": "key", "key": 3, "ref": REF},
            '"key" should be text',
        ),
        (CAPTURE | {"value": 1.5}, "fractions and exponents are not values"),
        (CAPTURE | {"value": {"$commitment": REF}}, "a value is redacted"),
        (CAPTURE | {"value": [{"a": {"$commitment": REF}}]}, "a record key that begins with"),
        (CAPTURE | {"value": {"value": {"$commitment": REF}}}, "a value is redacted"),
        (CAPTURE | {"value": {"$other": 1}}, "a record key that begins with '$' is written with '$$'"),
    ],
)
def test_what_is_refused(data: object, message: str) -> None:
    with pytest.raises(MalformedInput) as refused:
        list(read_trace([json.dumps(data)]))
    assert refused.value.message.startswith(f"line 1: {message}")


def test_a_text_that_looks_redacted_is_a_text() -> None:
    record = EffectDeclaration("a.b", '{"$commitment": "sha256:0"}')
    assert list(read_trace([line(0, record, None, REF)])) == [(0, record, REF, None)]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([b"\n"], "line 1: the JSON ends too early"),
        ([line(0, Failure(SCHEMA), None, REF), "\n"], "line 2: the JSON ends too early"),
        ([line(0, Failure(SCHEMA), None, REF), line(0, Failure(SCHEMA), None, REF)], 'line 2: "seq" is 0'),
        ([b'{"seq":\xff}'], "line 1: invalid UTF-8 at byte 7"),
        (['{"seq":0,"record":"Failure"'], "line 1: the JSON ends too early"),
        (['{"seq":0,"seq":1}'], 'line 1: duplicate or misplaced key "seq"'),
    ],
)
def test_the_line_is_named(lines: list[bytes | str], message: str) -> None:
    with pytest.raises(MalformedInput) as refused:
        list(read_trace(lines))
    assert refused.value.message.startswith(message)


def test_reading_streams() -> None:
    """What stands before a bad line is read before it is refused, and nothing is read ahead."""

    def lines() -> Iterator[str]:
        for number in range(3):
            yield line(number, ResumptionHandle(number), None, REF)
        yield "nonsense"
        raise AssertionError("read ahead")

    read = read_trace(lines())
    assert [next(read)[0] for _ in range(3)] == [0, 1, 2]
    with pytest.raises(MalformedInput, match="line 4"):
        next(read)


def written(done: Run) -> str:
    file = io.StringIO()
    write_trace(done.records(), done.refs(), file)
    return file.getvalue()


@given(st.integers(0, 2**32))
def test_runs_there_and_back(seed: int) -> None:
    done = run(directed_program(Random(seed)))
    text = written(done)
    read = list(read_trace(text.encode().splitlines(keepends=True)))
    assert [(number, record, span) for number, record, _, span in read] == list(done.records())
    assert [ref for _, _, ref, _ in read] == list(done.refs())
    assert (read[-1][2] if read else START_REF) == done.trace_ref()


def test_too_large_a_value_is_not_written() -> None:
    with pytest.raises(LimitExceeded, match="value_size"):
        line(0, ResumeReturn(0, "x" * 100), None, REF, 50)
