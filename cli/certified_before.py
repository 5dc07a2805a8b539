"""The user's own record of which bundles `certify` wrote, so that a corpus goes on where it ended.

A bundle in a folder may come from anybody who can write there, and its envelope is only a claim. What was
certified here is noted by the digest of the bundle's bytes in the user's cache folder, together with the
version of Eclogue and the digest of the Lean development that certified it. The bundle names its files by
digest, so that the note is about those very files.
"""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import attrs

from eclogue.cli.version import version_text
from eclogue.lean.cache import default_cache
from eclogue.lean.sources import read_package


def default_folder() -> Path:
    """Return the folder of notes, beside the cache of compiled modules."""
    return default_cache().parent / "certified"


@attrs.frozen
class CertifiedBefore:
    """The notes in a folder; it is created when the first one is written, readable by its owner only."""

    folder: Path = attrs.field(factory=default_folder)

    def note(self, bundle: bytes) -> None:
        """Note that these bytes were written by `certify`; where that cannot be kept, nothing is."""
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self.folder / self._name(bundle)).touch(mode=0o600)

    def has(self, bundle: bytes) -> bool:
        """Whether these very bytes were noted, by this version of Eclogue with this Lean development."""
        try:
            return (self.folder / self._name(bundle)).is_file()
        except OSError:
            return False

    @staticmethod
    def _name(bundle: bytes) -> str:
        package, _ = read_package()
        about = [sha256(bundle).hexdigest(), version_text(), package.digest]
        return sha256(json.dumps(about).encode()).hexdigest()
