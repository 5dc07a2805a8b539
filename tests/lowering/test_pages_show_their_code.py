"""The page of a static error shows a source that has this error and no other, and one that is right."""

from __future__ import annotations

import re

import pytest

from eclogue.core.values import Value
from eclogue.lowering.codes import CODES, page
from eclogue.lowering.diagnostics import SourceErrors, SourceText
from eclogue.lowering.lower import check_file, lower_task
from eclogue.lowering.parser import parse

STATIC = [code for code in CODES if code.startswith(("EC1", "EC2", "EC3")) and not code.startswith("EC13")]
CALLED: dict[str, tuple[str | None, dict[str, Value]]] = {
    "EC1301": (None, {}),
    "EC1302": ("one", {}),
    "EC1303": (None, {}),
    "EC1304": (None, {"name": "a", "nmae": "b"}),
    "EC1305": (None, {"count": "5"}),
}
"""The task and the arguments with which the example of a page is wrong."""


def sources(code: str) -> list[SourceText]:
    blocks = re.findall(r"^```ecl\n(.*?)^```$", page(code), re.MULTILINE | re.DOTALL)
    return [SourceText("page.ecl", block) for block in blocks]


@pytest.mark.parametrize("code", STATIC)
def test_a_wrong_and_a_right_source(code: str) -> None:
    wrong, right = sources(code)
    assert [item.code for item in check_file(parse(wrong), wrong)] == [code]
    assert check_file(parse(right), right) == ()


@pytest.mark.parametrize("code", CALLED)
def test_a_task_that_is_called_in_a_wrong_way(code: str) -> None:
    wrong, *rights = sources(code)
    task, arguments = CALLED[code]
    with pytest.raises(SourceErrors) as found:
        lower_task(parse(wrong), wrong, task, arguments)
    assert [item.code for item in found.value.diagnostics] == [code]
    for right in rights:
        assert lower_task(parse(right), right, task, arguments)
