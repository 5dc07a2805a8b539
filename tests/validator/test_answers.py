"""Files of host answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import values

from eclogue.core.canonical import text_of
from eclogue.core.errors import MalformedInput
from eclogue.core.outcomes import HostAnswer
from eclogue.core.values import record
from eclogue.validator.answers import answers_text, answers_to_value, read_answers

answers = st.lists(st.builds(HostAnswer, values, st.none() | st.text("ab.", max_size=4))).map(tuple)


def test_by_example() -> None:
    text = """[null, "yes", [{"a": 1}], {"value": {}}, {"operation": "fs.read", "value": 5},
               {"$int": "9007199254740992"}]"""
    assert read_answers(text) == (
        HostAnswer(None),
        HostAnswer("yes"),
        HostAnswer((record({"a": 1}),)),
        HostAnswer(record({})),
        HostAnswer(5, "fs.read"),
        HostAnswer(2**53),
    )
    assert read_answers(b"[]") == ()


@given(answers)
def test_round_trip(given_answers: tuple[HostAnswer, ...]) -> None:
    text = answers_text(given_answers)
    assert read_answers(text) == given_answers
    assert text == text_of(answers_to_value(given_answers))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"value": 1}', "answers are a list"),
        ("1", "answers are a list"),
        ('[1, {"operation": "fs.read"}]', '[1]: an answer that is an object is written {"value": …}'),
        ('[{"code": 0}]', "[0]: an answer that is an object"),
        ('[{"value": 1, "when": 2}]', '[0]: "when" is no member of an answer'),
        ('[{"value": 1, "operation": 2}]', "[0].operation: expected the name of an operation"),
        ("[1.5]", "fractions and exponents are not values"),
        ("[1", "the JSON ends too early"),
        (b"[\xff]", "invalid UTF-8"),
    ],
)
def test_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(MalformedInput) as refused:
        read_answers(text)
    assert refused.value.message.startswith(message)
