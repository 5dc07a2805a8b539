"""Limits on a run. They are not semantics: a run that exceeds one is exhausted (`limit.exhausted`)."""

from __future__ import annotations

import attrs

MEBI = 1 << 20


@attrs.frozen(kw_only=True)
class Limits:
    """How far a run may go; `None` lifts a limit where that is possible."""

    steps: int | None = 50_000_000
    """Machine transitions."""
    value_size: int = 64 * MEBI
    """Bytes of one value's canonical form; sharing can make it exponentially larger than memory."""
    text_length: int = 64 * MEBI
    """Unicode scalars of one text."""
    list_length: int = 16 * MEBI
    """Items of one list."""
    integer_bits: int = 4 * MEBI
    """Bits of one integer's magnitude; 4 Mi bits are about 1.2 million decimal digits."""
    program_nodes: int = 16 * MEBI
    """Nodes of a program, counted as a tree; sharing can make it exponentially larger than memory."""
    program_size: int = 1024 * MEBI
    """Bytes of a program's canonical text."""
    seconds: float | None = None
    """Wall-clock time of one run."""
    memory: int | None = None
    """Bytes of resident memory of the whole process."""


DEFAULT = Limits()
