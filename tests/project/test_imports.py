"""Imports point one way: core, lowering, validator, then lean, runtime and cli; the core stays light."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("core", "lowering", "validator", "lean", "runtime", "cli")
MAY_IMPORT = {
    "core": {"core"},
    "lowering": {"core", "lowering"},
    "validator": {"core", "lowering", "validator"},
    "lean": {"core", "lowering", "validator", "lean"},
    "runtime": {"core", "lowering", "validator", "runtime"},
    "cli": set(LAYERS),
}
THIRD_PARTY = {
    "core": {"attrs"},
    "lowering": {"attrs", "lark", "pygments", "rich"},
    "validator": {"attrs", "cryptography"},
    "lean": {"attrs"},
    "runtime": {"attrs", "merge3"},
}


def modules(layer: str) -> list[Path]:
    return sorted((ROOT / layer).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def test_there_are_modules_to_look_at() -> None:
    assert all(modules(layer) for layer in LAYERS)


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_one_way(layer: str) -> None:
    for path in modules(layer):
        for name in imported(path):
            if name.startswith("eclogue"):
                assert name.split(".")[1] in MAY_IMPORT[layer], f"{path.relative_to(ROOT)} imports {name}"


@pytest.mark.parametrize("layer", sorted(THIRD_PARTY))
def test_only_the_listed_libraries_are_used(layer: str) -> None:
    for path in modules(layer):
        for name in imported(path):
            top = name.split(".")[0]
            known = top in sys.stdlib_module_names or top == "eclogue" or top in THIRD_PARTY[layer]
            assert known, f"{path.relative_to(ROOT)} imports {name}"


def test_nothing_is_imported_by_its_folder_name() -> None:
    for layer in LAYERS:
        for path in modules(layer):
            tops = {name.split(".")[0] for name in imported(path)}
            assert not tops & set(LAYERS), f"{path.relative_to(ROOT)} imports a bare folder"
