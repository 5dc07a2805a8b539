"""Bundles, signatures and the JSON in them: what is read, what is left alone, what is refused."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from eclogue.core.errors import MalformedInput
from eclogue.validator import bundle as bundles
from eclogue.validator.bundle import (
    PREDICATE_TYPE,
    STATEMENT_TYPE,
    SVR_TYPE,
    BundleTooLarge,
    UnknownVersion,
    bundle_text,
    read_bundle,
)
from eclogue.validator.dsse import (
    PAYLOAD_TYPE,
    new_key,
    pae,
    read_envelope,
    read_private_key,
    read_public_key,
    signed,
    verified,
)
from eclogue.validator.strict_json import read_strictly, written


def statement(kind: str, **members: Any) -> bytes:
    return written({"_type": STATEMENT_TYPE, "predicateType": kind, "subject": [], "predicate": members})


CLAIM, COMPANION = statement(PREDICATE_TYPE, a=1), statement(SVR_TYPE, b=2)
KEY = read_private_key(new_key()[0])


def refusal(data: bytes) -> str:
    with pytest.raises(MalformedInput) as caught:
        read_bundle(data)
    return caught.value.message


# ------------------------------------------------------------------------------------------------
# Bundles


@pytest.mark.parametrize("key", [None, KEY], ids=["bare", "signed"])
@pytest.mark.parametrize("order", [(CLAIM, COMPANION), (COMPANION, CLAIM)], ids=["in order", "reversed"])
def test_order_is_free(key: Ed25519PrivateKey | None, order: tuple[bytes, bytes]) -> None:
    found = read_bundle(bundle_text(order, key).encode())
    assert (found.claim.payload, found.claim.line) == (CLAIM, order.index(CLAIM) + 1)
    assert found.companion is not None
    assert found.companion.payload == COMPANION
    assert found.ignored == ()
    assert (found.claim.envelope is None) is (key is None)


def test_other_lines_are_left_alone_and_counted() -> None:
    others = [
        written({"a": 1}),
        statement("https://example.com/other/v1"),
        signed(statement("https://example.com/other/v1"), KEY),
        written({"payload": "AAAA", "payloadType": "text/plain", "signatures": [{"sig": "AAAA"}]}),
        written({"_type": "https://example.com/Statement/v9", "predicateType": PREDICATE_TYPE}),
    ]
    found = read_bundle(b"\n\n".join([*others[:3], CLAIM, COMPANION, *others[3:]]))
    assert found.ignored == (1, 3, 5, 11, 13)
    assert found.claim.payload == CLAIM


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no envelope"),
        (COMPANION, "no envelope"),
        (CLAIM + b"\n" + CLAIM, "more than one envelope"),
        (CLAIM + b"\n" + COMPANION + b"\n" + COMPANION, "more than one verification result"),
        (CLAIM + b"\n[]", "line 2: a line holds one object"),
        (CLAIM + b"\nx", "line 2: "),
        (b"\xff" + CLAIM, "line 1: invalid UTF-8"),
        (CLAIM.replace(b'"a":1', b'"a":1,"a":1'), 'the key "a" stands twice'),
        (CLAIM.replace(b'"a":1', b'"a": 1'), "canonical form"),
        (CLAIM.replace(b'"a":1', b'"a":"\\u0062"'), "canonical form"),
        (CLAIM.replace(b'"a":1', b'"a":"\\ud800"'), "lone surrogate"),
        (CLAIM.replace(b'"a":1', b'"a":1.0'), "no integer"),
        (CLAIM.replace(b'"a":1', b'"a":NaN'), "no integer"),
        (CLAIM.replace(b'"a":1', b'"a":' + b"9" * 5000), "too large for an integer"),
        (CLAIM.replace(b'"a":1', b'"a":' + b"[" * 200_000), "nested too deeply"),
        (b"[" * 200_000, "nested too deeply"),
        (CLAIM.replace(PREDICATE_TYPE.encode(), b"x", 1).replace(b'"x"', b"1"), "no predicateType"),
        (b'{"payload":1}', "a payload, a payloadType and signatures"),
        (b'{"payload":"","payloadType":"","signatures":[]}', "at least one signature"),
        (b'{"payload":"","payloadType":"","signatures":[1]}', "an object with a `sig`"),
        (b'{"payload":"*","payloadType":"","signatures":[{"sig":""}]}', "the payload is not base64"),
    ],
)
def test_what_is_refused(data: bytes, says: str) -> None:
    assert says in refusal(data)


def test_an_envelope_of_another_version_is_not_malformed() -> None:
    with pytest.raises(UnknownVersion, match="run-envelope:v2"):
        read_bundle(statement(PREDICATE_TYPE.replace("v1", "v2")))


def test_an_envelope_of_another_version_beside_one_of_this_is_left_alone() -> None:
    newer = statement(PREDICATE_TYPE.replace("v1", "v2"))
    found = read_bundle(b"\n".join([newer, CLAIM, COMPANION]))
    assert found.claim.payload == CLAIM
    assert found.ignored == (1,)


def test_a_bundle_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MAX_BYTES", len(CLAIM) - 1)
    assert "more than" in refusal(CLAIM)


# ------------------------------------------------------------------------------------------------
# Signatures


def test_what_is_signed() -> None:
    """The example of the DSSE specification."""
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_a_signature_is_of_these_bytes_by_this_key() -> None:
    line = json.loads(signed(CLAIM, KEY))
    envelope = read_envelope(line)
    assert envelope.payload == CLAIM
    assert verified(envelope, KEY.public_key())
    assert not verified(envelope, read_public_key(new_key()[1]))
    other = base64.b64encode(COMPANION).decode()
    assert not verified(read_envelope(line | {"payload": other}), KEY.public_key())
    assert not verified(read_envelope(line | {"payloadType": PAYLOAD_TYPE + "x"}), KEY.public_key())


def test_one_right_signature_is_enough_and_the_key_id_is_a_hint() -> None:
    line = json.loads(signed(CLAIM, KEY))
    right = line["signatures"][0]["sig"]
    wrong = base64.b64encode(bytes(64)).decode()
    for signatures in ([{"sig": right}], [{"sig": right, "keyid": "x"}], [{"sig": wrong}, {"sig": right}]):
        assert verified(read_envelope(line | {"signatures": signatures}), KEY.public_key())
    for signature in (wrong, "", base64.b64encode(bytes(3)).decode()):
        assert not verified(read_envelope(line | {"signatures": [{"sig": signature}]}), KEY.public_key())


URL_SAFE: tuple[Callable[[bytes], bytes], ...] = (
    base64.b64encode,
    base64.urlsafe_b64encode,
    lambda data: base64.b64encode(data).rstrip(b"="),
    lambda data: base64.urlsafe_b64encode(data).rstrip(b"="),
)


@pytest.mark.parametrize("encode", URL_SAFE)
def test_both_alphabets_are_read(encode: Callable[[bytes], bytes]) -> None:
    payload = written({"a": "\u00ff\u07ff?>~" * 20})
    line = {"payload": encode(payload).decode(), "payloadType": PAYLOAD_TYPE, "signatures": [{"sig": ""}]}
    assert read_envelope(line).payload == payload


@pytest.mark.parametrize("text", ["AB", "AAB", "AA=", "AA===", "A", "AA==AA==", "A A=", "é", "AB=="])
def test_base64_has_one_form(text: str) -> None:
    """No two texts that differ but for alphabet and padding stand for the same bytes."""
    with pytest.raises(MalformedInput, match="base64"):
        read_envelope({"payload": text, "payloadType": "", "signatures": [{"sig": ""}]})


@pytest.mark.parametrize(
    "data", [b"", b"x", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", b"\xff" * 100]
)
def test_what_is_no_key(data: bytes) -> None:
    for reader in (read_private_key, read_public_key):
        with pytest.raises(MalformedInput, match="key in PEM"):
            reader(data)


# ------------------------------------------------------------------------------------------------
# JSON


def random_document(rng: Random, depth: int = 3) -> Any:
    kind = rng.randrange(6 if depth else 4)
    if kind == 0:
        return rng.choice((None, True, False))
    if kind == 1:
        return rng.randrange(-(2**53) + 1, 2**53)
    if kind in (2, 3):
        return "".join(rng.choice('a"\\\x00\n\x7fé\u2028€z') for _ in range(rng.randrange(6)))
    if kind == 4:
        return [random_document(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {random_key(rng): random_document(rng, depth - 1) for _ in range(rng.randrange(4))}


def random_key(rng: Random) -> str:
    return "".join(rng.choice("abzAZ09_é€") for _ in range(rng.randrange(4)))


def test_what_is_nested_too_deeply_is_malformed() -> None:
    for depth in (100, 500, 990, 1_000, 100_000):
        deep = statement(PREDICATE_TYPE, a=1).replace(b'"a":1', b'"a":' + b"[" * depth + b"]" * depth)
        assert "nested too deeply" in refusal(deep)
        assert "nested too deeply" in refusal(signed(deep, KEY))


def test_a_bundle_that_could_not_be_read_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MAX_BYTES", len(CLAIM) + len(COMPANION) + 1)
    with pytest.raises(BundleTooLarge):
        bundle_text((CLAIM, COMPANION))


def test_what_is_written_is_canonical_and_comes_back() -> None:
    for seed in range(400):
        document = random_document(Random(seed))
        data = written(document)
        assert data == rfc8785.dumps(document)
        assert read_strictly(data) == document
