"""The Leans that have been looked at, by the digest of the library that is run (rule `envelope.claim`).

The one of a package is the same file for everybody who installs it. A claim that rests on another Lean
assumes something more: that this one is what it says it is.
"""

from __future__ import annotations

KNOWN_LIBRARIES = {
    ("linux", "x86_64"): "sha256:efef27df56f2197139afe12f1a2b63913a05f1aba81ce88824c44100431ed8c4",
}
"""Digests of the shared library in the pinned release of the package, by system and machine."""


def is_known(digest: str) -> bool:
    """Whether this is the digest of a Lean that has been looked at."""
    return digest in KNOWN_LIBRARIES.values()
