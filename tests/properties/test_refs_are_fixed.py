"""Refs depend neither on the process nor on the platform, nor on the version of this code.

The pinned refs below are part of the format: if one changes, files and claims that exist no longer verify.
"""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from support.print_refs import refs

from eclogue.core.canonical import commitment, write
from eclogue.core.encoding import program_ref
from eclogue.core.outcomes import HostAnswer
from eclogue.core.run import run
from eclogue.core.schema import Atom, FieldSchema, ListSchema, LiteralSchema, record_schema
from eclogue.core.syntax import (
    Abort,
    Answer,
    Binary,
    BinaryOperator,
    BodyIf,
    BodyLet,
    Check,
    Clause,
    Handle,
    If,
    Let,
    ListExpression,
    Literal,
    Not,
    Operation,
    Perform,
    Program,
    Project,
    RecordExpression,
    Resume,
    Return,
    Tier,
    Variable,
)
from eclogue.core.trace import START_REF
from eclogue.core.values import Value, record

TESTS = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1", "LC_ALL": "C", "PYTHONUTF8": "0"},
        {"PYTHONHASHSEED": "4242", "PYTHONOPTIMIZE": "1", "TZ": "Pacific/Kiritimati"},
    ],
)
def test_refs_are_the_same_in_another_process(environment: dict[str, str], tmp_path: Path) -> None:
    paths = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "support.print_refs", "60"],
        env={**os.environ, **environment, "PYTHONPATH": paths},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.split() == list(refs(60))


# ------------------------------------------------------------------------------------------------
# Pinned

VALUES: list[tuple[Value, bytes]] = [
    (None, b"null"),
    (True, b"true"),
    (1, b"1"),
    ("1", b'"1"'),
    (2**53 - 1, b"9007199254740991"),
    (2**53, b'{"$int":"9007199254740992"}'),
    (-(2**53), b'{"$int":"-9007199254740992"}'),
    ((), b"[]"),
    (record({}), b"{}"),
    (record({"$int": "5"}), b'{"$$int":"5"}'),
    (("\u20ac", "\x7f\x1f\\"), b'["\xe2\x82\xac","\x7f\\u001f\\\\"]'),
    (record({"\U0001f600": 1, "\uffee": 2, "$": 3}), b'{"$$":3,"\xef\xbf\xae":2,"\xf0\x9f\x98\x80":1}'),
]


@pytest.mark.parametrize(("value", "data"), VALUES)
def test_bytes_and_commitments_of_values(value: Value, data: bytes) -> None:
    assert write(value) == data
    assert commitment(value) == "sha256:" + sha256(data).hexdigest()
    assert commitment(value, b"salt") == "sha256:" + sha256(b"salt" + data).hexdigest()


def checked(operation: Operation, payload: object) -> Let:
    return Let(
        Perform(operation.name, Check(operation.payload, payload)),  # type: ignore[arg-type]
        Return(Check(operation.result, Variable(0))),
    )


ASK = Operation("model.ask", Atom.TEXT, Atom.TEXT, Tier.IRREVERSIBLE)
CODE = Operation("proc.code", Atom.NULL, Atom.INT, Tier.COMPENSABLE)
WRITE = Operation(
    "fs.write",
    record_schema(
        [
            FieldSchema("path", True, Atom.TEXT),
            FieldSchema("mode", False, LiteralSchema("x")),
            FieldSchema("lines", True, ListSchema(Atom.TEXT)),
        ]
    ),
    Atom.ANY,
    Tier.REVERSIBLE,
)
PAYLOAD = RecordExpression((("path", Literal("a.py")), ("lines", ListExpression((Variable(1),)))))
PROGRAM = Program(
    (WRITE, ASK, CODE),
    Handle(
        Let(
            checked(ASK, Literal("fix: \u00e9")),
            Let(
                checked(CODE, Literal(None)),
                If(
                    Binary(BinaryOperator.EQ, Variable(0), Literal(0)),
                    Return(Variable(1)),
                    checked(WRITE, PAYLOAD),
                ),
            ),
        ),
        Return(RecordExpression((("ok", Not(Literal(False))), ("value", Variable(0))))),
        (
            Clause(
                "proc.code",
                BodyLet(checked(CODE, Literal(None)), Resume(Variable(0), Return(Variable(0)))),
            ),
            Clause(
                "fs.write",
                BodyIf(
                    Binary(BinaryOperator.EQ, Project(Variable(0), "path"), Literal("a.py")),
                    Abort(Literal(2**60)),
                    Answer(Literal(())),
                ),
            ),
        ),
    ),
)

PROGRAM_REF = "sha256:bc1a6349be62bcb6e50c12ef9e645cad52f28f644e81401da6c5e8bca3be99b2"
RUNS: list[tuple[tuple[Value, ...], int, str]] = [
    ((), 1, "sha256:ff35f7f70b2672ea5a0fc11e05218892feb17b13fabdf44d26b3bcbd61b4bbe7"),
    (("patch",), 6, "sha256:f8e1d06efb284532b3631f6f541ab0909583657cb08c77ee89a46f93ec269348"),
    (("patch", 0), 11, "sha256:55600ed67877a627a76373d1a9c07d842e1357428c4f2d3e408f6a1f62a8ecf6"),
    (("patch", 1), 15, "sha256:4892e721c609b63a2872a46278711299a42bcb36346c23559fa50505bae157f0"),
    ((5,), 4, "sha256:b4df7ac0eac582d6a68f717c2419fbcd15159f67b747873d19435ab692adc560"),
]
"""Answers, number of records, ref of the last one."""


def test_program_ref_is_pinned() -> None:
    assert program_ref(PROGRAM) == PROGRAM_REF


@pytest.mark.parametrize(("answers", "number", "ref"), RUNS)
def test_trace_refs_are_pinned(answers: tuple[Value, ...], number: int, ref: str) -> None:
    ran = run(PROGRAM, [HostAnswer(value) for value in answers])
    assert (ran.record_count, ran.trace_ref()) == (number, ref)


def test_the_start_is_pinned() -> None:
    assert "sha256:" + sha256(b"eclogue-trace/1").hexdigest() == START_REF
