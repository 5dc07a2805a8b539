"""Worlds of scopes, over layers and over copied trees (twin of `lean/Eclogue/Runtime/Scope.lean`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, Union

import attrs

from eclogue.runtime.files.files import FileTree, Layer, Operation, run_stack, run_tree, view
from eclogue.runtime.files.layers import conflicts, merge3, tidy


@attrs.frozen
class ModelScope:
    """A scope of layers, the newest first; those at its fork, and its parent."""

    layers: tuple[Layer, ...]
    base: tuple[Layer, ...]
    parent: int | None


@attrs.frozen
class FlatScope:
    """A scope that is a copied tree; the tree at its fork, and its parent."""

    tree: FileTree
    base: FileTree
    parent: int | None


@attrs.frozen
class Operate:
    """Carry an operation out in a scope."""

    scope: int
    operation: Operation


@attrs.frozen
class Fork:
    """Make a child; numbers are not used again."""

    scope: int
    child: int


@attrs.frozen
class Discard:
    """Throw a scope away."""

    scope: int


@attrs.frozen
class MergeChild:
    """Merge a child into its parent, and close it."""

    scope: int
    child: int


Command: TypeAlias = Union[Operate, Fork, Discard, MergeChild]
ModelWorld: TypeAlias = Mapping[int, ModelScope]
FlatWorld: TypeAlias = Mapping[int, FlatScope]


def command_step(world: ModelWorld, command: Command) -> tuple[ModelWorld, str]:
    """Carry a command out over layers, and answer (`commandStep`)."""
    scope = world.get(command.scope)
    if scope is None:
        return world, "refused"
    match command:
        case Operate(number, operation):
            layers, error = run_stack(scope.layers, operation)
            return {**world, number: attrs.evolve(scope, layers=layers)}, error or "done"
        case Discard(number):
            return {key: item for key, item in world.items() if key != number}, "done"
        case Fork(number, child):
            if child in world:
                return world, "refused"
            fresh = ({}, *scope.layers)
            made = ModelScope(fresh, scope.layers, number)
            return {**world, number: attrs.evolve(scope, layers=fresh), child: made}, "done"
        case MergeChild(number, child):
            other = world.get(child)
            if other is None or other.parent != number:
                return world, "refused"
            base, ours, theirs = view(other.base), view(scope.layers), view(other.layers)
            if conflicts(base, ours, theirs):
                return world, "conflict"
            low = scope.layers[1:]
            top = tidy(view(low), merge3(base, ours, theirs))
            new = {**world, number: attrs.evolve(scope, layers=(top, *low))}
            return {key: item for key, item in new.items() if key != child}, "done"
    raise TypeError(command)


def flat_step(world: FlatWorld, command: Command) -> tuple[FlatWorld, str]:
    """Carry a command out over copied trees, and answer (`flatStep`)."""
    scope = world.get(command.scope)
    if scope is None:
        return world, "refused"
    match command:
        case Operate(number, operation):
            tree, error = run_tree(scope.tree, operation)
            return {**world, number: attrs.evolve(scope, tree=tree)}, error or "done"
        case Discard(number):
            return {key: item for key, item in world.items() if key != number}, "done"
        case Fork(number, child):
            if child in world:
                return world, "refused"
            return {**world, child: FlatScope(scope.tree, scope.tree, number)}, "done"
        case MergeChild(number, child):
            other = world.get(child)
            if other is None or other.parent != number:
                return world, "refused"
            if conflicts(other.base, scope.tree, other.tree):
                return world, "conflict"
            merged = merge3(other.base, scope.tree, other.tree)
            new = {**world, number: attrs.evolve(scope, tree=merged)}
            return {key: item for key, item in new.items() if key != child}, "done"
    raise TypeError(command)
