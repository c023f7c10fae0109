"""A competition to look around in: seven teams, a preliminary round that is over and a final under attack.

Everything in it happens by the real services, with the clock set back: teams are founded, releases handed in, judged,
attacked and revealed as anywhere. The same seed builds the same boards.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from icefire.arena import ids
from icefire.arena.clock import SetClock
from icefire.arena.contest import arena as arenas
from icefire.arena.demo import beginning, rounds
from icefire.arena.demo.playing import DemoStage, drawn
from icefire.arena.demo.story import ORGANISER, PLAYERS
from icefire.core import seeds
from icefire.core.types import Progress, no_progress
from icefire.io.writing import whole_folder

__all__ = ["Demo", "build"]


@dataclass(frozen=True, slots=True)
class Demo:
    """A competition that was played, and how to log in to it."""

    folder: Path
    password: str
    """One for all accounts, drawn anew every time."""

    @property
    def lines(self) -> tuple[str, ...]:
        """What to say about it."""
        names = ", ".join(one.accounts[0] for one in PLAYERS)
        return (
            f"log in as {ORGANISER} (runs the competition) or for a team: {names}",
            f"the password of all of them: {self.password}",
            "its keys follow from the seed: good to look around in, not to play for real",
        )


def build(
    folder: Path,
    seed: int = seeds.DEFAULT_SEED,
    *,
    rows: int = 600,
    progress: Progress = no_progress,
    now: datetime | None = None,
) -> Demo:
    """Play a competition in a new folder; it is written whole or not at all."""
    at = (now or datetime.now(UTC)).astimezone(UTC).replace(microsecond=0)
    demo = Demo(folder, ids.new_secret()[:12])
    with whole_folder(folder, None, secret=True) as draft, drawn(seed):
        progress("data")
        beginning.set_up(draft, folder.name, seed, rows, at)
        clock = SetClock(beginning.start(at))
        arena = arenas.open_arena(draft, clock=clock)
        try:
            rounds.play(DemoStage(arena, clock, seed), demo.password, at, progress)
        finally:
            arena.database.close()
    return demo
