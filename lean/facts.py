"""What Lean says about the compiled package: every declaration's axioms, every statement and definition.

Declarations are those that Lean's own index of a module lists. Terms are printed raw, with every implicit
argument, full names and no notation, so that two terms that differ are printed differently.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

import attrs

from eclogue.lean.build import Build, run_problems
from eclogue.lean.cache import Cache
from eclogue.lean.problems import Problem, Verdict

_FORMAT = "eclogue-lean-facts/1"
_FILE = "facts.json"
_PROBE = "Probe"


@attrs.frozen(kw_only=True)
class Facts:
    """What Lean answered, by full names.

    `modules`: where a declaration stands; `axioms`: what it rests on; `printed`: what a definition is;
    `types`: the type of a theorem that links a claim to its proof; `proofs`: the modules that it cites.
    """

    modules: Mapping[str, str]
    axioms: Mapping[str, tuple[str, ...]]
    printed: Mapping[str, str]
    types: Mapping[str, str]
    proofs: Mapping[str, tuple[str, ...]]


def collect_facts(build: Build, cache: Cache, *, fresh: bool = False) -> Facts | list[Problem]:
    """Ask Lean, or take its answers about the same sources from the cache; or return what went wrong."""
    key = sha256(json.dumps([_FORMAT, build.key]).encode()).hexdigest()
    if not fresh:
        entry = cache.load(key)
        if entry is not None:
            return _from_json(json.loads(entry.files[_FILE].read_bytes()))
    try:
        facts = _ask_all(build)
    except _Unanswered as refusal:
        return refusal.problems
    path = build.workspace / _FILE
    path.write_text(json.dumps(attrs.asdict(facts)), encoding="utf-8")
    cache.store(key, {_FILE: path}, {})
    return facts


def _from_json(data: Mapping[str, Mapping[str, str | list[str]]]) -> Facts:
    def texts(field: str) -> dict[str, str]:
        return {name: str(text) for name, text in data[field].items()}

    def lists(field: str) -> dict[str, tuple[str, ...]]:
        return {name: tuple(items) for name, items in data[field].items()}

    return Facts(
        modules=texts("modules"),
        axioms=lists("axioms"),
        printed=texts("printed"),
        types=texts("types"),
        proofs=lists("proofs"),
    )


class _Unanswered(Exception):
    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(problems)
        self.problems = problems


def _ask_all(build: Build) -> Facts:
    layout = build.package.layout
    reachable = build.package.closure(layout.library)
    modules = {name: module for module in reachable for name in _declared(build, module)}
    proof = f"{layout.library}.Proof"
    linked = [name for name, module in modules.items() if module == proof]
    stating = build.package.closure(layout.properties) - {layout.foundation}
    own = {name for name, module in modules.items() if module != layout.foundation}
    return Facts(
        modules=modules,
        axioms=_axioms(build, sorted(modules)),
        printed=_printed(build, sorted(name for name in own if modules[name] in stating), own),
        types=_types(build, linked),
        proofs=_cited_modules(build, proof) if proof in build.modules else {},
    )


# ------------------------------------------------------------------------------------------------
# Lean's index of a module


@attrs.frozen
class _Entry:
    """A constant in a module's index: its home, whether this module declares it, and who cites it."""

    home: str
    name: str
    declared: bool
    cited_by: tuple[str, ...]


def _index(build: Build, module: str) -> list[_Entry]:
    try:
        data = json.loads(build.modules[module].index.read_bytes())
        return [
            _Entry(
                home=str(about["c"]["m"]),
                name=str(about["c"]["n"]),
                declared=bool(entry["definition"]) and about["c"]["m"] == module,
                cited_by=tuple(str(usage[4]) for usage in entry["usages"] if len(usage) > 4),
            )
            for key, entry in data["references"].items()
            if "c" in (about := json.loads(key))
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        text = f"Lean's index of the module is not understood: {error!r}"
        raise _Unanswered([Problem("lean.unparsable", module, text, Verdict.UNKNOWN)]) from error


def _declared(build: Build, module: str) -> list[str]:
    """Return the constants that a module declares; examples have no name that one could ask for."""
    names = (entry.name for entry in _index(build, module) if entry.declared)
    return [name for name in names if name.rpartition(".")[2] != "_example"]


def _cited_modules(build: Build, module: str) -> dict[str, tuple[str, ...]]:
    """Return for each declaration of a module the modules whose constants it mentions."""
    cited: dict[str, set[str]] = {}
    for entry in _index(build, module):
        for name in entry.cited_by:
            cited.setdefault(name, set()).add(entry.home)
    return {name: tuple(sorted(modules)) for name, modules in cited.items()}


# ------------------------------------------------------------------------------------------------
# Questions


def _ask(build: Build, commands: Sequence[str]) -> list[str]:
    """Return what Lean answers to each command, one line of a probe each."""
    header = f"prelude\nimport {build.package.layout.library}\nset_option pp.raw true\n"
    probe = build.workspace / f"{_PROBE}.lean"
    probe.write_text(header + "".join(f"{command}\n" for command in commands), encoding="utf-8")
    run = build.lean.run([str(probe)], search_path=build.search_path, directory=build.workspace)
    problems = run_problems(_PROBE, run)
    if problems:
        raise _Unanswered(problems)
    first = header.count("\n") + 1
    answers = {message.line - first: message.text for message in run.messages}
    silent = [command for number, command in enumerate(commands) if not answers.get(number)]
    if silent:
        text = f"Lean said nothing to `{silent[0]}` (and {len(silent) - 1} more)"
        raise _Unanswered([Problem("lean.silent", _PROBE, text, Verdict.UNKNOWN)])
    return [answers[number] for number in range(len(commands))]


_AXIOM_FREE = re.compile(r"'(.*)' does not depend on any axioms")
_AXIOMS = re.compile(r"'(.*)' depends on axioms: \[(.*)\]", re.DOTALL)


def _axioms(build: Build, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    reports = _ask(build, [f"#print axioms {name}" for name in names])
    found: dict[str, tuple[str, ...]] = {}
    for name, report in zip(names, reports, strict=True):
        axioms = parse_axioms(name, report)
        if axioms is None:
            text = f"Lean's report of axioms is not understood: {report[:120]}"
            raise _Unanswered([Problem("lean.unparsable", name, text, Verdict.UNKNOWN)])
        found[name] = axioms
    return found


def parse_axioms(name: str, report: str) -> tuple[str, ...] | None:
    """Return the axioms in a report about this name, or None if it is not such a report."""
    free, some = _AXIOM_FREE.fullmatch(report), _AXIOMS.fullmatch(report)
    if free is not None and free[1] == name:
        return ()
    if some is not None and some[1] == name:
        return tuple(word.strip() for word in some[2].split(","))
    return None


def _types(build: Build, names: Sequence[str]) -> dict[str, str]:
    answers = _ask(build, [f"#check {name}" for name in names])
    found = {}
    for name, answer in zip(names, answers, strict=True):
        head, colon, text = answer.partition(" : ")
        if head != name or not colon:
            problem = Problem("lean.unparsable", name, f"not a type: {answer[:120]}", Verdict.UNKNOWN)
            raise _Unanswered([problem])
        found[name] = stable(text)
    return found


def _printed(build: Build, names: Sequence[str], own: set[str]) -> dict[str, str]:
    """Return what the names are, and all names of our own that this mentions, however they came to be."""
    printed: dict[str, str] = {}
    wanted = list(names)
    while wanted:
        answers = _ask(build, [f"#print {name}" for name in wanted])
        printed.update((name, stable(text)) for name, text in zip(wanted, answers, strict=True))
        mentioned = {name for text in answers for name in mentions(text, own)}
        wanted = sorted(mentioned - printed.keys())
    return printed


_HYGIENE = re.compile(r"\._@\.[\w.]+?\._hyg\.\d+")


def stable(text: str) -> str:
    """Return printed text with the numbers that Lean gives to nameless variables counted from the start."""
    seen: dict[str, int] = {}
    return _HYGIENE.sub(lambda match: f"✝{seen.setdefault(match.group(), len(seen))}", text)


_WORDS = re.compile(r"[^\s(){}\[\],:]+")
_PROJECTIONS = re.compile(r"(?:\.\d+)+$")


def mentions(text: str, own: set[str]) -> set[str]:
    """Return the constants in printed text that are among `own`, or that Lean made from one of them."""
    found = set()
    for word in set(_WORDS.findall(text)):
        name = _PROJECTIONS.sub("", word.rstrip("."))
        if any(prefix in own for prefix in _prefixes(name)):
            found.add(name)
    return found


def _prefixes(name: str) -> Iterable[str]:
    while name:
        yield name
        name = name.rpartition(".")[0]
