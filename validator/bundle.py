"""Bundles: JSON Lines of in-toto statements, each bare or in a signed envelope (rule `envelope.bundle`).

A bundle of ours has two: the envelope, which says what is claimed, and a companion, a Simple Verification
Result, which says the least of it in a form that others know. Order is free; other lines are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from eclogue.core.errors import EclogueError, MalformedInput
from eclogue.validator.dsse import PAYLOAD_TYPE, Envelope, read_envelope, signed
from eclogue.validator.strict_json import read_strictly, written

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:eclogue:run-envelope:v1"
SVR_TYPE = "https://in-toto.io/attestation/svr/v0.2"
MAX_BYTES = 16 << 20
"""The most bytes of a bundle; only the arguments of its task can make one large."""
_DEPTH = 32
"""How deeply a statement may be nested; the claims that are issued are less than ten deep."""
_FAMILY = PREDICATE_TYPE.rpartition(":")[0] + ":"


class UnknownVersion(MalformedInput):
    """An envelope of ours, of a version that this reader does not know."""


class BundleTooLarge(EclogueError):
    """A bundle of more bytes than are read of one."""

    def __init__(self, size: int) -> None:
        super().__init__(
            f"the bundle has {size:,} bytes, more than the {MAX_BYTES >> 20} MiB that are read"
        )


@attrs.frozen(eq=False)
class Statement:
    """A statement of a bundle: its bytes as they are signed, what they say, its line, its signatures."""

    payload: bytes
    document: Mapping[str, Any]
    line: int
    envelope: Envelope | None

    @property
    def predicate_type(self) -> str:
        """The URI of the predicate's type."""
        kind: str = self.document["predicateType"]
        return kind


@attrs.frozen(eq=False)
class Bundle:
    """What a bundle has for us; `ignored` are the numbers of lines that are something else."""

    claim: Statement
    companion: Statement | None
    ignored: tuple[int, ...]


def bundle_text(statements: tuple[bytes, ...], key: Ed25519PrivateKey | None = None) -> str:
    """Return a bundle of statements, given as their bytes, each signed if there is a key.

    Raises `BundleTooLarge` for one that could not be read.
    """
    lines = statements if key is None else tuple(signed(payload, key) for payload in statements)
    data = b"".join(line + b"\n" for line in lines)
    if len(data) > MAX_BYTES:
        raise BundleTooLarge(len(data))
    return data.decode()


def read_bundle(data: bytes) -> Bundle:
    """Return what a bundle has for us.

    Raises `MalformedInput`, naming the line, where a line is no JSON object or an envelope has another
    payload than it should, where there is no envelope of ours or several, and `UnknownVersion` where there
    is one of another version and none of this.
    """
    if len(data) > MAX_BYTES:
        raise MalformedInput(f"more than {MAX_BYTES >> 20} MiB")
    found: dict[str, list[Statement]] = {PREDICATE_TYPE: [], SVR_TYPE: []}
    ignored = []
    newer: UnknownVersion | None = None
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            statement = _statement(read_strictly(line, _DEPTH), line, number)
        except UnknownVersion as error:
            newer = UnknownVersion(f"line {number}: {error.message}")
            ignored.append(number)
            continue
        except MalformedInput as error:
            raise type(error)(f"line {number}: {error.message}") from None
        if statement is None or statement.predicate_type not in found:
            ignored.append(number)
        else:
            found[statement.predicate_type].append(statement)
    claims, companions = found.values()
    if not claims and newer is not None:
        raise newer
    if len(claims) != 1:
        how_many = "no" if not claims else "more than one"
        raise MalformedInput(f"there is {how_many} envelope of the type {PREDICATE_TYPE} in it")
    if len(companions) > 1:
        raise MalformedInput("there is more than one verification result in it")
    return Bundle(claims[0], companions[0] if companions else None, tuple(ignored))


def _statement(document: Any, line: bytes, number: int) -> Statement | None:
    """Return the statement in a line, None for a line of another kind."""
    if not isinstance(document, dict):
        raise MalformedInput("a line holds one object")
    envelope = None
    payload = line.strip()
    if "payload" in document:
        envelope = read_envelope(document)
        if envelope.payload_type != PAYLOAD_TYPE:
            return None
        payload = envelope.payload
        document = read_strictly(payload, _DEPTH)
    if not isinstance(document, dict) or document.get("_type") != STATEMENT_TYPE:
        return None
    kind = document.get("predicateType")
    if not isinstance(kind, str):
        raise MalformedInput("the statement has no predicateType")
    if kind.startswith(_FAMILY) and kind != PREDICATE_TYPE:
        raise UnknownVersion(f"the envelope is of the type {kind}; this version knows {PREDICATE_TYPE}")
    if kind == PREDICATE_TYPE and written(document) != payload:
        raise MalformedInput("the statement is not in its canonical form")
    return Statement(payload, document, number, envelope)
