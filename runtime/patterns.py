"""Patterns of paths: `*` and `?` within a name, `**` for any number of folders."""

from __future__ import annotations

import os
import re


def pattern(text: str) -> re.Pattern[bytes]:
    """Return the expression that the paths of a pattern match as a whole."""
    out = ""
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", text):
        out += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
    return re.compile(os.fsencode(out), re.DOTALL)
