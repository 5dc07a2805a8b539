"""The gate against its specification: a history, newest first, and what may follow it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from strategies import for_seeds

from eclogue.core.syntax import Tier
from eclogue.runtime.gate import Decision, Gate, GateViolation, Policy, read_policy, stricter
from eclogue.runtime.sandbox.interface import SandboxError

Record = tuple[str, int, str, Tier]
"""Kind, number, digest, tier: `lean/Eclogue/Runtime/Gate.lean` has the same, with numbers for digests."""


def intent_of(number: int, history: list[Record]) -> tuple[str, Tier] | None:
    return next(((d, t) for kind, n, d, t in history if kind == "intent" and n == number), None)


def approved(number: int, digest: str, history: list[Record]) -> bool:
    for kind, n, d, _ in history:
        if n == number and kind == "approve" and d == digest:
            return True
        if n == number and kind == "deny":
            return False
    return False


def happened(number: int, history: list[Record]) -> bool:
    return any(kind == "outcome" and n == number for kind, n, _, _ in history)


def pending(history: list[Record]) -> list[int]:
    found: list[int] = []
    for kind, number, _, _ in reversed(history):
        about = intent_of(number, history)
        if kind == "outcome" and about is not None and about[1] is Tier.COMPENSABLE:
            found.insert(0, number)
        elif kind == "compensate":
            found.remove(number)
    return found


def may_follow(record: Record, history: list[Record]) -> bool:
    """Return whether a record may follow a history: the quadratic specification."""
    kind, number, digest, _ = record
    about = intent_of(number, history)
    if kind == "intent":
        return about is None
    if about is None:
        return False
    if kind == "approve":
        return not happened(number, history) and digest == about[0]
    if kind == "deny":
        return True
    if kind == "outcome":
        let = about[1] is not Tier.IRREVERSIBLE or approved(number, about[0], history)
        return not happened(number, history) and let
    return pending(history)[:1] == [number]


def test_the_linear_gate_takes_what_the_specification_lets_follow() -> None:
    taken = {"yes": 0, "no": 0}

    def check(seed: int) -> None:
        rng, history, gate = Random(seed), [], Gate()
        for _ in range(rng.randrange(1, 30)):
            kind = rng.choice(["intent", "approve", "deny", "outcome", "outcome", "compensate"])
            number = rng.randrange(5)
            known = intent_of(number, history)
            digest = known[0] if known is not None and rng.random() < 0.8 else rng.choice("abc")
            record = (kind, number, digest, rng.choice(list(Tier)))
            wanted = may_follow(record, history)
            taken["yes" if wanted else "no"] += 1
            if wanted:
                gate.take(kind, number, digest, record[3].value)
                history.insert(0, record)
                assert gate.pending[::-1] == pending(history)
            else:
                with pytest.raises(GateViolation):
                    gate.take(kind, number, digest, record[3].value)

    for_seeds(400, check)
    assert min(taken.values()) > 100


def test_an_approval_of_something_else_lets_nothing_happen() -> None:
    gate = Gate()
    gate.intent(3, "a", Tier.IRREVERSIBLE)
    assert not gate.may_happen(3)
    with pytest.raises(GateViolation):
        gate.approve(3, "b")
    gate.approve(3, "a")
    assert gate.may_happen(3)
    gate.deny(3)
    assert not gate.may_happen(3)


def test_the_stricter_tier_counts() -> None:
    assert stricter(Tier.REVERSIBLE, Tier.IRREVERSIBLE) is Tier.IRREVERSIBLE
    assert stricter(Tier.COMPENSABLE, Tier.REVERSIBLE) is Tier.COMPENSABLE


def test_policies(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(
        '[tiers]\ncompensable = "ask"\n[operations]\n"mail.*" = "deny"\n"mail.draft" = "allow"\n'
    )
    policy = read_policy(path)
    assert policy.decide("kv.put", Tier.COMPENSABLE) is Decision.ASK
    assert policy.decide("mail.send", Tier.IRREVERSIBLE) is Decision.DENY
    assert policy.decide("mail.draft", Tier.IRREVERSIBLE) is Decision.ALLOW
    assert Policy().decide("model.call", Tier.IRREVERSIBLE) is Decision.ASK


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tiers]\nfree = 'ask'", "no tier 'free'"),
        ("[tiers]\nreversible = 'perhaps'", "'perhaps' is no decision"),
        ("[other]\n", "no table 'other'"),
        ("tiers = 1", "tiers is not a table"),
        ("[", "policy.toml"),
    ],
)
def test_a_policy_that_is_none_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(text)
    with pytest.raises(SandboxError, match=says):
        read_policy(path)
