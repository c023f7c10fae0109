"""The facts of a round as a team sees them: those of a visitor, with what is the team's own put in their place.

Many teams look at a large round at the same time. What everybody sees of it is read once for all of them, and for each
team only its own part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from icefire.arena.boards.facts import GuessFacts, ReleaseFacts, RoundFacts


def with_own(public: RoundFacts, own: RoundFacts) -> RoundFacts:
    """Return a team's facts, made of a visitor's and of those that were read for the team's own submissions alone."""
    return _replaced(public, own, public.guesses)


def with_own_guesses(public: RoundFacts, own: RoundFacts, by_team: GuessesByTeam) -> RoundFacts:
    """Return a team's facts as `with_own` does, of all guesses only the team's own: few of tens of thousands."""
    return _replaced(public, own, by_team.get(own.sight.actor.team_id or "", ()))


def _replaced(public: RoundFacts, own: RoundFacts, guesses: Iterable[GuessFacts]) -> RoundFacts:
    team_id = own.sight.actor.team_id
    mine = [release for release in own.releases if release.own]
    ids = {release.id for release in mine}
    others = [release for release in public.releases if release.id not in ids]
    known = {guess.release_id: guess for guess in own.guesses}
    return replace(
        public,
        now=own.now,
        sight=own.sight,
        releases=tuple(sorted([*others, *mine], key=lambda release: release.label)),
        guesses=tuple(
            _as_own(guess, known.get(guess.release_id)) if guess.team_id == team_id else guess for guess in guesses
        ),
    )


GuessesByTeam = Mapping[str, Sequence[GuessFacts]]
"""The guesses of a round by the team that has handed them in, in the order of their arrival."""


def guesses_by_team(public: RoundFacts) -> GuessesByTeam:
    """Return the guesses of each team."""
    by_team: dict[str, list[GuessFacts]] = {}
    for guess in public.guesses:
        by_team.setdefault(guess.team_id, []).append(guess)
    return by_team


@dataclass(frozen=True, slots=True)
class HandedIn:
    """What a team has handed in for a round."""

    releases: tuple[ReleaseFacts, ...]
    guesses: tuple[GuessFacts, ...]
    labels: dict[str, str]
    """Of all releases that the team can see, by their ids."""


def handed_in(public: RoundFacts, own: RoundFacts, by_team: GuessesByTeam) -> HandedIn:
    """Return the part of `with_own` that is the team's, without the rest of a large round being laid out anew."""
    mine = tuple(release for release in own.releases if release.own)
    known = {guess.release_id: guess for guess in own.guesses}
    theirs = by_team.get(own.sight.actor.team_id or "", ())
    guesses = (_as_own(one, known.get(one.release_id)) for one in theirs)
    labels = {release.id: release.label for release in (*public.releases, *mine)}
    return HandedIn(tuple(sorted(mine, key=lambda release: release.label)), tuple(guesses), labels)


def _as_own(guess: GuessFacts, own: GuessFacts | None) -> GuessFacts:
    """Return a guess with what only its team is told: its id, and that the judge could not score it."""
    return guess if own is None else replace(guess, id=own.id, state=own.state)
