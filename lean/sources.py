"""The Lean package as a graph of modules, read once: what is compiled is what was read and digested."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import attrs

from eclogue.lean.lexer import LeanSyntaxError, Token, tokens
from eclogue.lean.problems import Problem

HERE = Path(__file__).resolve().parent
LIBRARY = "Eclogue"


@attrs.frozen(kw_only=True)
class Layout:
    """Where a package is and how its modules are named; `root` is the folder with the Lake files."""

    root: Path = HERE
    library: str = LIBRARY

    @property
    def foundation(self) -> str:
        """The one module that may define what the kernel knows by name."""
        return f"{self.library}.Foundation"

    @property
    def properties(self) -> str:
        """The module that states every claim."""
        return f"{self.library}.Properties"

    def is_proof(self, module: str) -> bool:
        """Return whether a module proves things, so that no statement may depend on it."""
        return module == f"{self.library}.Proof" or module.startswith(f"{self.library}.Proofs.")


@attrs.frozen(kw_only=True, eq=False)
class Module:
    """One source file; `digest` is of its bytes."""

    name: str
    path: Path
    text: str
    tokens: tuple[Token, ...]
    imports: tuple[str, ...]
    digest: str


@attrs.frozen(kw_only=True, eq=False)
class Package:
    """The modules of a package, each after its imports."""

    layout: Layout
    modules: Mapping[str, Module]

    def closure(self, name: str) -> set[str]:
        """Return a module and all that it imports, directly or not."""
        found: set[str] = set()
        pending = [name]
        while pending:
            current = pending.pop()
            if current not in found and current in self.modules:
                found.add(current)
                pending.extend(self.modules[current].imports)
        return found

    @property
    def digest(self) -> str:
        """A digest of all sources and their names."""
        lines = sorted(f"{module.name} {module.digest}\n" for module in self.modules.values())
        return f"sha256:{sha256(''.join(lines).encode()).hexdigest()}"

    @property
    def lines(self) -> int:
        """The number of lines of all sources."""
        return sum(module.text.count("\n") for module in self.modules.values())


def read_package(layout: Layout | None = None) -> tuple[Package, list[Problem]]:
    """Return the package, with what is wrong in its files, headers and imports.

    Modules with a problem of their own are there if they can be; those that cannot be ordered are not.
    """
    where = layout or Layout()
    problems: list[Problem] = []
    found: dict[str, Module] = {}
    for path in sorted(where.root.rglob("*.lean")):
        relative = path.relative_to(where.root)
        if relative.parts[0] != ".lake":
            name = ".".join(relative.with_suffix("").parts)
            module = read_module(name, path, problems)
            if module is not None:
                found[name] = module
    problems.extend(_missing_imports(found))
    ordered = {name: found[name] for name in _in_order(found, problems)}
    package = Package(layout=where, modules=ordered)
    problems.extend(_unreachable(package))
    problems.extend(_statements_from_proofs(package))
    return package, problems


_MODULE_NAME = re.compile(r"[A-Z]\w*(?:\.[A-Z]\w*)*")


def read_module(name: str, path: Path, problems: list[Problem]) -> Module | None:
    """Return the module in a file, or None if it is none; add to `problems` what is wrong with it."""
    try:
        data = path.read_bytes()
        text = data.decode()
        words = tuple(tokens(text))
        imports = _header(words)
    except (OSError, UnicodeDecodeError, LeanSyntaxError) as error:
        problems.append(Problem("module.header", name, str(error)))
        return None
    if not _MODULE_NAME.fullmatch(name):
        problems.append(Problem("module.header", name, "a module's name is made of capitalised words"))
    return Module(
        name=name,
        path=path,
        text=text,
        tokens=words,
        imports=imports,
        digest=f"sha256:{sha256(data).hexdigest()}",
    )


def _header(words: tuple[Token, ...]) -> tuple[str, ...]:
    """Return the imports of a file that begins with `prelude` and plain imports."""
    if not words or words[0].text != "prelude":
        raise LeanSyntaxError("the file does not begin with `prelude`")
    imports: list[str] = []
    position = 1
    while position < len(words) and words[position].text == "import":
        if position + 1 == len(words) or not words[position + 1].is_word:
            raise LeanSyntaxError(f"line {words[position].line}: this import names nothing")
        imports.append(words[position + 1].text)
        position += 2
    return tuple(imports)


def _missing_imports(found: Mapping[str, Module]) -> Iterator[Problem]:
    for module in found.values():
        for name in module.imports:
            if name not in found:
                yield Problem("module.import", module.name, f"imports {name}, which is not here")


def _in_order(found: Mapping[str, Module], problems: list[Problem]) -> list[str]:
    """Return the names, imports first; modules on or behind a cycle are left out with a problem."""
    waiting = {name: {used for used in module.imports if used in found} for name, module in found.items()}
    ordered: list[str] = []
    while waiting:
        ready = sorted(name for name, imports in waiting.items() if not imports)
        if not ready:
            problems.extend(
                Problem("module.cycle", name, "is on, or imports from, a cycle of imports")
                for name in waiting
            )
            break
        ordered.extend(ready)
        for name in ready:
            del waiting[name]
        for imports in waiting.values():
            imports.difference_update(ready)
    return ordered


def _unreachable(package: Package) -> Iterator[Problem]:
    root = package.layout.library
    if root not in package.modules:
        yield Problem("module.unreachable", root, "the package has no root module")
        return
    for name in sorted(package.modules.keys() - package.closure(root)):
        yield Problem("module.unreachable", name, f"is not imported from {root}, so nothing speaks for it")


def _statements_from_proofs(package: Package) -> Iterator[Problem]:
    layout = package.layout
    for name in sorted(package.closure(layout.properties)):
        if layout.is_proof(name):
            yield Problem("module.direction", name, f"is a proof that {layout.properties} depends on")
