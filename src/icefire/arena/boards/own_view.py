"""The facts of a round as a team sees them: those of a visitor, with what is the team's own put in their place.

Many teams look at a large round at the same time. What everybody sees of it is read once for all of them, and for each
team only its own part.
"""

from __future__ import annotations

from dataclasses import replace

from icefire.arena.boards.facts import GuessFacts, RoundFacts


def with_own(public: RoundFacts, own: RoundFacts) -> RoundFacts:
    """Return a team's facts, made of a visitor's and of those that were read for the team's own submissions alone."""
    team_id = own.sight.actor.team_id
    mine = [release for release in own.releases if release.own]
    known = {release.id for release in mine}
    others = [release for release in public.releases if release.id not in known]
    guesses = {guess.release_id: guess for guess in own.guesses}
    return replace(
        public,
        now=own.now,
        sight=own.sight,
        releases=tuple(sorted([*others, *mine], key=lambda release: release.label)),
        guesses=tuple(
            _as_own(guess, guesses.get(guess.release_id)) if guess.team_id == team_id else guess
            for guess in public.guesses
        ),
    )


def _as_own(guess: GuessFacts, own: GuessFacts | None) -> GuessFacts:
    """Return a guess with what only its team is told: its id, and that the judge could not score it."""
    return guess if own is None else replace(guess, id=own.id, state=own.state)
