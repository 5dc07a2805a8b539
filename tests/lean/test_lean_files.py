"""The Python model of files against Lean: its kernel evaluates the definitions that the theorems are about.

Generated states and operations: plans, answers, the top layer and the tree afterwards, views, the overlay's
walk, layers that are squashed, lifted, trimmed and tidied, merges and their conflicts, worlds of scopes.
`ECLOGUE_TESTS=long pytest tests/lean/test_lean_files.py` compares ten times as many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import attrs
import pytest
from strategies import for_seeds
from support import files_in_lean
from support.file_operations import random_operation
from support.model_mutants import BY_LEAN, Mutant, mutated

from eclogue.lean.build import Build
from eclogue.lean.kernel import Question, decide
from eclogue.lean.problems import Verdict
from eclogue.lean.process import ChildLimits
from eclogue.runtime.files import scopes
from eclogue.runtime.files.files import Directory, Layer, Operation, Path, Solid, run_stack, view
from eclogue.runtime.files.layers import conflicts

LIMITS = ChildLimits(seconds=60.0)
BASE: Layer = {(): Solid(Directory(0o755))}


def agree(build: Build, number: int, ask: Callable[[str, Random], Question]) -> None:
    """Ask Lean about generated questions; each of their equations must hold."""
    questions: list[tuple[int, Question]] = []
    for_seeds(number, lambda seed: questions.append((seed, ask(str(len(questions)), Random(seed)))))
    decided = decide(build, [question for _, question in questions], limits=LIMITS)
    for (seed, question), verdicts in zip(questions, decided, strict=True):
        wrong = {
            equation.about: verdict.value
            for equation, verdict in zip(question.equations, verdicts, strict=True)
            if verdict is not Verdict.ACCEPTED
        }
        assert not wrong, f"seed {seed}: Lean does not agree: {wrong}"


def grown(rng: Random, layers: tuple[Layer, ...], steps: int) -> tuple[Layer, ...]:
    """Return layers after some operations, with new tops now and then."""
    recent: list[Path] = []
    for _ in range(steps):
        if rng.random() < 0.1 and len(layers) < 4:
            layers = ({}, *layers)
        layers, _ = run_stack(layers, random_operation(rng, view(layers), recent))
    return layers


def some_operations(rng: Random, layers: tuple[Layer, ...], number: int) -> list[Operation]:
    recent: list[Path] = []
    return [random_operation(rng, view(layers), recent) for _ in range(number)]


def about_operations(name: str, rng: Random, answers: Counter[str | None] | None = None) -> Question:
    layers = grown(rng, ({}, BASE), 20)
    operations = some_operations(rng, layers, 6)
    if answers is not None:
        answers.update(run_stack(layers, operation)[1] for operation in operations)
    return files_in_lean.operations_question(name, layers, operations)


def about_layers(name: str, rng: Random) -> Question:
    frozen = grown(rng, ({}, BASE), 15)
    upper, lower, *rest = grown(rng, ({}, {}, *frozen), 8)
    low = view([lower, *rest])
    return files_in_lean.layers_question(name, upper, lower, low, view(grown(rng, ({}, *frozen), 5)))


def about_merges(name: str, rng: Random, clean: Counter[bool] | None = None) -> Question:
    frozen = grown(rng, ({}, BASE), 12)
    base, parent, child = view(frozen), *(view(grown(rng, ({}, *frozen), 7)) for _ in range(2))
    if clean is not None:
        clean[not conflicts(base, parent, child)] += 1
    return files_in_lean.merge_question(name, base, parent, child)


def about_commands(name: str, rng: Random, answers: Counter[tuple[str, str]] | None = None) -> Question:
    frozen = grown(rng, ({}, BASE), 10)
    world: scopes.ModelWorld = {0: scopes.ModelScope(({}, *frozen), frozen, None)}
    world, _ = scopes.command_step(world, scopes.Fork(0, 1))
    for number in (1, 1, 0, 0, 1):
        world, _ = scopes.command_step(world, operate(rng, world, number))
    asked = rng.choice((
        scopes.MergeChild(0, 1), scopes.MergeChild(0, 1), scopes.MergeChild(1, 0), scopes.Fork(1, 2),
        scopes.Fork(0, 1), scopes.Discard(1), scopes.Discard(2), operate(rng, world, 1),
    ))  # fmt: skip
    after, answer = scopes.command_step(world, asked)
    if answers is not None:
        answers[type(asked).__name__, answer] += 1
    return files_in_lean.world_question(name, world, asked, answer, after)


def operate(rng: Random, world: scopes.ModelWorld, number: int) -> scopes.Command:
    return scopes.Operate(number, random_operation(rng, view(world[number].layers), []))


def test_operations_do_in_lean_what_they_do_here(development: Build) -> None:
    answers: Counter[str | None] = Counter()
    agree(development, 14, lambda name, rng: about_operations(name, rng, answers))
    assert len(answers) > 6


def test_layers_are_made_in_lean_as_they_are_made_here(development: Build) -> None:
    agree(development, 15, about_layers)


def test_merges_are_in_lean_what_they_are_here(development: Build) -> None:
    clean: Counter[bool] = Counter()
    agree(development, 20, lambda name, rng: about_merges(name, rng, clean))
    assert clean[True] > 2
    assert clean[False] > 2


def test_commands_do_in_lean_what_they_do_here(development: Build) -> None:
    answers: Counter[tuple[str, str]] = Counter()
    agree(development, 25, lambda name, rng: about_commands(name, rng, answers))
    assert answers["MergeChild", "done"] > 1
    assert answers["MergeChild", "refused"] > 0


def test_a_wrong_step_of_python_would_be_found(development: Build) -> None:
    """Each equation about a map is refused when something else stands at one path."""
    right = files_in_lean.operations_question("right", grown(Random(5), ({}, BASE), 20), [])
    swapped = [
        attrs.evolve(equation, right=equation.right.replace("none", "(some (.dir 7))", 1))
        for equation in right.equations
        if equation.about in ("tree", "view", "overlayLookup")
    ]
    assert len(swapped) == 3
    (refused,) = decide(development, [attrs.evolve(right, equations=tuple(swapped))], limits=LIMITS)
    assert set(refused) == {Verdict.REJECTED}


@pytest.mark.parametrize("mutant", BY_LEAN, ids=lambda mutant: mutant.about)
def test_lean_finds_what_the_laws_do_not(development: Build, mutant: Mutant) -> None:
    """Of the generated questions, those that the mutant changes are asked; Lean refuses one of them."""
    makers = (about_operations, about_layers, about_merges, about_commands)
    seeds = [(place, seed) for seed in range(150) for place in range(len(makers))]
    right = [makers[place](str(seed), Random(seed)) for place, seed in seeds]
    with mutated(mutant):
        wrong = [makers[place](str(seed), Random(seed)) for place, seed in seeds]
    changed = [
        attrs.evolve(there, equations=different)
        for here, there in zip(right, wrong, strict=True)
        if (different := tuple(item for item in there.equations if item not in here.equations))
        and here.definitions == there.definitions
    ]
    assert changed
    found = decide(development, changed[:1], limits=LIMITS)
    assert {verdict for verdicts in found for verdict in verdicts} == {Verdict.REJECTED}
