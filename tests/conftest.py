"""Profiles of the property-based tests, their seed option, and the statistics at the end of a run.

`ECLOGUE_TESTS=ci` (the default) is derandomised: the same examples in every run, so that a red build is
due to the change that it tests and can be had again by running it again. `dev` takes a tenth of the
examples; `long` takes ten times as many, and new ones in every run: that one is for finding what `ci` has
not met.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
import strategies
from hypothesis import HealthCheck, settings
from support.closing import NOTICES, packed, unpack
from support.statistics import TALLIES

_SCALES = {"ci": 1.0, "dev": 0.1, "long": 10.0}

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.nested_given],
)
settings.register_profile("dev", settings.get_profile("ci"), derandomize=False)
settings.register_profile("long", settings.get_profile("ci"), derandomize=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--program-seed", type=int, help="run the tests over programs on this seed alone")


def pytest_configure(config: pytest.Config) -> None:
    profile = os.environ.get("ECLOGUE_TESTS", "ci")
    settings.load_profile(profile)
    strategies.scale = _SCALES[profile]
    strategies.only_seed = config.getoption("--program-seed")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what there is to tell to the process that prints it, where tests run in several."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["closing"] = packed()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    if "closing" in getattr(node, "workeroutput", {}):
        unpack(node.workeroutput["closing"])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for tally in sorted(TALLIES, key=lambda each: each.title):
        terminalreporter.section(tally.title)
        for line in tally.lines():
            terminalreporter.write_line(line)
    for line in NOTICES:
        terminalreporter.write_line(line, yellow=True)
