"""Real scopes against the model: the same errors, the same views, layers that mean what the model says.

Generated operations are carried out in the scopes of a world, for each provider and user, and in the flat
model; forks, discards, merges, freezes and reverts are mixed in. After every step all scopes are compared.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from pathlib import Path as FilePath
from random import Random

from support.file_operations import carry_out, random_operation, scan
from support.worlds import Place

from eclogue.runtime.files import scopes as model
from eclogue.runtime.files.files import (
    EMPTY,
    Directory,
    Entry,
    File,
    Gone,
    Layer,
    Link,
    Merged,
    Path,
    Rename,
    Solid,
    crosses,
    over,
    view,
)
from eclogue.runtime.files.layers import squash, storable
from eclogue.runtime.sandbox.interface import Conflicts, StateName
from eclogue.runtime.sandbox.layers import is_opaque, is_whiteout
from eclogue.runtime.sandbox.providers import Overlay
from eclogue.runtime.scope import World

RUNS = int(os.environ.get("ECLOGUE_WORLDS", "6"))
STEPS = 60


def decode(folder: FilePath, mode: str) -> Layer:
    """Return a layer's directory as a layer of the model."""
    found: dict[Path, Entry] = {}
    pending: list[Path] = [()]
    while pending:
        path = pending.pop()
        here = folder.joinpath(*path)
        status = here.lstat()
        if is_whiteout(status):
            found[path] = Gone()
        elif stat.S_ISDIR(status.st_mode):
            number = os.open(here, os.O_RDONLY)
            opaque = is_opaque(number, "trusted" if mode == "trusted" else "user")
            os.close(number)
            bits = stat.S_IMODE(status.st_mode)
            found[path] = Solid(Directory(bits)) if opaque else Merged(bits)
            pending.extend((*path, name) for name in os.listdir(here))
        elif stat.S_ISLNK(status.st_mode):
            found[path] = Solid(Link(os.readlink(here)))
        else:
            found[path] = Solid(File(here.read_text(), stat.S_IMODE(status.st_mode)))
    return found


class Both:
    """A real world and the flat model of it."""

    def __init__(self, world: World, rng: Random) -> None:
        self.world, self.rng = world, rng
        self.flat: model.FlatWorld = {0: model.FlatScope(EMPTY, EMPTY, None)}
        self.names = {0: "main"}
        self.recent: list[Path] = []
        self.states: list[tuple[StateName, int, object]] = []
        self.count: Counter[str] = Counter()

    def step(self) -> None:
        """Do something in one scope, in both."""
        number, kind = self.rng.choice(sorted(self.flat)), self.rng.random()
        newest = max(self.flat)
        if kind < 0.72:
            self.operate(number)
        elif kind < 0.82:
            self.fork(number)
        elif kind < 0.88:
            self.freeze_or_revert(number)
        elif newest and kind < 0.92 and not self.children(newest):
            self.world.scope(self.names[newest]).discard()
            self.flat, _ = model.flat_step(self.flat, model.Discard(newest))
        elif newest and not self.children(newest):
            self.merge(newest)

    def children(self, number: int) -> list[int]:
        return [key for key, scope in self.flat.items() if scope.parent == number]

    def operate(self, number: int) -> None:
        tree = self.flat[number].tree
        operation = random_operation(self.rng, tree, self.recent)
        expected = self.expects_exdev(number, operation)
        error, crossed = carry_out(self.world.scope(self.names[number]).directory(), operation)
        self.flat, answer = model.flat_step(self.flat, model.Operate(number, operation))
        self.count[answer] += 1
        assert (error or "done") == answer, operation
        if expected is not None and answer == "done":
            assert crossed is expected, operation
            self.count["EXDEV"] += crossed

    def expects_exdev(self, number: int, operation: object) -> bool | None:
        """Return whether rename(2) will refuse a directory, None where that cannot be told."""
        views = self.world.views
        if not isinstance(operation, Rename) or not isinstance(views, Overlay):
            return None
        if operation.path == operation.target:
            return None
        upper, chain = self.layers(number)
        return crosses(upper, view([*chain, BASE]), operation.path)

    def layers(self, number: int) -> tuple[Layer, list[Layer]]:
        """Return a scope's upper and the layers below it, as they are on disk."""
        views = self.world.views
        assert isinstance(views, Overlay)
        facts = self.world._facts[self.names[number]]
        folder = views.folder / "layers"
        chain = [decode(folder / name, views.mode) for name in self.world._chain(facts.top)]
        return decode(folder / facts.upper, views.mode), chain

    def fork(self, number: int) -> None:
        child = max(self.names) + 1
        self.names[child] = f"scope{child}"
        self.world.scope(self.names[number]).fork(self.names[child])
        self.flat, _ = model.flat_step(self.flat, model.Fork(number, child))

    def freeze_or_revert(self, number: int) -> None:
        scope = self.world.scope(self.names[number])
        self.states.append((scope.freeze(), number, self.flat[number].tree))
        state, where, tree = self.rng.choice(self.states)
        if where in self.flat and self.rng.random() < 0.5:
            import attrs

            self.world.scope(self.names[where]).revert(state)
            self.flat = {**self.flat, where: attrs.evolve(self.flat[where], tree=tree)}
            self.count["revert"] += 1

    def merge(self, child: int) -> None:
        parent = self.flat[child].parent
        assert parent is not None
        found = self.world.scope(self.names[child]).merge()
        self.flat, answer = model.flat_step(self.flat, model.MergeChild(parent, child))
        self.count[f"merge {answer}"] += 1
        assert isinstance(found, Conflicts) is (answer == "conflict")

    def compare(self) -> None:
        """Compare every scope, and what its layers mean."""
        assert {self.names[number] for number in self.flat} == {scope.name for scope in self.world.scopes()}
        for number, scope in self.flat.items():
            assert scan(self.world.scope(self.names[number]).directory()) == scope.tree
            if isinstance(self.world.views, Overlay):
                upper, chain = self.layers(number)
                low = view([*chain, BASE])
                assert over(upper, low) == scope.tree
                assert storable(upper, low)
                for place in range(len(chain) - 1):
                    assert view([squash(chain[place], chain[place + 1])]) == view(chain[place : place + 2])


BASE: Layer = {(): Solid(Directory(0o755))}


def test_generated_operations_agree_with_the_model_after_every_step(place: Place) -> None:
    def act(here: Place) -> Counter[str]:
        os.umask(0)
        total: Counter[str] = Counter()
        for seed in range(RUNS):
            base, state = here.folder / f"base{seed}", here.folder / f"state{seed}"
            base.mkdir(mode=0o755)
            with World.create(base, state, provider=here.provider) as world:
                both = Both(world, Random(f"{here.kind} {seed}"))
                for _ in range(STEPS):
                    both.step()
                    both.compare()
                for number in sorted(both.flat, reverse=True):
                    if number:
                        world.scope(both.names[number]).discard()
                world.apply()
                wanted = both.flat[0].tree
                total += both.count
            number = os.open(base, os.O_RDONLY | os.O_DIRECTORY)
            assert scan(number) == wanted
            os.close(number)
        return total

    found = place.do(act)
    assert found["done"] > 50 * RUNS // 6
    assert found["merge done"] > 0
    assert found["revert"] > 0
