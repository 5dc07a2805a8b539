"""What the hosts of one run share: the world with its current scope, the run's settings, and its seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from eclogue.runtime.sandbox.interface import ProcessLimits
from eclogue.runtime.scope import ROOT, Scope, World


@attrs.frozen
class Settings:
    """What a run was asked for; it is written down with the run."""

    seed: int = 0
    limits: ProcessLimits = attrs.field(factory=ProcessLimits)
    readable: tuple[str, ...] = ()
    """Paths of the host that programs may read, such as an interpreter's."""
    environment: tuple[str, ...] = ()
    """Variables of the host that programs and `env.get` see."""
    model_script: str | None = None
    """A file with a scripted model's answers."""
    model_url: str | None = None
    model_name: str = "default"
    model_key_variable: str = "OPENAI_API_KEY"
    allowed_hosts: tuple[str, ...] = ()
    """Hosts that `http.get` may ask; none by default."""


@attrs.define(eq=False)
class Session:
    """One run's surroundings, given to every host."""

    world: World
    settings: Settings
    folder: Path
    """The run's own folder, for what hosts keep, such as a database."""
    asked: Callable[[str], bool | str | None] = lambda _: None
    """Asks a person; None: nobody is there."""
    current: str = ROOT
    parents: dict[str, str] = attrs.field(factory=dict)
    """The scope from which each was forked, also for those that are closed."""
    again: bool = False
    """Whether the operation may have been carried out before: the run was interrupted at it."""
    dice: random.Random = attrs.field(init=False)
    kept: dict[str, object] = attrs.field(factory=dict)
    """What a host keeps for the time of the run, by the host's name."""

    @dice.default
    def _seeded(self) -> random.Random:
        return random.Random(self.settings.seed)

    @property
    def scope(self) -> Scope:
        """The scope in which files and processes are."""
        return self.world.scope(self.current)

    def environment(self) -> Mapping[str, str]:
        """Return the variables of the host that the run may see."""
        import os

        return {name: os.environ[name] for name in self.settings.environment if name in os.environ}
