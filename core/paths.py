"""Places in a JSON document, for messages: `body.seq[3].handle.clauses[0].operation`."""

from __future__ import annotations

import attrs


@attrs.frozen(eq=False, repr=False)
class Path:
    """A place, as a linked list towards the root, so that walking down costs nothing until it is shown.

    `step` is a record key or a position in a list; the root has no parent, and its step is its name.
    """

    parent: Path | None
    step: str | int

    def __truediv__(self, step: str | int) -> Path:
        """Return the place one step further down."""
        return Path(self, step)

    def __str__(self) -> str:
        steps: list[str] = []
        place: Path | None = self
        while place is not None:
            step = place.step
            steps.append(f"[{step}]" if isinstance(step, int) else f".{step}" if step else "")
            place = place.parent
        return "".join(reversed(steps)).removeprefix(".") or "the document"


ROOT = Path(None, "")
"""The document as a whole."""
