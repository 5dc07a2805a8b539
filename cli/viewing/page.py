"""The page: one HTML file that loads nothing, with the data, the style and the script inside."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any


def page_of(document: Mapping[str, Any], title: str) -> str:
    """Return the page for some data; only this script and this style are allowed to do anything in it."""
    folder = files("eclogue.cli.viewing")
    script, style = ((folder / name).read_text(encoding="utf-8") for name in ("page.js", "page.css"))
    frame = (folder / "page.html").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "@policy@": policy,
        "@title@": html.escape(title),
        "@style@": style,
        "@data@": as_data(document),
        "@script@": script,
    }
    for name, text in parts.items():
        before, after = frame.split(name)
        frame = before + text.replace("@", "\0") + after
    return frame.replace("\0", "@")


def as_data(document: Mapping[str, Any]) -> str:
    """Return JSON that can stand in a script element: nothing in it ends the element."""
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    digest = sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
