"""What the Python model of files found, as questions to Lean about the definitions whose twin it is.

Trees and layers are written down as they are, by stamps on the empty map, so that each question is about
one step: what Lean makes of a state, and not what it makes of its own earlier results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import TypeVar

import attrs

from eclogue.lean.kernel import Equation, Question
from eclogue.runtime.files.files import (
    ChangeMode,
    Directory,
    Entry,
    File,
    FileTree,
    Gone,
    Layer,
    Link,
    MakeDirectory,
    MakeLink,
    Merged,
    Move,
    Node,
    Operation,
    Path,
    Plan,
    Relabel,
    RemoveDirectory,
    RemoveTree,
    Rename,
    Skip,
    Solid,
    Stamp,
    Unlink,
    Write,
    crosses,
    decide,
    run_stack,
    run_tree,
    view,
)
from eclogue.runtime.files.layers import (
    conflicts,
    lift,
    merge3,
    overlay_lookup,
    squash,
    tidy,
    trim,
)
from eclogue.runtime.files.scopes import Command, Discard, Fork, MergeChild, ModelScope, ModelWorld, Operate

NAMES = ("a", "b", "c")
T = TypeVar("T")

# ------------------------------------------------------------------------------------------------
# Terms


def path_term(path: Path) -> str:
    """Return a path; names are numbers in Lean."""
    term = "Files.Path.root"
    for name in path:
        term = f"(Files.Path.sub {term} {NAMES.index(name)})"
    return term


def node_term(node: Node) -> str:
    """Return a node; contents and targets are numbers in Lean."""
    match node:
        case File(content, mode):
            return f"(Files.Node.file {int(str(content))} {mode})"
        case Link(target):
            return f"(Files.Node.link {int(target.rpartition('/')[2])})"
        case Directory(mode):
            return f"(Files.Node.dir {mode})"
    raise TypeError(node)


def entry_term(entry: Entry) -> str:
    """Return a layer's entry."""
    match entry:
        case Gone():
            return "Files.Entry.gone"
        case Solid(node):
            return f"(Files.Entry.solid {node_term(node)})"
        case Merged(mode):
            return f"(Files.Entry.merged {mode})"
    raise TypeError(entry)


def option_term(item: T | None, term: Callable[[T], str]) -> str:
    """Return what there may be."""
    return "none" if item is None else f"(some {term(item)})"


def list_term(items: Iterable[str]) -> str:
    """Return a list of terms."""
    found = list(items)
    return "".join(f"(.cons {item} " for item in found) + ".nil" + ")" * len(found)


def tree_term(tree: FileTree) -> str:
    """Return a tree: its nodes stamped on nothing, directories before what is in them."""
    term = "Files.PathMap.empty"
    for path in sorted(tree, key=len):
        term = f"(Files.FileTree.stamp {path_term(path)} (some {node_term(tree[path])}) {term})"
    return term


def layer_term(layer: Layer) -> str:
    """Return a layer, likewise; over an empty view nothing is copied up."""
    term = "Files.PathMap.empty"
    for path in sorted(layer, key=len):
        entry, where = layer[path], path_term(path)
        if isinstance(entry, Merged):
            term = f"(Files.Layer.relabel {where} {entry.mode} Files.PathMap.empty {term})"
        else:
            node = option_term(entry.node if isinstance(entry, Solid) else None, node_term)
            term = f"(Files.Layer.stamp {where} {node} Files.PathMap.empty {term})"
    return term


def operation_term(operation: Operation) -> str:
    """Return an operation."""
    path = path_term(operation.path)
    match operation:
        case Write(_, content, mode):
            return f"(Files.Operation.write {path} {int(str(content))} {mode})"
        case MakeDirectory(_, mode):
            return f"(Files.Operation.mkdir {path} {mode})"
        case MakeLink(_, target):
            return f"(Files.Operation.symlink {path} {int(target.rpartition('/')[2])})"
        case Unlink():
            return f"(Files.Operation.unlink {path})"
        case RemoveDirectory():
            return f"(Files.Operation.rmdir {path})"
        case RemoveTree():
            return f"(Files.Operation.rmtree {path})"
        case ChangeMode(_, mode):
            return f"(Files.Operation.chmod {path} {mode})"
        case Rename(_, target):
            return f"(Files.Operation.rename {path} {path_term(target)})"
    raise TypeError(operation)


def plan_term(plan: Plan) -> str:
    """Return a plan."""
    match plan:
        case str(error):
            return f"(Files.Plan.fail .{error.lower()})"
        case Stamp(path, node):
            return f"(Files.Plan.act (.stamp {path_term(path)} {option_term(node, node_term)}))"
        case Relabel(path, mode):
            return f"(Files.Plan.act (.relabel {path_term(path)} {mode}))"
        case Move(source, target):
            return f"(Files.Plan.act (.move {path_term(source)} {path_term(target)}))"
        case Skip():
            return "(Files.Plan.act .skip)"
    raise TypeError(plan)


def truth(value: bool) -> str:
    """Return a truth value."""
    return "true" if value else "false"


# ------------------------------------------------------------------------------------------------
# Questions


@attrs.define
class Asking:
    """Collects definitions and equations about maps, which are compared at all paths that matter."""

    name: str
    maps: Sequence[Mapping[Path, object]]
    definitions: list[tuple[str, str, str]] = attrs.field(factory=list)
    equations: list[Equation] = attrs.field(factory=list)
    paths: list[Path] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        near = {path for length in range(3) for path in product(NAMES, repeat=length)}
        self.paths = sorted(near.union(*self.maps))
        self.define("paths", "List Files.Path", list_term(map(path_term, self.paths)))

    def define(self, what: str, kind: str, term: str) -> str:
        """Define something for this question, and return its name."""
        self.definitions.append((f"{what}_{self.name}", kind, term))
        return f"{what}_{self.name}"

    def equal(self, about: str, left: str, right: str) -> None:
        """Ask whether two terms are equal."""
        self.equations.append(Equation(about, left, right))

    def tree(self, about: str, term: str, found: FileTree) -> None:
        """Ask whether a tree of Lean's is the one that was found."""
        nodes = list_term(option_term(found.get(path), node_term) for path in self.paths)
        self.equal(about, f"map {term}.get paths_{self.name}", nodes)

    def layer(self, about: str, term: str, found: Layer) -> None:
        """Ask whether a layer of Lean's is the one that was found."""
        entries = list_term(option_term(found.get(path), entry_term) for path in self.paths)
        self.equal(about, f"map {term}.get paths_{self.name}", entries)

    def question(self) -> Question:
        """Return what was collected."""
        return Question(tuple(self.definitions), tuple(self.equations))


def operations_question(name: str, layers: Sequence[Layer], operations: Sequence[Operation]) -> Question:
    """Ask about a stack: its view, the overlay's walk, and what each operation would do to it."""
    tree = view(layers)
    after = [run_stack(layers, operation) for operation in operations]
    asking = Asking(name, [*layers, tree, *(stack[0] for stack, _ in after)])
    stacked = [
        asking.define(f"layer{place}", "Files.Layer", layer_term(item)) for place, item in enumerate(layers)
    ]
    low = list_term(stacked[1:])
    stack = asking.define("stack", "Files.Stack", f"Files.Stack.mk {stacked[0]} {low}")
    flat = asking.define("tree", "Files.FileTree", tree_term(tree))
    for term, item in zip(stacked, layers, strict=True):
        asking.layer("layer", term, item)
    asking.tree("tree", flat, tree)
    asking.tree("view", f"(Files.Stack.view {stack})", tree)
    looked = list_term(option_term(overlay_lookup(layers, path), node_term) for path in asking.paths)
    walk = f"map (Files.overlayLookup (Files.Stack.freeze {stack})) paths_{name}"
    asking.equal("overlayLookup", walk, looked)
    for operation, (new, error) in zip(operations, after, strict=True):
        term = operation_term(operation)
        answer = "none" if error is None else f"(some .{error.lower()})"
        asking.equal(
            f"decide {operation}", f"Files.decide {flat} {term}", plan_term(decide(tree, operation))
        )
        asking.equal(f"answer {operation}", f"(Files.Stack.run {stack} {term}).2", answer)
        asking.layer(f"Stack.run {operation}", f"(Files.Stack.run {stack} {term}).1.top", new[0])
        asking.tree(
            f"FileTree.run {operation}",
            f"(Files.FileTree.run {flat} {term}).1",
            run_tree(tree, operation)[0],
        )
        if isinstance(operation, Rename):
            crossing = truth(crosses(layers[0], view(layers[1:]), operation.path))
            asking.equal("crosses", f"Files.crosses {stack} {path_term(operation.path)}", crossing)
    return asking.question()


def layers_question(name: str, upper: Layer, lower: Layer, low: FileTree, wanted: FileTree) -> Question:
    """Ask about the layers that are made of layers and of trees."""
    squashed, tidied = squash(upper, lower), tidy(low, wanted)
    asking = Asking(name, [upper, lower, low, wanted])
    terms = (
        asking.define("upper", "Files.Layer", layer_term(upper)),
        asking.define("lower", "Files.Layer", layer_term(lower)),
    )
    below = asking.define("low", "Files.FileTree", tree_term(low))
    goal = asking.define("wanted", "Files.FileTree", tree_term(wanted))
    asking.layer("squash", f"(Files.squash {terms[0]} {terms[1]})", squashed)
    asking.layer("trim", f"(Files.trim {below} {terms[0]})", trim(low, upper))
    asking.layer("lift", f"(Files.lift {below} {goal})", lift(low, wanted))
    asking.layer("tidy", f"(Files.tidy {below} {goal})", tidied)
    return asking.question()


def merge_question(name: str, base: FileTree, parent: FileTree, child: FileTree) -> Question:
    """Ask about a merge of trees: the conflicts, and what comes of it (also where there are some)."""
    asking = Asking(name, [base, parent, child])
    trees = " ".join(
        asking.define(what, "Files.FileTree", tree_term(tree))
        for what, tree in (("base", base), ("parent", parent), ("child", child))
    )
    against = conflicts(base, parent, child)
    asking.tree("merge3", f"(Files.merge3 {trees})", merge3(base, parent, child))
    asking.equal("conflicted", f"Files.conflicted {trees}", truth(bool(against)))
    told = list_term(truth(path in against) for path in asking.paths)
    asking.equal("conflict", f"map (Files.conflict {trees}) paths_{name}", told)
    return asking.question()


def scope_term(scope: ModelScope) -> str:
    """Return a scope of a world."""
    top, *low = (layer_term(layer) for layer in scope.layers)
    base = list_term(layer_term(layer) for layer in scope.base)
    parent = option_term(scope.parent, str)
    return f"(Files.Scope.mk (Files.Stack.mk {top} {list_term(low)}) {base} {parent})"


def command_term(command: Command) -> str:
    """Return a command."""
    match command:
        case Operate(number, operation):
            return f"(.op {number} {operation_term(operation)})"
        case Fork(number, child):
            return f"(.fork {number} {child})"
        case Discard(number):
            return f"(.discard {number})"
        case MergeChild(number, child):
            return f"(.merge {number} {child})"
    raise TypeError(command)


def world_question(
    name: str, world: ModelWorld, command: Command, answer: str, after: ModelWorld
) -> Question:
    """Ask about one command in a world: the answer, which scopes there are, and what they show."""
    asking = Asking(name, [view(scope.layers) for scope in (*world.values(), *after.values())])
    term = "(fun _ => none)"
    for number, scope in world.items():
        term = f"(Files.set {number} (some {scope_term(scope)}) {term})"
    start = asking.define("world", "Files.World", term)
    step = f"(Files.commandStep {start} {command_term(command)})"
    said = f".{answer}" if answer in ("done", "conflict", "refused") else f"(.error .{answer.lower()})"
    asking.equal(f"answer {command}", f"{step}.2", said)
    for number in range(max({0, *world, *after}) + 1):
        scope = after.get(number)
        shown = [None if scope is None else view(scope.layers).get(path) for path in asking.paths]
        nodes = ["none" if scope is None else f"(some {option_term(node, node_term)})" for node in shown]
        looked = f"Files.look path ({step}.1 {number})"
        asking.equal(f"look {command}", f"map (fun path => {looked}) paths_{name}", list_term(nodes))
    return asking.question()
