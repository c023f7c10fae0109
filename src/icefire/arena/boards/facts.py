"""The facts of a round as one actor may know them: releases, guesses, teams. What is hidden is None or left out.

The API sends these records as they are; their docstrings stand in its description.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from icefire.arena.boards.visibility import Visibility
from icefire.arena.contest.phases import RoundNow

AttackSource = Literal["sample", "aya", "team"]
ORIGINAL = "X"
"""What the original is called on a board."""
SUBMITTED = "submitted"
"""The state of every guess, to whom its score is hidden."""
FAILED = "failed"
"""The state of a guess that the judge could not score; its team is told, for it may hand in another one."""


@dataclass(frozen=True, slots=True)
class AttackFacts:
    """What one attack achieved on one release."""

    source: AttackSource
    name: str
    """The attack, or the team's id."""
    shown: str
    """The attack, or the team's name."""
    hits: int
    targets: int
    rate: float
    levels: dict[str, float] = field(default_factory=dict)
    """The rate on each level of knowledge, where a contest has several; `rate` is their mean."""


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """A release."""

    id: str
    label: str
    round: str
    number: int | None
    """Which one of its team's; hidden with the author."""
    team_id: str | None
    team: str | None
    own: bool
    rows: int
    received: datetime | None
    """Hidden with the author, because the time of a submission may tell whose it is."""
    withdrawn: datetime | None
    in_play: bool
    state: str
    note: str
    """The judge's words to its team."""
    measures: dict[str, float | None] | None
    """Empty until it is judged; a value is None where the measure has none."""
    found: tuple[AttackFacts, ...] | None
    """Sample attacks, AYA and teams, without what is hidden."""
    twin: bool
    """Another team handed in the same table; only judges are told."""


@dataclass(frozen=True, slots=True)
class GuessFacts:
    """One team's answers for one release."""

    id: str | None
    """For the team itself and judges: the receipt is found by it."""
    release_id: str
    team_id: str
    team: str
    received: datetime
    state: str
    found: AttackFacts | None


@dataclass(frozen=True, slots=True)
class TeamFacts:
    """A team."""

    id: str
    name: str
    disqualified: str | None
    """Why it is out of the competition, if it is."""
    division: str | None = None
    """The group it is also ranked in, where the contest has divisions."""


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """A round, to one actor."""

    now: RoundNow
    sight: Visibility
    measures: tuple[str, ...]
    """All that are measured, in the order of the columns."""
    utilities: tuple[str, ...]
    """Those that count in the ice ranking."""
    attacks: tuple[str, ...]
    releases: tuple[ReleaseFacts, ...]
    guesses: tuple[GuessFacts, ...]
    teams: tuple[TeamFacts, ...]
    reference: ReleaseFacts | None
    """The original, measured and attacked as if it had been released unchanged; everybody could do that."""
