"""Named points at which tests let the controller die, to see what is found afterwards."""

from __future__ import annotations

import os
import signal

VARIABLE = "ECLOGUE_DIE_AT"
POINTS = (
    "create.made",
    "freeze.before",
    "freeze.after",
    "fork.before",
    "fork.after",
    "discard.before",
    "discard.after",
    "merge.begun",
    "merge.applied",
    "merge.after",
    "revert.after",
    "squash.made",
    "squash.after",
    "apply.begun",
    "apply.applied",
    "apply.after",
)


def reach(point: str) -> None:
    """Die here, as `kill -9` would have it, if this point is the one that the environment names."""
    wanted = os.environ.get(VARIABLE)
    if wanted == point:
        os.kill(os.getpid(), signal.SIGKILL)
