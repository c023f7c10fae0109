"""Scores of attackers: what all their attacks on a round's releases are worth, by the rule of the contest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from icefire.arena.boards.facts import AttackFacts, RoundFacts
from icefire.contests.common.game import FireRule

BEST = 3
"""How many attacks count where the best three do."""
TOP = 10
"""How many releases count where the best ten do."""
POINT = 100
"""So many hits are one point, where hits are made points."""


@dataclass(frozen=True, slots=True)
class ScoredAttacks:
    """The scored attacks of a round."""

    by_team: Mapping[str, Mapping[str, AttackFacts]]
    """By attacking team and release."""
    authors: Mapping[str, str | None]
    """The team of every release in play."""
    top: Sequence[str]
    """The best releases, in order."""

    @classmethod
    def read(cls, facts: RoundFacts, ranked: Sequence[str]) -> Self:
        """Take them from the facts of a round and the releases in their order."""
        by_team: dict[str, dict[str, AttackFacts]] = {}
        for guess in facts.guesses:
            if guess.found is not None:
                by_team.setdefault(guess.team_id, {})[guess.release_id] = guess.found
        authors = {one.id: one.team_id for one in facts.releases if one.in_play and one.withdrawn is None}
        return cls(by_team, authors, ranked[:TOP])

    def best_hits(self, release: str) -> int:
        """Return the hits of the best team on a release."""
        return max((guesses[release].hits for guesses in self.by_team.values() if release in guesses), default=0)


def _total(attacks: ScoredAttacks, team: str) -> float:
    return float(sum(one.hits for one in attacks.by_team[team].values()))


def _best_three(attacks: ScoredAttacks, team: str) -> float:
    """Return the mean rate of the three best attacks; one not made counts 0."""
    return sum(sorted((one.rate for one in attacks.by_team[team].values()), reverse=True)[:BEST]) / BEST


def _mean(attacks: ScoredAttacks, team: str) -> float:
    """Return the mean rate over the releases of all others; one not attacked counts 0."""
    others = {release for release, author in attacks.authors.items() if author != team} | set(attacks.by_team[team])
    return sum(one.rate for one in attacks.by_team[team].values()) / len(others)


def _best_ten(attacks: ScoredAttacks, team: str) -> float:
    """Return the hits on the ten best releases, a hundredth point each; on own ones those of the best other team."""
    own, theirs = attacks.by_team[team], attacks.authors
    on_others = [own[release].hits for release in attacks.top if release in own]
    on_own = [attacks.best_hits(release) for release in attacks.top if theirs.get(release) == team]
    return sum(on_others + on_own) / POINT


RULES: Mapping[FireRule, Callable[[ScoredAttacks, str], float]] = {
    "total": _total,
    "best_three": _best_three,
    "mean": _mean,
    "best_ten": _best_ten,
}
