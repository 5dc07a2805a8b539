"""The model of files: the laws that Lean proves, on generated operations, and what is false."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path as FilePath
from random import Random

from strategies import for_seeds
from support.file_operations import random_operation, random_path

from eclogue.runtime.files import files, layers, scopes
from eclogue.runtime.files.files import (
    EMPTY,
    Directory,
    File,
    Gone,
    Layer,
    Merged,
    Solid,
    Write,
    over,
    view,
)
from eclogue.runtime.files.layers import (
    closed,
    conflicts,
    lift,
    merge3,
    overlay_lookup,
    squash,
    storable,
    tidy,
)

ROOT = FilePath(__file__).resolve().parents[3]
BASE: Layer = {(): Solid(Directory(0o755))}


def test_layers_behave_as_the_flat_tree_and_the_overlays_walk_finds_the_same() -> None:
    """`refines_all`, `view_wf`, `run_closed`, `squash_view`, `lookup_is_view`."""
    answers: Counter[str | None] = Counter()

    def check(seed: int) -> None:
        rng, recent = Random(seed), []
        stack, tree = ({}, BASE), EMPTY
        for _ in range(40):
            if rng.random() < 0.15:
                stack = ({}, *stack)
            if rng.random() < 0.1 and len(stack) > 2:
                place = rng.randrange(len(stack) - 1)
                made = squash(stack[place], stack[place + 1])
                stack = (*stack[:place], made, *stack[place + 2 :])
            operation = random_operation(rng, tree, recent)
            stack, error = files.run_stack(stack, operation)
            tree, flat_error = files.run_tree(tree, operation)
            answers[error] += 1
            assert error == flat_error
            assert view(stack) == tree
            assert files.well_formed(tree)
            assert all(closed(layer) for layer in stack)
            path = random_path(rng, tree, recent)
            assert overlay_lookup(stack, path) == tree.get(path)

    for_seeds(150, check)
    assert {None, "ENOENT", "ENOTDIR", "EISDIR", "EEXIST", "ENOTEMPTY", "ELOOP", "EINVAL", "EBUSY"} == set(
        answers
    )


def some(rng: Random, stack: tuple[Layer, ...], count: int) -> tuple[Layer, ...]:
    recent: list[files.Path] = []
    for _ in range(count):
        stack, _ = files.run_stack(stack, random_operation(rng, view(stack), recent))
    return stack


def test_clean_merges_are_trees_commute_and_can_be_stored() -> None:
    """`clean_wf`, `disjoint_merges_commute`, `lift_view`, `tidy_storable`, `unchanged_no_conflict`."""
    clean = 0

    def check(seed: int) -> None:
        nonlocal clean
        rng = Random(seed)
        frozen = some(rng, ({}, BASE), 20)
        base, child, parent = (
            view(frozen),
            view(some(rng, ({}, *frozen), 4)),
            view(some(rng, ({}, *frozen), 4)),
        )
        assert not conflicts(base, base, child)
        assert merge3(base, base, child) == child
        if not conflicts(base, parent, child):
            clean += 1
            merged = merge3(base, parent, child)
            assert files.well_formed(merged)
            assert merged == merge3(base, child, parent)
            assert over(lift(base, merged), base) == merged
            assert over(tidy(base, merged), base) == merged
            assert storable(tidy(base, merged), base)

    for_seeds(150, check)
    assert clean > 30


def test_a_world_of_scopes_is_a_world_of_copied_trees() -> None:
    """`runs_sim`, `lookup_sim`, `fork_isolated`, `discard_restores_parent`, `merge_unchanged`."""
    answers: Counter[tuple[str, str]] = Counter()

    def check(seed: int) -> None:
        rng, recent = Random(seed), []
        world: scopes.ModelWorld = {0: scopes.ModelScope(({}, BASE), (BASE,), None)}
        flat: scopes.FlatWorld = {0: scopes.FlatScope(EMPTY, EMPTY, None)}
        for _ in range(50):
            command = random_command(rng, flat, recent)
            before = {number: view(scope.layers) for number, scope in world.items()}
            world, answer = scopes.command_step(world, command)
            flat, flat_answer = scopes.flat_step(flat, command)
            answers[type(command).__name__, answer] += 1
            assert answer == flat_answer
            assert world.keys() == flat.keys()
            for number, scope in world.items():
                assert view(scope.layers) == flat[number].tree
                assert view(scope.base) == flat[number].base
                changes = (
                    isinstance(command, (scopes.Operate, scopes.MergeChild)) and command.scope == number
                )
                assert changes or number not in before or before[number] == flat[number].tree

    for_seeds(40, check)
    assert answers["MergeChild", "done"] > 10
    assert answers["MergeChild", "conflict"] > 3


def random_command(rng: Random, flat: scopes.FlatWorld, recent: list[files.Path]) -> scopes.Command:
    number, newest = rng.choice(sorted(flat)), max(flat)
    kind = rng.random()
    if kind < 0.6:
        return scopes.Operate(number, random_operation(rng, flat[number].tree, recent))
    if kind < 0.78:
        return scopes.Fork(number, rng.randrange(6) if rng.random() < 0.2 else newest + 1)
    if kind < 0.85 and newest:
        return scopes.Discard(newest)
    parent = flat[newest].parent
    return scopes.MergeChild(number if parent is None else parent, newest)


# ------------------------------------------------------------------------------------------------
# False as one would first say it


def test_laying_the_childs_layer_over_the_parents_undoes_a_later_chmod() -> None:
    low: Layer = {(): Solid(Directory(0o755)), ("d",): Solid(Directory(0o755))}
    child, _ = files.run_stack(({}, low), Write(("d", "x"), "1"))
    parent, _ = files.run_stack(({}, low), files.ChangeMode(("d",), 0o700))
    laid = view((child[0], parent[0], low))
    right = merge3(view((low,)), view(parent), view(child))
    assert laid[("d",)] == Directory(0o755)
    assert right[("d",)] == Directory(0o700)
    assert right[("d", "x")] == File("1", 0o644)


def test_disjoint_changes_may_still_be_no_tree() -> None:
    base = {(): Directory(0o755), ("d",): Directory(0o755)}
    gone, _ = files.run_tree(base, files.RemoveTree(("d",)))
    written, _ = files.run_tree(base, Write(("d", "x"), "1"))
    assert conflicts(base, gone, written) == [("d", "x")]
    assert conflicts(base, written, gone) == [("d", "x")]


def test_a_merged_directory_over_a_whiteout_hides_what_is_below() -> None:
    upper: Layer = {(): Merged(0o755), ("d",): Merged(0o755)}
    lower: Layer = {(): Merged(0o755), ("d",): Gone()}
    assert squash(upper, lower)[("d",)] == Solid(Directory(0o755))


def test_a_closed_layer_may_not_be_storable() -> None:
    layer: Layer = {(): Merged(0o755), ("d",): Solid(Directory(0o755)), ("d", "x"): Gone()}
    assert closed(layer)
    assert not storable(layer, {(): Directory(0o755)})


# ------------------------------------------------------------------------------------------------
# The names are Lean's


def test_what_a_docstring_names_is_declared_in_lean() -> None:
    text = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("Runtime", "Proofs/Runtime")
        for path in (ROOT / "lean" / "Eclogue" / folder).glob("*.lean")
    )
    declared = set(re.findall(r"^(?:def|theorem|inductive|structure|abbrev) ([\w.]+)", text, re.MULTILINE))
    short = {name.rpartition(".")[2] for name in declared} | declared
    cited = set()
    for module in (files, layers, scopes):
        source = FilePath(str(module.__file__)).read_text(encoding="utf-8")
        cited |= set(re.findall(r"\(`([\w.]+)`(?:, theorem `\w+`)?\)", source))
        cited |= set(re.findall(r"theorem `(\w+)`", source))
    assert len(cited) > 25
    assert cited <= short, sorted(cited - short)
