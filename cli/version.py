"""The version of the installed distribution."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def version_text() -> str:
    """Return the distribution's version, or `unknown` where it is not installed."""
    try:
        return version("eclogue")
    except PackageNotFoundError:
        return "unknown"
