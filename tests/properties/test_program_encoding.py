"""Programs as JSON and as text: they read back, and refs depend on nothing but the nameless term."""

from __future__ import annotations

from random import Random

import attrs
import pytest
from strategies import for_seeds
from support.failing import Case, hold
from support.near_misses import near_values
from support.random_programs import Flavour, directed_program, random_flavour, undirected_program
from support.terms import annotated, children

from eclogue.core.canonical import read, text_of, write
from eclogue.core.decoding import program_from_value
from eclogue.core.encoding import program_ref, program_text, program_to_value
from eclogue.core.errors import MalformedInput
from eclogue.core.syntax import Program, Span
from eclogue.core.values import RecordValue, Value
from eclogue.core.wellformed import schema_checked, well_formed
from eclogue.lowering.core_printer import print_core
from eclogue.lowering.core_reader import parse_core
from eclogue.lowering.diagnostics import SourceText


def generated(seed: int) -> Case:
    rng = Random(seed)
    program = undirected_program(rng) if seed % 2 else directed_program(rng)
    return Case(seed, annotated(program, rng))


def without_annotations(document: Value) -> Value:
    assert isinstance(document, RecordValue)
    return RecordValue({key: item for key, item in document.fields.items() if key != "annotations"})


def annotations(program: Program) -> list[tuple[Span | None, str | None]]:
    """Return the names and spans of all nodes, in some fixed order."""
    found, pending = [], [program.body]
    while pending:
        node = pending.pop()
        found.append((node.span, getattr(node, "name", None)))
        pending.extend(children(node))
    return found


def test_documents_read_back() -> None:
    for_seeds(250, lambda seed: hold(documents_read_back, generated(seed)))


def documents_read_back(case: Case) -> None:
    for with_annotations in (True, False):
        document = program_to_value(case.program, annotations=with_annotations)
        again = program_from_value(read(write(document)))
        assert write(program_to_value(again, annotations=with_annotations)) == write(document)
        assert program_text(again, annotations=with_annotations) == text_of(document)
        assert program_ref(again) == program_ref(case.program)
        if with_annotations:
            assert annotations(again) == annotations(case.program)
            assert (again.task, again.source) == (case.program.task, case.program.source)


def test_core_text_reads_back() -> None:
    for_seeds(500, lambda seed: hold(core_text_reads_back, generated(seed)))


def core_text_reads_back(case: Case) -> None:
    text = print_core(case.program)
    again = parse_core(SourceText("test.ecl", text))
    assert program_ref(again) == program_ref(case.program)
    assert print_core(again) == text


def test_refs_do_not_depend_on_names_and_spans() -> None:
    for_seeds(500, lambda seed: hold(refs_without_names, generated(seed)))


def refs_without_names(case: Case) -> None:
    other = annotated(case.program, Random(case.seed + 1))
    assert program_ref(other) == program_ref(case.program)
    bare = without_annotations(program_to_value(case.program))
    assert program_ref(program_from_value(bare)) == program_ref(case.program)


def test_refs_do_not_depend_on_key_order() -> None:
    """The keys of the document's objects, and so those of record literals, in any order."""
    for_seeds(300, lambda seed: hold(refs_without_key_order, generated(seed)))


def refs_without_key_order(case: Case) -> None:
    document = program_to_value(case.program)
    mixed = _shuffled(document, Random(case.seed))
    assert program_ref(program_from_value(read(mixed))) == program_ref(case.program)


def _shuffled(value: Value, rng: Random) -> str:
    """Return a value as JSON text with white space and its keys in a random order."""
    if isinstance(value, tuple):
        return "[ " + " ,".join(_shuffled(item, rng) for item in value) + "\n]"
    if isinstance(value, RecordValue):
        items = list(value.fields.items())
        rng.shuffle(items)
        # A one-key object writes each key as canonical text does.
        return "{\t" + ", ".join(_member(key, _shuffled(item, rng)) for key, item in items) + "}"
    return text_of(value)


def _member(key: str, text: str) -> str:
    return text_of(RecordValue({key: None}))[1:-5] + " " + text


def test_a_changed_term_has_another_ref() -> None:
    """Documents that one change makes of a program's are refused, or belong to another program."""
    for_seeds(150, lambda seed: hold(changes_change_the_ref, generated(seed)))


def changes_change_the_ref(case: Case) -> None:
    document = without_annotations(program_to_value(case.program))
    for changed in near_values(document, Random(case.seed)):
        try:
            other = program_from_value(changed)
        except MalformedInput:
            continue
        same_document = write(changed) == write(document)
        assert (program_ref(other) == program_ref(case.program)) == same_document
        # What was read is exactly what is written again: a program has one document.
        assert write(program_to_value(other, annotations=False)) == write(changed)


def test_directed_programs_are_well_formed() -> None:
    """The generator keeps its promises; what fails on purpose may be unbound."""

    def check(seed: int) -> None:
        rng = Random(seed)
        flavour = attrs.evolve(random_flavour(rng), failing=0.0)
        program = directed_program(rng, flavour)
        assert well_formed(program) == ()
        assert schema_checked(program) == ()

    for_seeds(500, check)


def test_the_whole_document_must_be_there() -> None:
    rng = Random(1)
    document = program_to_value(directed_program(rng, Flavour(20, "any", 0.0, 0.0)))
    assert isinstance(document, RecordValue)
    for key in document.fields:
        fields = {name: item for name, item in document.fields.items() if name != key}
        with pytest.raises(MalformedInput):
            program_from_value(RecordValue(fields))
