"""Looking for what was taken out of a trace in files that are to be given away (`redact.check`).

A text is looked for as it stands, as JSON has it (also inside texts inside texts), in UTF-16, percent
encoded, in hexadecimal and in base64, and in what the base64 of a document's texts decodes to, as signed
bundles have it. Not looked for: other encodings, compressed or encrypted data, translations, digests, and
parts of a text.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote as percent
from urllib.parse import quote_from_bytes

from eclogue.core.canonical import quote

_NESTED = 4
"""Texts inside texts are looked into so many times."""
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")


def tells(data: bytes, texts: Iterable[str]) -> bool:
    """Whether a file's bytes tell one of these texts, in one of the ways named above."""
    wanted = {form for text in texts for form in writings(text)}
    pattern = re.compile(b"|".join(re.escape(form) for form in sorted(wanted)))
    return bool(wanted) and any(pattern.search(reading) for reading in readings(data))


def writings(text: str) -> Iterator[bytes]:
    """Yield the ways in which a text may stand in a file."""
    plain = text.encode("utf-8", "surrogatepass")
    yield plain
    for encoding in ("utf-16-le", "utf-16-be"):
        yield text.encode(encoding, "surrogatepass")
    forms = {text}
    for _ in range(_NESTED):
        forms = {escape(form) for form in forms for escape in (_quoted, _ascii)}
        yield from (form.encode("utf-8", "surrogatepass") for form in forms)
    yield quote_from_bytes(plain).encode()
    yield quote_from_bytes(plain).lower().encode()
    yield percent(plain, safe="").encode()
    yield plain.hex().encode()
    yield plain.hex().upper().encode()
    yield from _base64(plain)


def _quoted(text: str) -> str:
    return quote(text)[1:-1]


def _ascii(text: str) -> str:
    return json.dumps(text)[1:-1]


def _base64(plain: bytes) -> Iterator[bytes]:
    """Yield what base64 makes of some bytes at each of three offsets, without the ends that vary."""
    for before in range(3):
        coded = base64.b64encode(bytes(before) + plain)
        first = (8 * before + 5) // 6
        last = (8 * (before + len(plain))) // 6
        if last - first >= 4:
            yield coded[first:last]
            yield coded[first:last].translate(bytes.maketrans(b"+/", b"-_"))


def readings(data: bytes) -> Iterator[bytes]:
    """Yield some bytes, and what the base64 in them decodes to, and in that, so many times."""
    level = [data]
    for _ in range(_NESTED):
        yield from level
        level = [decoded for item in level for decoded in _decoded(item)]


def _decoded(data: bytes) -> Iterator[bytes]:
    for match in _BASE64.finditer(data):
        text = match[0].translate(bytes.maketrans(b"-_", b"+/"), b"=")
        text = text[: len(text) - (len(text) % 4 == 1)]
        try:
            found = base64.b64decode(text + b"=" * (-len(text) % 4))
        except binascii.Error:
            continue
        if found.isascii() or _is_text(found):
            yield found


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
