"""Worlds of scopes over a workspace: fork, merge, discard, diff, revert (Lean: `Runtime/Scope.lean`).

A *world* is opened on a workspace, its base, and never writes to it until `apply`. A *scope* is a view that
can be written. Forking freezes what the parent has written so far into a layer and gives both sides a new
upper: the work does not depend on the size of the tree or of the history. A frozen state has a name, to
which a scope can be reverted. What happened is in a journal; a world whose controller died is opened again
from it, and what was half done is then done or undone.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from eclogue.runtime import baseline, merging
from eclogue.runtime.changes import Difference, Pruning, differences
from eclogue.runtime.journal import Journal
from eclogue.runtime.manifest import Manifest, manifest_of
from eclogue.runtime.sandbox.crashpoint import reach
from eclogue.runtime.sandbox.interface import (
    Change,
    Conflicts,
    Finished,
    Merged,
    MergeResult,
    ProcessLimits,
    SandboxError,
    StateName,
)
from eclogue.runtime.sandbox.process import ViewHandle, run_in
from eclogue.runtime.sandbox.providers import FIDELITY, Copies, Overlay, Views, probe
from eclogue.runtime.sandbox.syncing import sync_file_system
from eclogue.runtime.staged import Staged
from eclogue.runtime.text_merge import merged_by_lines

BASE = StateName("base")
"""The state in which nothing has been written."""
ROOT = "main"
"""The name of a world's first scope."""
_APPLIED = "what was merged is in the workspace; compare that"
_SQUASH_AT = 8
"""So many layers of one weight become one layer."""
FORMAT = "eclogue-world/1"


@attrs.define
class _Layer:
    """A frozen layer: the one below it, and how many freezes it stands for."""

    below: str | None
    weight: int = 1


@attrs.define
class _Facts:
    """What the journal says of a scope."""

    name: str
    parent: str | None
    fork: str | None
    """The layer on which it began; None: the base."""
    top: str | None
    upper: str


@attrs.define(eq=False)
class World:
    """A workspace's scopes. Use `create` or `reopen`; close it in the end, or as a context manager."""

    base: Path
    state: Path
    views: Views
    _journal: Journal
    _lock: int
    _layers: dict[str, _Layer] = attrs.field(factory=dict)
    _facts: dict[str, _Facts] = attrs.field(factory=dict)
    _names: set[str] = attrs.field(factory=set)
    _count: int = 0
    _merging: str | None = None
    _applying: bool = False
    applied: bool = False
    """Whether the world was merged into its workspace: then it is done with."""

    # ---------------------------------------------------------------------------- opening

    @staticmethod
    def create(base: Path, state: Path, *, provider: str = "auto") -> World:
        """Open a world on a workspace; `state` is a folder for it alone, new or empty.

        `provider` is overlay, copy or auto, the first of these that can be had. Raises `SandboxError`.
        """
        base, state = base.resolve(), state.resolve()
        check_places(base, state)
        found = baseline.baseline_of(base)
        state.mkdir(parents=True, exist_ok=True)
        if any(name.name != "lock" for name in state.iterdir()):
            raise SandboxError(f"{state} is not empty", "reopen it, or name another folder")
        lock = _locked(state)
        try:
            views = _views(provider, base, state, found)
            baseline.save(found, state / "base.json")
            journal, _ = Journal.open(state / "journal")
            world = World(base, state, views, journal, lock)
            world._note(
                world={"format": FORMAT, "base": os.fsdecode(base)}, provider=views.name, mode=views.mode
            )
            upper = world._fresh()
            views.new_upper(upper, ())
            world._note(scope=ROOT, parent=None, fork=None, top=None, upper=upper)
        except BaseException:
            os.close(lock)
            raise
        reach("create.made")
        return world

    @staticmethod
    def reopen(state: Path) -> World:
        """Open a world again, also after a crash: what was half done is done or undone.

        Raises `SandboxError` where the folder is none, is in use, or cannot be had here.
        """
        state = state.resolve()
        if not (state / "journal").is_file():
            raise SandboxError(f"{state} is no world's folder")
        lock = _locked(state)
        try:
            journal, entries = Journal.open(state / "journal")
            if not entries or "world" not in entries[0]:
                raise SandboxError(f"{state}: the journal does not begin with a world", "start a new run")
            first = entries[0]
            if first["world"]["format"] != FORMAT:
                raise SandboxError(f"{state} is of the format {first['world']['format']}, not {FORMAT}")
            base = Path(os.fsencode(first["world"]["base"]).decode("utf-8", "surrogateescape"))
            views = _reopened(first["provider"], first["mode"], base, state)
            world = World(base, state, views, journal, lock)
            for entry in entries[1:]:
                world._take(entry)
            world._recover()
        except BaseException:
            os.close(lock)
            raise
        return world

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back mounts, descriptors and the lock; everything stays on disk."""
        if self._lock >= 0:
            self.views.close()
            self._journal.close()
            os.close(self._lock)
            self._lock = -1

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self.views.name

    @property
    def fidelity(self) -> Mapping[str, str]:
        """What a fork, a revert or a discard keeps of each kind of state: yes, quiesced or no."""
        return FIDELITY

    # ---------------------------------------------------------------------------- scopes

    @property
    def root(self) -> Scope:
        """The first scope."""
        return Scope(self, ROOT)

    def scopes(self) -> list[Scope]:
        """Return the open scopes, a parent before its children."""
        return [Scope(self, name) for name in self._facts]

    def scope(self, name: str) -> Scope:
        """Return an open scope; raises `SandboxError`."""
        if name not in self._facts:
            known = ", ".join(self._facts)
            raise SandboxError(f"there is no open scope {name!r}", f"open are: {known}")
        return Scope(self, name)

    def sync(self) -> None:
        """Have everything that was written so far survive a loss of power."""
        sync_file_system(self.state)
        self._journal.sync()

    def check_base(self) -> None:
        """Raise `SandboxError`, naming paths, where the workspace was changed since it was opened."""
        if self.views.name == "copy" or self.applied:
            return
        changed = baseline.changed_paths(
            baseline.load(self.state / "base.json"), baseline.baseline_of(self.base)
        )
        if changed:
            shown = ", ".join(changed[:5]) + (f" and {len(changed) - 5} more" if len(changed) > 5 else "")
            hint = "what the sandbox shows may be torn; start a new run on the workspace as it is now"
            raise SandboxError(f"the workspace was changed while it was a sandbox's base: {shown}", hint)

    def apply(self, *, lines: bool = False) -> MergeResult:
        """Merge the first scope into the workspace itself: all of it, or nothing where there are conflicts.

        The world is done with then. Scopes that are still open must be merged or discarded before. Raises
        `SandboxError`, and nothing was changed.
        """
        self._usable()
        others = [name for name in self._facts if name != ROOT]
        if others:
            raise SandboxError(f"scopes are still open: {', '.join(others)}", "merge or discard them")
        with _locked_folder(self.base) as target:
            self.check_base()
            found = self._planned(ROOT, target, lines=lines)
            if isinstance(found, Conflicts):
                return found
            view = self._view(ROOT)
            staged = Staged.write(self.state / "apply", found, view)
            self.sync()
            self._note(applying=True)
            reach("apply.begun")
            staged.carry_out(target)
            sync_file_system(self.base)
            reach("apply.applied")
            self._note(applied=True)
            reach("apply.after")
            staged.remove()
        return Merged(tuple(item.as_change() for item in found))

    def compare(self, name: str, *states: StateName) -> list[Change]:
        """Return what differs: a scope from the base or a state, or the second state from the first."""
        old, new = self.compared_roots(name, *states)
        if len(states) == 2:
            names = self._between(self._top_of(states[0]), self._top_of(states[1]))
        else:
            facts = self.scope(name)._facts
            since = self._top_of(states[0]) if states else None
            names = [facts.upper, *self._between(facts.top, since)]
        return [item.as_change() for item in differences(old, new, self.views.touched(names))]

    def compared_roots(self, name: str, *states: StateName) -> tuple[int, int]:
        """Return the roots of what `compare` compares; they stay the world's."""
        if self.applied and self.views.name != "copy":
            raise SandboxError("it was merged into the workspace, which its states lay on", _APPLIED)
        old = self._state_view(self._top_of(states[0]) if states else None)
        new = self._state_view(self._top_of(states[1])) if len(states) == 2 else self._view(name)
        return old, new

    # ---------------------------------------------------------------------------- the journal

    def _note(self, **entry: Any) -> None:
        self._journal.add(**entry)
        if "world" not in entry:
            self._take(entry)

    def _take(self, entry: Mapping[str, Any]) -> None:
        """Have what is known say what an entry says; each kind of entry has its key."""
        if "scope" in entry:
            facts = _Facts(entry["scope"], entry["parent"], entry["fork"], entry["top"], entry["upper"])
            self._facts[facts.name] = facts
            self._names.add(facts.name)
        elif "freeze" in entry:
            facts = self._facts[entry["freeze"]]
            self._layers[facts.upper] = _Layer(facts.top)
            facts.top, facts.upper = facts.upper, entry["upper"]
        elif "squash" in entry:
            self._layers[entry["squash"]] = _Layer(entry["below"], entry["weight"])
            self._facts[entry["of"]].top = entry["squash"]
        elif "revert" in entry:
            facts = self._facts[entry["revert"]]
            facts.top, facts.upper = entry["top"], entry["upper"]
        elif "merging" in entry:
            self._merging = entry["merging"]
        elif "merged" in entry:
            self._merging = None
            del self._facts[entry["merged"]]
        elif "discard" in entry:
            for name in self.family(entry["discard"]):
                del self._facts[name]
        elif "undone" in entry:
            self._facts[entry["undone"]].upper = entry["upper"]
            self._merging = None
        elif "applying" in entry:
            self._applying = True
        elif "applied" in entry:
            self._applying, self.applied = False, True
        for key in ("upper", "squash"):
            if isinstance(entry.get(key), str):
                self._count = max(self._count, int(entry[key]))

    def _fresh(self) -> str:
        """Return a name for a layer that was never used before."""
        self._count += 1
        return str(self._count)

    def _recover(self) -> None:
        """Finish or undo what the controller was at when it died, and remove what nothing refers to."""
        if self._applying:
            with _locked_folder(self.base) as target:
                staged = Staged.read(self.state / "apply")
                staged.carry_out(target)
                sync_file_system(self.base)
                self._note(applied=True)
                staged.remove()
        if self._merging is not None:
            parent = self._facts[self._merging].parent
            assert parent is not None
            old = self._facts[parent].upper
            upper = self._fresh()
            self._make_upper(upper, self._chain(self._facts[parent].top))
            self._note(undone=parent, upper=upper)
            self.views.drop(old)
        self._sweep()

    def _sweep(self) -> None:
        """Remove layers and uppers that no entry names, and places of views that were left."""
        known = self._layers.keys() | {facts.upper for facts in self._facts.values()}
        for folder in ("layers", "trees", "work"):
            path = self.state / folder
            for name in sorted(os.listdir(path)) if path.is_dir() else ():
                if name not in known and name != "base":
                    self.views.drop(name)
        views = self.state / "views"
        for name in os.listdir(views) if views.is_dir() else ():
            (views / name).rmdir()
        Staged.clear(self.state / "apply")

    def _make_upper(self, upper: str, chain: Sequence[str]) -> None:
        self.views.new_upper(upper, chain)

    # ---------------------------------------------------------------------------- layers

    def _chain(self, top: str | None) -> tuple[str, ...]:
        """Return a layer and those below it, the newest first."""
        found = []
        while top is not None:
            found.append(top)
            top = self._layers[top].below
        return tuple(found)

    def _view(self, name: str) -> int:
        facts = self._facts[name]
        return self.views.view(facts.upper, self._chain(facts.top))

    def _state_view(self, top: str | None) -> int:
        return self.views.state(self._chain(top))

    def _usable(self) -> None:
        if self._lock < 0:
            raise SandboxError("the world is closed")
        if self.applied:
            raise SandboxError("it was merged into the workspace, and is done with", "start a new run")

    def _freeze(self, name: str) -> str | None:
        """Have what a scope wrote be a layer; return its newest layer."""
        self._usable()
        facts = self._facts[name]
        chain = self._chain(facts.top)
        if self.views.is_clean(facts.upper, chain):
            return facts.top
        reach("freeze.before")
        self.views.close_view(facts.upper)
        upper = self._fresh()
        self.views.freeze(facts.upper)
        self._make_upper(upper, (facts.upper, *chain))
        self._note(freeze=name, upper=upper)
        reach("freeze.after")
        self._squash(name)
        return self._facts[name].top

    def _squash(self, name: str) -> None:
        """Make one layer of the newest ones, where eight of them stand for as many freezes each.

        So a chain stays short, a file is linked a few times only, and states keep the layers they name.
        """
        facts = self._facts[name]
        while True:
            chain = self._chain(facts.top)
            weight = self._layers[chain[0]].weight if chain else 0
            same = chain[:_SQUASH_AT]
            if len(same) < _SQUASH_AT or any(self._layers[each].weight != weight for each in same):
                return
            if facts.fork in same[:-1] or self._fork_inside(same):
                return
            new, below = self._fresh(), chain[_SQUASH_AT:]
            if not self.views.squash(same, below, new):
                return
            reach("squash.made")
            self.views.close_view(facts.upper)
            self._note(squash=new, of=name, below=below[0] if below else None, weight=weight * _SQUASH_AT)
            reach("squash.after")

    def _fork_inside(self, same: Sequence[str]) -> bool:
        """Whether an open scope began on one of these layers: its diffs are cheaper while they stand."""
        if len(self._chain(same[0])) >= _DEEP:
            return False
        return any(facts.fork in same[:-1] for facts in self._facts.values() if facts.fork is not None)

    def _top_of(self, state: StateName) -> str | None:
        """Return the layer that a state's name stands for; raises `SandboxError`."""
        if state == BASE:
            return None
        if state not in self._layers:
            raise SandboxError(f"there is no state {state!r} in this world")
        return state

    def family(self, name: str) -> list[str]:
        """Return a scope and those that descend from it, a parent before its children."""
        found = [name]
        for facts in self._facts.values():
            if facts.parent in found:
                found.append(facts.name)
        return found

    def state_root(self, state: StateName) -> int:
        """Return a descriptor of the root of a frozen state, to be read; it stays the world's."""
        return self._state_view(self._top_of(state))

    def touched_between(self, one: StateName, other: StateName) -> Pruning:
        """Return where two frozen states can differ."""
        return self.views.touched(self._between(self._top_of(one), self._top_of(other)))

    def _between(self, one: str | None, other: str | None) -> list[str]:
        """Return the layers that one of two chains has and the other has not."""
        left, right = self._chain(one), self._chain(other)
        common = set(left) & set(right)
        return [name for name in (*left, *right) if name not in common]

    def _differences(self, name: str, since: str | None) -> list[Difference]:
        facts = self._facts[name]
        old, new = self._state_view(since), self._view(name)
        pruning = self.views.touched([facts.upper, *self._between(facts.top, since)])
        return list(differences(old, new, pruning))

    def _planned(self, name: str, target: int, *, lines: bool) -> list[Difference] | Conflicts:
        """Return what a scope's merge into a tree comes to."""
        facts = self._facts[name]
        changes = self._differences(name, facts.fork)
        base, child = self._state_view(facts.fork), self._view(name)
        found = merging.plan(changes, base, child, target)
        resolved = (
            merged_by_lines(found.conflicts, base, target, child) if found.conflicts and lines else None
        )
        if resolved is not None:
            changes = self._differences(name, facts.fork)
            found = merging.plan(changes, base, child, target, resolved)
        if found.conflicts:
            return Conflicts(found.conflicts)
        return list(found.apply)


_DEEP = 128
"""Layers of one chain from which on they are made into one also across the place where a scope began."""


@attrs.frozen
class Scope:
    """An open scope of a world: a name, and what can be done with it."""

    world: World
    name: str

    @property
    def _facts(self) -> _Facts:
        return self.world.scope(self.name).world._facts[self.name]

    @property
    def parent(self) -> Scope | None:
        """The scope that it was forked from; None for the first one."""
        parent = self._facts.parent
        return None if parent is None else Scope(self.world, parent)

    def directory(self) -> int:
        """Return a descriptor of the view's root, valid until the next fork, freeze, revert or merge.

        It belongs to the world, and is not to be closed.
        """
        self.world._usable()
        return self.world._view(self._facts.name)

    def view(self) -> ViewHandle:
        """Return the view as processes are started in it."""
        return ViewHandle(self.directory(), self.world.views.spawner)

    def run(
        self,
        argv: Sequence[str | bytes],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | bytes = b"",
        stdin: bytes = b"",
        limits: ProcessLimits | None = None,
        network: bool = False,
        readable: Sequence[Path] = (),
        isolated: bool = True,
    ) -> Finished:
        """Run a program in the view, as `run_in`."""
        return run_in(
            self.view(),
            argv,
            env=env,
            cwd=cwd,
            stdin=stdin,
            limits=limits,
            network=network,
            readable=readable,
            isolated=isolated,
        )

    def fork(self, name: str) -> Scope:
        """Open a child that begins as this scope is now; neither sees then what the other writes."""
        world = self.world
        self._check_name(name)
        reach("fork.before")
        top = world._freeze(self.name)
        upper = world._fresh()
        world._make_upper(upper, world._chain(top))
        world._note(scope=name, parent=self.name, fork=top, top=top, upper=upper)
        reach("fork.after")
        return Scope(world, name)

    def _check_name(self, name: str) -> None:
        if not name or len(name) > 100 or not name.isprintable() or "/" in name:
            raise SandboxError(f"{name!r} is no name for a scope", "take letters, digits and dashes")
        if name in self.world._names:
            raise SandboxError(f"a scope was called {name!r} before", "names are not used again")

    def freeze(self) -> StateName:
        """Name the present state; what the name stands for never changes."""
        top = self.world._freeze(self._facts.name)
        return BASE if top is None else StateName(top)

    def revert(self, state: StateName) -> None:
        """Have the scope show a frozen state again; what it wrote since is gone. Raises `SandboxError`."""
        world, facts = self.world, self._facts
        world._usable()
        top = world._top_of(state)
        world.views.close_view(facts.upper)
        old, upper = facts.upper, world._fresh()
        world._make_upper(upper, world._chain(top))
        world._note(revert=self.name, top=top, upper=upper)
        reach("revert.after")
        world.views.drop(old)

    def discard(self) -> None:
        """Throw the scope away, and the scopes that were forked from it; the parent stays as it is."""
        world = self.world
        world._usable()
        if self._facts.parent is None:
            raise SandboxError("the first scope cannot be discarded", "revert it to a state instead")
        uppers = [world._facts[name].upper for name in reversed(world.family(self.name))]
        for upper in uppers:
            world.views.close_view(upper)
        reach("discard.before")
        world._note(discard=self.name)
        reach("discard.after")
        for upper in uppers:
            world.views.drop(upper)

    def diff(self, since: StateName | None = None) -> list[Change]:
        """Return what the scope changed since it was forked, or what differs from a state, by path."""
        self.world._usable()
        top = self._facts.fork if since is None else self.world._top_of(since)
        return [item.as_change() for item in self.world._differences(self.name, top)]

    def merge(self, *, lines: bool = False) -> MergeResult:
        """Merge the scope into its parent, and close it; with conflicts nothing is changed, and it stays.

        With `lines`, texts that both sides changed in different lines are merged. Raises `SandboxError`.
        """
        world, facts = self.world, self._facts
        world._usable()
        if facts.parent is None:
            raise SandboxError("the first scope has no parent", "World.apply merges it into the workspace")
        family = world.family(self.name)
        if len(family) > 1:
            raise SandboxError(
                f"scopes forked from it are open: {', '.join(family[1:])}", "merge or discard them"
            )
        world.check_base()
        world.views.close_view(facts.upper)  # refused while something writes to it: nothing is changed yet
        found = world._planned(self.name, world._view(facts.parent), lines=lines)
        if isinstance(found, Conflicts):
            return found
        world._freeze(facts.parent)
        world._note(merging=self.name)
        reach("merge.begun")
        merging.apply(found, world._view(self.name), world._view(facts.parent))
        reach("merge.applied")
        world.views.close_view(facts.upper)
        world._note(merged=self.name)
        reach("merge.after")
        world.views.drop(facts.upper)
        return Merged(tuple(item.as_change() for item in found))

    def manifest(self) -> Manifest:
        """Read everything that the scope shows."""
        return manifest_of(self.directory())


def check_places(base: Path, state: Path) -> None:
    """Refuse a folder for a world that lies in its workspace, or around it; raises `SandboxError`."""
    if not base.is_dir():
        raise SandboxError(f"{base} is no folder", "name the workspace's folder")
    if state == base or base in state.parents:
        raise SandboxError(f"{state} lies in the workspace", "name a folder outside of it")
    if state in base.parents:
        raise SandboxError(f"the workspace lies in {state}", "name another folder")


def _locked(state: Path) -> int:
    """Take the lock on a world's folder; raises `SandboxError` if somebody has it."""
    number = os.open(state / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(number)
        raise SandboxError(f"{state} is in use by another process", "wait for it, or end it") from None
    return number


@contextmanager
def _locked_folder(base: Path) -> Iterator[int]:
    """Open a workspace that nobody else merges into meanwhile."""
    number = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield number
    finally:
        os.close(number)


def _views(provider: str, base: Path, state: Path, found: baseline.Baseline) -> Views:
    """Return the provider that is asked for, or the first that can be had."""
    if provider not in ("auto", "overlay", "copy"):
        raise SandboxError(f"there is no provider {provider!r}", "overlay, copy and auto are there")
    if provider == "copy":
        return Copies.open(base, state)
    overlay = probe(state)[0]
    if overlay.usable:
        mode = overlay.details["mode"]
        foreign = baseline.foreign_owner(found) if mode == "user" else None
        if foreign is None:
            return Overlay.open(base, state, "trusted" if mode == "trusted" else "user")
        reason = f"{foreign} belongs to somebody else, and could not be written"
    else:
        reason = overlay.reason or ""
    if provider == "overlay":
        raise SandboxError(f"no overlay can be had here: {reason}", "`--provider copy` works everywhere")
    return Copies.open(base, state)


def _reopened(provider: str, mode: str, base: Path, state: Path) -> Views:
    if not base.is_dir():
        raise SandboxError(f"the workspace {base} is not there any more")
    if provider == "copy":
        return Copies.open(base, state)
    if mode == "trusted" and os.geteuid() != 0:
        raise SandboxError(
            "the layers were written by root, and only root can read them again", "run as root"
        )
    return Overlay.open(base, state, "trusted" if mode == "trusted" else "user")
