"""One finding of a check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from icefire.arena.contest.arena import Arena

Level = Literal["error", "fixed", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be."""

    level: Level
    text: str
    cure: str = ""
    """What to do about it."""
    fix: Callable[[], None] | None = field(default=None, compare=False, repr=False)
    """Does it, where that can be done safely."""


DoctorCheck = Callable[[Arena], Iterator[Finding]]
FIXABLE = "run: icefire arena doctor --fix"
