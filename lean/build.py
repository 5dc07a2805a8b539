"""Compile the package: every module after its imports, two at a time, each compiled once per content.

A module counts as compiled only if Lean ended with exit code 0, said nothing worse than information, and
wrote the compiled file. Everything else is a problem, and what imports the module is not compiled at all:
Lean would report "no axioms" for a theorem whose dependency had failed.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from hashlib import sha256
from pathlib import Path

import attrs

from eclogue.lean.cache import Cache, link
from eclogue.lean.problems import Problem, Verdict
from eclogue.lean.process import ChildLimits, LeanRun, Message
from eclogue.lean.sources import Module, Package
from eclogue.lean.toolchain import Lean

_FORMAT = "eclogue-lean-module/1"
_COMPILED, _INDEX = "module.olean", "module.ilean"


@attrs.frozen(kw_only=True)
class Progress:
    """A module is done, the how-manieth of how many: compiled in so many seconds, or from the cache."""

    module: str
    done: int
    total: int
    seconds: float
    cached: bool
    failed: bool


def ignore_progress(progress: Progress) -> None:
    """Do nothing."""
    del progress


@attrs.frozen(kw_only=True)
class Compiled:
    """A compiled module: Lean's index of its declarations, its messages, and the seconds that it took."""

    module: str
    index: Path
    messages: tuple[Message, ...]
    seconds: float
    cached: bool


@attrs.frozen(kw_only=True)
class Build:
    """A package as compiled; `search_path` is for runs of Lean that import its modules.

    `key` is a digest of all sources and of Lean. Valid inside the block of `building`.
    """

    lean: Lean
    package: Package
    modules: Mapping[str, Compiled]
    problems: tuple[Problem, ...]
    search_path: Path
    workspace: Path
    key: str

    @property
    def complete(self) -> bool:
        """Whether every module was compiled."""
        return len(self.modules) == len(self.package.modules)


@contextlib.contextmanager
def building(
    lean: Lean,
    package: Package,
    *,
    cache: Cache | None = None,
    fresh: bool = False,
    workers: int = 2,
    limits: ChildLimits | None = None,
    progress: Callable[[Progress], None] = ignore_progress,
    only: Collection[str] | None = None,
) -> Iterator[Build]:
    """Compile the package and give the result to the block.

    `fresh` takes nothing from the cache. With `only`, for experiments, those modules and no others are
    compiled, statements before proofs; warnings are let pass, and the first problem ends it.
    """
    store = cache or Cache()
    with store.workspace() as work:
        builder = _Builder(lean, package, store, fresh, limits or ChildLimits(), work, only)
        modules, problems = builder.run(workers, progress)
        yield Build(
            lean=lean,
            package=package,
            modules=modules,
            problems=tuple(problems),
            search_path=work / "out",
            workspace=work,
            key=sha256(json.dumps(sorted(builder.keys.items())).encode()).hexdigest(),
        )
    store.prune()


class _Builder:
    """One build. Its methods that run in worker threads change nothing but files of their own module."""

    def __init__(
        self,
        lean: Lean,
        package: Package,
        cache: Cache,
        fresh: bool,
        limits: ChildLimits,
        work: Path,
        only: Collection[str] | None,
    ) -> None:
        self.lean = lean
        self.package = package
        self.cache = cache
        self.fresh = fresh
        self.limits = limits
        self.work = work
        self.only = only
        self.keys = _keys(lean, package)

    def run(
        self, workers: int, progress: Callable[[Progress], None]
    ) -> tuple[dict[str, Compiled], list[Problem]]:
        compiled: dict[str, Compiled] = {}
        problems: list[Problem] = []
        urgency = self._urgency()
        waiting = {
            name: set(module.imports)
            for name, module in self.package.modules.items()
            if self.only is None or name in self.only
        }
        running: dict[Future[Compiled | list[Problem]], str] = {}
        done = 0
        with ThreadPoolExecutor(workers) as pool:
            while True:
                ready = [name for name, imports in waiting.items() if imports <= compiled.keys()]
                if self.only is not None:
                    ready = self._next_stage(ready, [*waiting, *running.values()], problems)
                for name in sorted(ready, key=urgency.__getitem__)[: workers - len(running)]:
                    del waiting[name]
                    running[pool.submit(self.compile, self.package.modules[name])] = name
                if not running:
                    break
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    name = running.pop(future)
                    result = future.result()
                    done += 1
                    if isinstance(result, Compiled):
                        compiled[name] = result
                    else:
                        problems.extend(result)
                    progress(self._progress(name, done, result))
        problems.extend(
            Problem("module.blocked", name, "was not compiled, as an import was not", Verdict.UNKNOWN)
            for name in waiting
        )
        return compiled, problems

    def _next_stage(self, ready: list[str], left: list[str], problems: list[Problem]) -> list[str]:
        """Return those that may be begun if statements all come before proofs, and a problem ends it."""
        if problems:
            return []
        is_proof = self.package.layout.is_proof
        stating = not all(is_proof(name) for name in left)
        return [name for name in ready if not (stating and is_proof(name))]

    def _urgency(self) -> dict[str, tuple[bool, int]]:
        """Return what orders the modules that are ready: statements first, then those most waited for."""
        layout = self.package.layout
        heights = _heights(self.package)
        return {name: (layout.is_proof(name), -height) for name, height in heights.items()}

    def _progress(self, name: str, done: int, result: Compiled | list[Problem]) -> Progress:
        module = result if isinstance(result, Compiled) else None
        return Progress(
            module=name,
            done=done,
            total=len(self.package.modules),
            seconds=module.seconds if module else 0.0,
            cached=module.cached if module else False,
            failed=module is None,
        )

    def compile(self, module: Module) -> Compiled | list[Problem]:
        """Return the compiled module, from the cache or from Lean, or what is wrong with it."""
        if not self.fresh:
            cached = self._from_cache(module)
            if cached is not None:
                return cached
        source = self._path("src", module, ".lean")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_bytes(module.text.encode())
        target, index = self._path("out", module, ".olean"), self._path("out", module, ".ilean")
        target.parent.mkdir(parents=True, exist_ok=True)
        run = self.lean.run(
            ["-R", str(self.work / "src"), "-o", str(target), "-i", str(index), str(source)],
            search_path=self.work / "out",
            directory=self.work,
            limits=self.limits,
        )
        problems = run_problems(module.name, run, target)
        experiment = self.only is not None and all(found.code == "module.warning" for found in problems)
        if problems and not experiment:
            return problems
        if not problems:
            report = {
                "seconds": run.seconds,
                "messages": [attrs.asdict(message) for message in run.messages],
            }
            self.cache.store(self.keys[module.name], {_COMPILED: target, _INDEX: index}, report)
        return Compiled(
            module=module.name, index=index, messages=run.messages, seconds=run.seconds, cached=False
        )

    def _from_cache(self, module: Module) -> Compiled | None:
        entry = self.cache.load(self.keys[module.name])
        if entry is None:
            return None
        target, index = self._path("out", module, ".olean"), self._path("out", module, ".ilean")
        try:
            link(entry.files[_COMPILED], target)
            link(entry.files[_INDEX], index)
            messages = tuple(Message(**fields) for fields in entry.report["messages"])  # type: ignore[attr-defined]
            seconds = float(entry.report["seconds"])  # type: ignore[arg-type]
        except (OSError, KeyError, TypeError, ValueError):
            for path in (target, index):
                path.unlink(missing_ok=True)
            return None
        return Compiled(module=module.name, index=index, messages=messages, seconds=seconds, cached=True)

    def _path(self, kind: str, module: Module, suffix: str) -> Path:
        return self.work.joinpath(kind, *module.name.split(".")).with_suffix(suffix)


LIMIT = "lean.limit"
"""The code of a problem that is no refusal: Lean reached a limit of its own."""


def run_problems(where: str, run: LeanRun, target: Path | None = None) -> list[Problem]:
    """Return what is wrong with a run of Lean that should have gone well, and have written `target`."""
    if run.trouble is not None:
        return [Problem(f"lean.{run.trouble.value}", where, run.detail, Verdict.UNKNOWN)]
    problems = [
        Problem(LIMIT, where, f"line {message.line}: {message.text}", Verdict.UNKNOWN)
        if message.limit
        else Problem(f"module.{message.severity}", where, f"line {message.line}: {message.text}")
        for message in run.messages
        if message.severity in ("error", "warning")
    ]
    if run.code != 0 and not problems:
        problems.append(Problem("module.exit", where, f"Lean ended with exit code {run.code}"))
    if not problems and target is not None and not (target.is_file() and target.stat().st_size):
        text = "Lean ended well, but it wrote no compiled module"
        problems.append(Problem("module.unwritten", where, text, Verdict.UNKNOWN))
    return problems


def _keys(lean: Lean, package: Package) -> dict[str, str]:
    """Return for each module the digest of all that its compiled form depends on."""
    keys: dict[str, str] = {}
    for name, module in package.modules.items():
        imported = [keys[used] for used in module.imports if used in keys]
        parts = [_FORMAT, lean.version, lean.commit, lean.digest, name, module.digest, imported]
        keys[name] = sha256(json.dumps(parts).encode()).hexdigest()
    return keys


def _heights(package: Package) -> dict[str, int]:
    """Return for each module the length of the longest chain of modules that wait for it."""
    heights = dict.fromkeys(package.modules, 0)
    for name in reversed(list(package.modules)):
        for used in package.modules[name].imports:
            if used in heights:
                heights[used] = max(heights[used], heights[name] + 1)
    return heights
