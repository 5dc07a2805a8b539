"""Signatures: DSSE v1.0.2 envelopes with Ed25519 keys (rule `envelope.signature`).

What is signed is the payload's type and bytes, with their lengths (`pae`). A reader verifies, and then
reads the same bytes. A key id is a hint; what counts is the key. Needs the extra `sign`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import attrs

from eclogue.core.errors import EclogueError, MalformedInput
from eclogue.validator.strict_json import written

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"


class SigningUnavailable(EclogueError):
    """The library for signatures is not installed."""

    def __init__(self) -> None:
        super().__init__("signatures need the extra `sign`: in a clone, pip install '.[sign]'")


@attrs.frozen
class Envelope:
    """A DSSE envelope: the payload's bytes, its type, and the signatures."""

    payload: bytes
    payload_type: str
    signatures: tuple[bytes, ...]


def pae(payload_type: str, payload: bytes) -> bytes:
    """Return the bytes that are signed."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def signed(payload: bytes, key: Ed25519PrivateKey) -> bytes:
    """Return the line of a bundle that has a payload with its signature."""
    signature = key.sign(pae(PAYLOAD_TYPE, payload))
    return written(
        {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [
                {"keyid": key_id(key.public_key()), "sig": base64.b64encode(signature).decode()}
            ],
        }
    )


def read_envelope(document: Mapping[str, Any]) -> Envelope:
    """Return the envelope in a JSON object; raises `MalformedInput`."""
    payload, kind = document.get("payload"), document.get("payloadType")
    signatures = document.get("signatures")
    if not isinstance(payload, str) or not isinstance(kind, str) or not isinstance(signatures, list):
        raise MalformedInput("an envelope has a payload, a payloadType and signatures")
    if not signatures:
        raise MalformedInput("an envelope has at least one signature")
    found = []
    for item in signatures:
        if not isinstance(item, dict) or not isinstance(item.get("sig"), str):
            raise MalformedInput("a signature is an object with a `sig`")
        found.append(_decoded(item["sig"], "a signature"))
    return Envelope(_decoded(payload, "the payload"), kind, tuple(found))


def verified(envelope: Envelope, key: Ed25519PublicKey) -> bool:
    """Return whether one of the signatures is this key's, of this payload."""
    from cryptography.exceptions import InvalidSignature

    said = pae(envelope.payload_type, envelope.payload)
    for signature in envelope.signatures:
        try:
            key.verify(signature, said)
        except InvalidSignature:
            continue
        return True
    return False


def _decoded(text: str, what: str) -> bytes:
    """Return the bytes of base64 in either alphabet, padded or not, and without bits left over."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    padded = plain + "=" * (-len(plain) % 4)
    try:
        data = base64.b64decode(padded, validate=True)
    except (binascii.Error, ValueError):
        raise MalformedInput(f"{what} is not base64") from None
    if base64.b64encode(data).decode() != padded or len(text) not in (len(plain), len(padded)):
        raise MalformedInput(f"{what} is not base64 in its one form")
    return data


# ------------------------------------------------------------------------------------------------
# Keys


def new_key() -> tuple[bytes, bytes]:
    """Return a new private key and its public key, both as PEM."""
    _library()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private, _public_bytes(key.public_key(), pem=True)


def read_private_key(data: bytes) -> Ed25519PrivateKey:
    """Return the private key in a PEM file without a password; raises `MalformedInput`."""
    _library()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise MalformedInput(f"no private key in PEM that can be read: {_first(error)}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise MalformedInput("the key is not an Ed25519 key")
    return key


def read_public_key(data: bytes) -> Ed25519PublicKey:
    """Return the public key in a PEM file; raises `MalformedInput`."""
    _library()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise MalformedInput(f"no public key in PEM that can be read: {_first(error)}") from None
    if not isinstance(key, Ed25519PublicKey):
        raise MalformedInput("the key is not an Ed25519 key")
    return key


def key_id(key: Ed25519PublicKey) -> str:
    """Return the name by which a key is hinted at: the digest of its DER form."""
    return f"sha256:{sha256(_public_bytes(key, pem=False)).hexdigest()}"


def _public_bytes(key: Ed25519PublicKey, *, pem: bool) -> bytes:
    from cryptography.hazmat.primitives import serialization

    encoding = serialization.Encoding.PEM if pem else serialization.Encoding.DER
    return key.public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)


def _first(error: Exception) -> str:
    """Return the first sentence of what a library says."""
    return str(error).splitlines()[0].split(". ")[0][:120] if str(error) else type(error).__name__


def _library() -> None:
    try:
        import cryptography  # noqa: F401
    except ModuleNotFoundError:
        raise SigningUnavailable from None
