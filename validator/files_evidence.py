"""What was found out about the files of an executed run (rule `valid.files`).

The check itself replays the recorded file operations on the pure model of files, which is the runtime's;
here is only what it found, and what that is worth.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from eclogue.validator.evidence import Granted, Strength
from eclogue.validator.predicate import Facet


@attrs.frozen
class FilesChecked:
    """Whether the recorded operations, on the model, lead from the recorded files to the recorded files.

    `reason` says it for people; `operations` is how many were replayed.
    """

    agreed: bool
    reason: str
    operations: int


def files_strength(checked: FilesChecked) -> Granted:
    """Return what a check of files is worth; no more than a tested model can give."""
    strength = Strength.REFERENCE_VALIDATED if checked.agreed else Strength.RUNTIME_ONLY
    return Granted(strength, checked.reason)


_OTHERS = (("processes", ("proc.",)), ("models", ("model.",)), ("network", ("http.",)))


def facets_of(checked: FilesChecked | None, performed: Iterable[str]) -> tuple[Facet, ...]:
    """Return the facets beside control of a run that performed these operations; none without files.

    Of processes, models and the network nothing is ever claimed but that it was recorded.
    """
    if checked is None:
        return ()
    names = set(performed)
    found = [Facet("files", files_strength(checked).strength.value)]
    for facet, prefixes in _OTHERS:
        if any(name.startswith(prefixes) for name in names):
            found.append(Facet(facet, Strength.RUNTIME_ONLY.value))
    return tuple(found)
