"""What names stand for, renaming them, and what an editor tells of them."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import attrs
import pytest
from strategies import for_seeds
from support.directed_surface import DirectedSurface

from eclogue.core import trace
from eclogue.core.encoding import program_ref
from eclogue.lowering import ast
from eclogue.lowering.analysis import Analysis, RenameRefused, analyse, renaming, replaced
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.hover import KEYWORDS, definition_text, keyword_text
from eclogue.lowering.lower import lower_task
from eclogue.lowering.occurrences import Kind
from eclogue.lowering.parser import parse
from eclogue.lowering.tables import tables

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.ecl"))


def analysed(text: str) -> Analysis:
    found = analyse(SourceText("test.ecl", text))
    assert found.names is not None
    return found


def places(text: str, mark: str) -> list[int]:
    """Return the lines on which the name at the mark `^` (in the line below it) occurs."""
    lines = text.split("\n")
    row = next(number for number, line in enumerate(lines) if mark in line)
    column = lines[row].index(mark)
    del lines[row]
    found = analysed("\n".join(lines))
    assert found.names is not None
    occurrence = found.names.at(row, column + 1)
    assert occurrence is not None
    return [item.span.line for item in found.names.of(occurrence.definition)]


def every_name(tree: object) -> set[int]:
    """Return the places of all names that stand for something: keys of records are left out."""
    pending, found = [tree], set()
    while pending:
        node = pending.pop()
        match node:
            case ast.Name(text):
                if text not in {"_", "Unit", "Bool", "Int", "Text", "Any"}:
                    found.add((node.span.line, node.span.column))
            case tuple():
                pending.extend(node)
            case ast.FieldExpression(_, value) | ast.ProjectExpression(value):
                pending.append(value)
            case ast.FieldType(type=kind):
                pending.append(kind)
            case _ if attrs.has(type(node)):
                pending.extend(getattr(node, field.name) for field in attrs.fields(type(node)))
    return found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_name_of_the_examples_stands_for_something(path: Path) -> None:
    found = analysed(path.read_text(encoding="utf-8"))
    assert found.names is not None
    known = {(item.span.line, item.span.column) for item in found.names.items}
    assert every_name(found.tree) - known == set()
    for item in found.names.items:
        assert found.source.excerpt(item.span) == item.definition.name.text


def test_the_nearest_binding_is_meant() -> None:
    text = """
task main(x: Int): Int {
  let y = x;
  let x = x + y;
              ^
  let z = do { let x = 1; x };
  x + z
}"""
    assert places(text, "^") == [3, 4]
    assert places(text.replace("              ^", "      ^"), "^") == [4, 6]


def test_a_definition_that_is_hidden_and_back() -> None:
    text = "task main(): Int {\n  let x = 1;\n  for i in [1] { let x = i; x };\n  x\n}"
    found = analysed(text)
    assert found.names is not None
    outer = found.names.at(2, 7)
    assert outer is not None
    assert [(item.span.line, item.span.column) for item in found.names.of(outer.definition)] == [
        (2, 7),
        (4, 3),
    ]


def test_operations_of_two_effects_with_one_name_are_two() -> None:
    text = (
        "effect a { reversible ctl get(): Int }\neffect b { reversible ctl get(): Int }\n"
        "task main(): Int { let x = perform a.get(); perform b.get() }"
    )
    found = analysed(text)
    assert found.names is not None
    second = found.names.at(2, 27)
    assert second is not None
    assert [item.span.line for item in found.names.of(second.definition)] == [2, 3]


def test_nothing_is_known_between_names_and_where_a_name_is_defined_nowhere() -> None:
    found = analysed("task main(): Int { nowhere }")
    assert found.names is not None
    assert found.names.at(1, 21) is None
    assert found.names.at(1, 17) is None
    assert [item.code for item in found.diagnostics] == ["EC1001"]


def test_a_text_with_syntax_errors_is_known_to_have_them() -> None:
    found = analyse(SourceText("test.ecl", "task main( {"))
    assert found.names is None
    assert found.diagnostics


def test_a_shorthand_keeps_its_key() -> None:
    text = "task main(): {k: Int} {\n  let k = 1;\n  {k}\n}"
    found = analysed(text)
    assert found.names is not None
    occurrence = found.names.at(2, 7)
    assert occurrence is not None
    changed = replaced(found.source, renaming(found, occurrence, "number"))
    assert changed == "task main(): {k: Int} {\n  let number = 1;\n  {k: number}\n}"


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("y", "stand for something else"),
        ("z", "stand for something else"),
        ("let", "cannot be a name"),
        ("1x", "cannot be a name"),
        ("a b", "cannot be a name"),
        ("", "cannot be a name"),
        ("_", "stand for something else"),
    ],
)
def test_a_renaming_that_would_change_the_meaning_is_refused(new: str, reason: str) -> None:
    found = analysed("task main(y: Int): Int { let x = y; let z = x + y; x + z }")
    assert found.names is not None
    occurrence = found.names.at(1, 30)
    assert occurrence is not None
    with pytest.raises(RenameRefused, match=reason):
        renaming(found, occurrence, new)


def test_a_name_that_is_taken_by_another_declaration_is_refused() -> None:
    found = analysed("def f() { 1 }\ndef g() { 2 }\ntask main(): Int { f() }")
    assert found.names is not None
    occurrence = found.names.at(1, 5)
    assert occurrence is not None
    with pytest.raises(RenameRefused):
        renaming(found, occurrence, "g")


def test_renaming_variables_changes_no_core_program() -> None:
    """A program's ref is over its nameless term, so that it tells whether a renaming kept the meaning."""
    renamed = 0

    def check(seed: int) -> None:
        nonlocal renamed
        text = DirectedSurface(Random(seed)).text(30)
        found = analysed(text)
        assert found.names is not None
        own = [each for each in found.names.definitions() if each.kind is Kind.VARIABLE]
        inside = [each for each in own if not _of_operation(each.name, found)]
        if not inside:
            return
        definition = Random(seed).choice(inside)
        occurrence = next(item for item in found.names.items if item.definition is definition)
        changed = replaced(found.source, renaming(found, occurrence, "fresh"))
        both = (found.source, SourceText("renamed.ecl", changed))
        before, after = (lower_task(parse(each), each, "main") for each in both)
        assert program_ref(before) == program_ref(after), text
        renamed += 1

    for_seeds(150, check)
    assert renamed


def _of_operation(name: ast.Name, found: Analysis) -> bool:
    """Whether a name is a parameter of an operation: those are keys of payloads."""
    assert found.tree is not None
    return any(
        parameter.name is name
        for declaration in found.tree.declarations
        if isinstance(declaration, ast.EffectDeclaration)
        for operation in declaration.operations
        for parameter in operation.parameters
    )


# ------------------------------------------------------------------------------------------------
# What is told


def test_every_keyword_explained_is_one_and_its_rules_and_records_exist() -> None:
    specification = (ROOT / "core" / "SPEC.md").read_text(encoding="utf-8")
    for word, entry in KEYWORDS.items():
        assert word in tables("file").keywords
        for rule in entry.rules:
            assert re.search(rf"\b{re.escape(rule)}\b", specification), rule
        for record in entry.records:
            assert hasattr(trace, record)
        told = keyword_text(word)
        assert told is not None
        assert entry.meaning in told
    assert keyword_text("nothing") is None


@pytest.mark.parametrize(
    ("line", "column", "told"),
    [
        (1, 8, "effect model { call }"),
        (1, 33, "effect model: irreversible ctl call(prompt: Text): Text"),
        (2, 6, "type Report = {text: Text}"),
        (3, 5, "def ask(question: Text): Report"),
        (4, 7, "let reply: Text"),
        (7, 9, "handler quiet()"),
        (8, 18, "prompt: a parameter of the clause for model.call"),
        (9, 10, "value: the value of the handled block"),
        (11, 6, "task main(): Report / {model}"),
        (3, 9, "question: Text"),
    ],
)
def test_what_a_name_tells(line: int, column: int, told: str) -> None:
    text = (
        "effect model { irreversible ctl call(prompt: Text): Text }\n"
        "type Report = {text: Text}\n"
        "def ask(question: Text): Report {\n"
        "  let reply: Text = perform model.call(question); # twice\n"
        "  return {text: reply}\n"
        "}\n"
        "handler quiet() {\n"
        "  ctl model.call(prompt) { resume(prompt) }\n"
        "  return(value) { value }\n"
        "}\n"
        'task main(): Report / {model} { handle { ask("a") } with quiet(): Report }\n'
    )
    found = analysed(text)
    assert found.names is not None
    occurrence = found.names.at(line, column)
    assert occurrence is not None
    assert definition_text(occurrence.definition, found.source).startswith(f"```eclogue\n{told}\n```")
