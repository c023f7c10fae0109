"""The visibility policy: what an actor may see of a round in each phase. It is applied where facts are read.

A hidden score is not read from the database at all, so no page, export or chart can show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from icefire.arena.auth.actor import Actor
from icefire.arena.contest.definition import Definition
from icefire.arena.contest.phases import RoundNow

HANDED_OUT = ("attack", "reveal")
"""Phases in which everybody may download every release in play."""


class Owned(Protocol):
    """A release, from the database or from facts; there a hidden team is None, and so it is nobody's own."""

    @property
    def team_id(self) -> str | None:
        """Its team."""
        ...

    @property
    def in_play(self) -> bool:
        """Whether attackers may have it."""
        ...


@dataclass(frozen=True, slots=True)
class Visibility:
    """What one actor sees of one round at one instant."""

    actor: Actor
    now: RoundNow
    definition: Definition

    @property
    def judges(self) -> bool:
        """Whether scores and authors are never hidden."""
        return self.actor.judges

    def ours(self, team_id: str | None) -> bool:
        """Tell the actor's present team; one that was left behind is not."""
        return team_id is not None and team_id == self.actor.team_id

    @property
    def original(self) -> bool:
        """Whether the round's original data may be had: not before it begins."""
        return self.judges or self.now.phase != "before"

    @property
    def listed_all(self) -> bool:
        """Whether other teams' releases are listed, and not only the own ones: while releases are taken, if the board
        has something to say about them."""
        early = self.definition.show_utility or self.definition.show_sample_attacks
        return self.judges or self.now.phase in ("freeze", *HANDED_OUT) or (early and self.now.phase == "anonymise")

    def listed(self, release: Owned) -> bool:
        """Tell whether it is known that a release exists."""
        return self.judges or self.ours(release.team_id) or (release.in_play and self.listed_all)

    def file(self, release: Owned) -> bool:
        """Tell whether a release may be downloaded, as it is handed out."""
        return self.judges or self.ours(release.team_id) or (release.in_play and self.now.phase in HANDED_OUT)

    def author(self, release: Owned) -> bool:
        """Tell whether it is known which team made a release."""
        public = self.now.revealed or self.definition.team_names == "shown"
        return self.judges or self.ours(release.team_id) or public

    @property
    def measures(self) -> bool:
        """Whether the measures of the releases listed are shown."""
        return self.judges or self.now.revealed or self.definition.show_utility

    @property
    def samples(self) -> bool:
        """Whether it is shown what the sample attacks and AYA achieved on the releases listed."""
        return self.judges or self.now.revealed or self.definition.show_sample_attacks

    @property
    def exact(self) -> bool:
        """Whether scores are shown to the last digit, and not rounded."""
        return self.judges or self.now.revealed

    @property
    def players(self) -> bool:
        """Whether it is shown what teams achieved on one another's releases; the attacker does not know either."""
        return self.judges or self.now.revealed
