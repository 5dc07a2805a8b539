"""What was taken out of a trace is found in other files, in each of the ways that are looked for."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from eclogue.validator.disclosure import tells

SECRET = 'sésame "open" 42/7'

WRITINGS = {
    "plain": SECRET.encode(),
    "json": json.dumps({"a": [SECRET]}).encode(),
    "json, not ascii": json.dumps(SECRET, ensure_ascii=False).encode(),
    "json in json": json.dumps(json.dumps({"a": SECRET})).encode(),
    "json in json in json": json.dumps(json.dumps(json.dumps([SECRET], ensure_ascii=False))).encode(),
    "utf-16-le": b"\xff\xfe" + SECRET.encode("utf-16-le"),
    "utf-16-be": b"\xfe\xff" + SECRET.encode("utf-16-be"),
    "percent": quote(SECRET).encode(),
    "percent, all": quote(SECRET, safe="").encode(),
    "hexadecimal": SECRET.encode().hex().encode(),
    "base64": b"x" + base64.b64encode(b"12" + SECRET.encode() + b"3"),
    "base64, other alphabet": base64.urlsafe_b64encode(b"1" + SECRET.encode()),
    "json in base64": base64.b64encode(json.dumps({"x": 1, "secret": SECRET}).encode()),
    "json in base64 in base64": base64.b64encode(base64.b64encode(json.dumps([SECRET]).encode())),
}


@pytest.mark.parametrize("name", WRITINGS)
def test_a_text_is_found_however_it_is_written(name: str) -> None:
    data = b'{"payload":"' + WRITINGS[name] + b'"}\n'
    assert tells(data, [SECRET])
    assert not tells(data, ["another text"])


def test_nothing_is_found_where_nothing_is_looked_for() -> None:
    assert not tells(b"", [SECRET])
    assert not tells(SECRET.encode(), [])


def test_a_number_is_found_as_it_is_written() -> None:
    assert tells(b'{"amount":73519}', ["73519"])
