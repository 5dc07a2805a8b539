"""The model of files with one thing wrong in it, to see that the tests find it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import attrs

from eclogue.runtime.files import files, layers, scopes


@attrs.frozen
class Mutant:
    """A place in a module of the model, and what stands there instead."""

    about: str
    module: ModuleType
    old: str
    new: str


BY_LAWS = (
    Mutant(
        "only the directory itself hides",
        files,
        "any(hider(layer.get(above)) for above in ancestors(path))",
        "hider(layer.get(path[:-1]))",
    ),
    Mutant(
        "copying up forgets that a directory is opaque",
        files,
        "return {**above, **layer}",
        "return {**layer, **above}",
    ),
    Mutant(
        "a new mode makes an opaque directory merge",
        files,
        "Solid(Directory(mode)) if hider(layer.get(path)) else Merged(mode)",
        "Merged(mode)",
    ),
    Mutant(
        "a moved directory merges with what is below",
        files,
        "target + path[len(source) :]: Solid(node)",
        "target + path[len(source) :]: (Merged(node.mode) if isinstance(node, Directory) else Solid(node))",
    ),
    Mutant(
        "a moved subtree leaves no whiteout",
        files,
        "{**kept, source: Gone(), **moved}",
        "{**kept, **moved}",
    ),
    Mutant(
        "squashing keeps a directory over a whiteout merged",
        layers,
        "isinstance(entry, Merged) and hider(low.get(path))",
        "False",
    ),
    Mutant(
        "squashing brings back what the upper layer hides",
        layers,
        "elif not hides(layer, path):",
        "else:",
    ),
    Mutant(
        "orphans are no conflicts",
        layers,
        "or _orphan(merged, path)",
        "",
    ),
    Mutant(
        "a lifted directory hides what is below",
        layers,
        "Merged(node.mode) if isinstance(node, Directory) and is_directory(low) else Solid(node)",
        "Solid(node)",
    ),
    Mutant(
        "directories above are not copied up",
        layers,
        "layer = copy_up(layer, seen, path)",
        "pass",
    ),
    Mutant(
        "the walk goes on below an opaque directory",
        layers,
        "            if isinstance(entry, Solid):\n                break",
        "",
    ),
    Mutant(
        "a child's fork point is its parent's",
        scopes,
        "ModelScope(fresh, scope.layers, number)",
        "ModelScope(fresh, scope.base, number)",
    ),
    Mutant(
        "a merge lays one layer over another",
        scopes,
        "top = tidy(view(low), merge3(base, ours, theirs))",
        "top = {**scope.layers[0], **other.layers[0]}",
    ),
)
"""Found by the laws, without Lean and without a file system."""

BY_LEAN = (
    Mutant(
        "a merge keeps the parent's change",
        layers,
        "parent.get(path) if child.get(path) == base.get(path) else child.get(path)",
        "child.get(path) if parent.get(path) == base.get(path) else parent.get(path)",
    ),
    Mutant(
        "equal changes are conflicts",
        layers,
        "child not in (base, parent) and parent != base",
        "child != base and parent != base",
    ),
    Mutant(
        "whiteouts under a hider stay",
        layers,
        "(hides(layer, path) or path not in low)",
        "(path not in low)",
    ),
    Mutant(
        "a directory is renamed into itself without an error",
        files,
        'return "EINVAL"',
        "return Skip()",
    ),
    Mutant(
        "the target's way is not looked at",
        files,
        "error = walk(tree, target)",
        "pass",
    ),
    Mutant(
        "a file that is written anew gets a new mode",
        files,
        "mode if node is None else node.mode",
        "mode",
    ),
    Mutant(
        "a directory of the top layer alone crosses",
        files,
        "not hides(layer, source) and not hider(layer.get(source))",
        "not hides(layer, source)",
    ),
    Mutant(
        "anybody's child may be merged",
        scopes,
        "other is None or other.parent != number",
        "other is None",
    ),
)
"""Kept by the laws, which speak of two models that are wrong alike: found by Lean's definitions."""


@contextmanager
def mutated(mutant: Mutant) -> Iterator[None]:
    """Have the functions of the model be the mutant's, also where they were imported."""
    path = Path(str(mutant.module.__file__))
    text = path.read_text(encoding="utf-8")
    assert mutant.old in text, "the mutant is stale: its old text does not stand there"
    wrong = compile(text.replace(mutant.old, mutant.new), str(path), "exec", dont_inherit=True)
    codes = {code.co_name: code for code in wrong.co_consts if isinstance(code, CodeType)}
    functions = {
        name: item
        for name, item in vars(mutant.module).items()
        if isinstance(item, FunctionType) and item.__module__ == mutant.module.__name__ and name in codes
    }
    right = {name: function.__code__ for name, function in functions.items()}
    try:
        for name, function in functions.items():
            function.__code__ = codes[name]
        yield
    finally:
        for name, function in functions.items():
            function.__code__ = right[name]
