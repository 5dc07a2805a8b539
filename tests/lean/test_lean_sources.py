"""Reading Lean sources: tokens, headers, and the constructs that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from eclogue.lean.banned import banned_constructs
from eclogue.lean.lexer import LeanSyntaxError, tokens
from eclogue.lean.sources import Layout, read_package


def words(text: str) -> list[str]:
    return [token.text for token in tokens(text) if token.is_word]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a -- b\nc", ["a", "c"]),
        ("a /- b /- c -/ d -/ e", ["a", "e"]),
        ("/-- a \" -/ b", ["b"]),
        ("a/-b-/c", ["a", "c"]),
        ('x "a -- b" y', ["x", "y"]),
        ('x "a \\" b" y', ["x", "y"]),
        ('x r"\\" y', ["x", "y"]),
        ('x r#"a " b"# y', ["x", "y"]),
        ("x '\"' y", ["x", "y"]),
        ("x '\\'' y", ["x", "y"]),
        ("x' y'' z", ["x'", "y''", "z"]),
        ("t₁ ρ.let.x «odd name».z", ["t₁", "ρ.let.x", "«odd name».z"]),
        ("λaxiom 1axiom 0x1faxiom", ["axiom", "1", "axiom", "0x1fa", "xiom"]),
        ("1e5axiom x.1axiom", ["1e5", "axiom", "x", "1", "axiom"]),
    ],
)  # fmt: skip
def test_words_are_found_where_lean_finds_them(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_lines_are_counted() -> None:
    assert [token.line for token in tokens('a\n/- \n\n -/ b\n"\n" c')] == [1, 4, 6]


@pytest.mark.parametrize("text", ["a /- b", '"a', 'r#"a"', "/- /- -/"])
def test_what_does_not_end_is_refused(text: str) -> None:
    with pytest.raises(LeanSyntaxError):
        list(tokens(text))


# ------------------------------------------------------------------------------------------------
# Refused constructs


def problems_of(folder: Path, body: str, name: str = "P.A") -> set[str]:
    path = folder.joinpath(*name.split(".")).with_suffix(".lean")
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"prelude\n{body}\n")
    layout = Layout(root=folder, library="P")
    package, _ = read_package(layout)
    return {problem.text for problem in banned_constructs(package.modules[name], layout)}


@pytest.mark.parametrize(
    "body",
    [
        "axiom a : False",
        "theorem a : False := sorry",
        "def a := sorryAx Nat",
        "def a := «sorryAx» Nat",
        "unsafe def a := 0",
        "partial def a := 0",
        "opaque a : Nat",
        "theorem a : False := by native_decide",
        "theorem a : False := by decide +native",
        "@[implemented_by b] def a := 0",
        "attribute [implemented_by b] a",
        "@[reducible, csimp] theorem a := b",
        "@[simp] theorem a := b",
        "@[extern \"a\"] def a := 0",
        "set_option debug.skipKernelTC true",
        "set_option warningAsError false",
        "set_option bootstrap.genMatcherCode false in def a := 0",
        "def a := Lean.reduceBool b",
        "theorem a := Lean.ofReduceBool b",
        "macro \"a\" : term => `(b)",
        "notation \"a\" => b",
        "run_cmd a",
        "#eval a",
        "private def a := 0",
        "def a := 0\nimport B",
        "init_quot",
    ],
)  # fmt: skip
def test_a_construct_is_refused(tmp_path: Path, body: str) -> None:
    assert problems_of(tmp_path, body)


@pytest.mark.parametrize(
    "body",
    [
        "/- axiom sorry -/ theorem a : True := True.intro -- unsafe",
        'def a := "axiom"',
        "def axioms := 0\n#print axioms axioms",
        "@[match_pattern, reducible] def a := 0\n@[default_instance 100] instance b : c := d",
        "set_option maxRecDepth 1000 in\ntheorem a := b",
        "def a := x.prefix",
    ],
)
def test_what_is_harmless_is_let_pass(tmp_path: Path, body: str) -> None:
    assert problems_of(tmp_path, body) == set()


def test_the_foundation_may_do_more_but_not_all(tmp_path: Path) -> None:
    body = 'set_option genCtorIdx false in\n@[extern "lean_nat_add"]\nprotected def Nat.add := 0\ninit_quot'
    assert problems_of(tmp_path, body, "P.Foundation") == set()
    assert problems_of(tmp_path, "unsafe axiom lcErased : Type", "P.Foundation")


# ------------------------------------------------------------------------------------------------
# Packages


def write(folder: Path, **modules: str) -> Layout:
    for name, text in modules.items():
        path = folder.joinpath(*name.split("_")).with_suffix(".lean")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Layout(root=folder, library="P")


def test_modules_come_after_their_imports(tmp_path: Path) -> None:
    layout = write(
        tmp_path, P="prelude\nimport P.A\nimport P.B\n", P_A="prelude\nimport P.B\n", P_B="prelude\n"
    )
    package, problems = read_package(layout)
    assert list(package.modules) == ["P.B", "P.A", "P"]
    assert package.modules["P.A"].imports == ("P.B",)
    assert problems == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("import P.B\n", "module.header"),
        ("module\nprelude\n", "module.header"),
        ("prelude\nimport\n", "module.header"),
        ("prelude /- \n", "module.header"),
        ("prelude\nimport P.C\n", "module.import"),
        ("prelude\nimport P\n", "module.cycle"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, code: str) -> None:
    layout = write(tmp_path, P="prelude\nimport P.A\n", P_A=text, P_B="prelude\n")
    _, problems = read_package(layout)
    assert code in {problem.code for problem in problems}
    assert "module.unreachable" in {problem.code for problem in problems}


def test_a_file_outside_the_library_is_found_too(tmp_path: Path) -> None:
    _, problems = read_package(write(tmp_path, P="prelude\n", Other="prelude\n"))
    assert [(problem.code, problem.where) for problem in problems] == [("module.unreachable", "Other")]
