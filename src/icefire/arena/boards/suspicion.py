"""Guesses that an organiser should check, because they are far better than every other attack on the same release."""

from __future__ import annotations

import math
from dataclasses import dataclass

from icefire.arena.boards.facts import GuessFacts, RoundFacts

LEAST_LEAD = 0.1
"""How much more of the records than the next best attack a guess has identified, to be listed."""
ODDS = 6.0
"""And how many times the odds of a record being identified: 0.87 against 0.5, or 0.4 against 0.1."""
ERRORS = 4.0
"""And how many standard errors of the next best rate lie between the two: in small releases chance goes far."""


@dataclass(frozen=True, slots=True)
class OutlierGuess:
    """A guess far above the field, with the next best rate on the same release."""

    guess: GuessFacts
    next_best: float


def suspicious(known: RoundFacts) -> tuple[OutlierGuess, ...]:
    """Return guesses far above all other attacks on the same release: somebody may have told the answers.

    AYA is no attack, it knows the correspondence, and so says nothing here. A release that nobody else has attacked
    says nothing either.
    """
    rates: dict[str, list[tuple[str, float]]] = {}
    for release in known.releases:
        rates[release.id] = [(one.name, one.rate) for one in release.found or () if one.source != "aya"]
    outliers = (_outlier(guess, rates.get(guess.release_id, [])) for guess in known.guesses)
    return tuple(one for one in outliers if one is not None)


def _outlier(guess: GuessFacts, rates: list[tuple[str, float]]) -> OutlierGuess | None:
    others = [rate for name, rate in rates if name != guess.team_id]
    if guess.found is None or not others:
        return None
    best, targets = max(others), max(1, guess.found.targets)
    likely = min(max(best, 1 / targets), 0.5)
    error = math.sqrt(likely * (1 - likely) / targets)
    ahead = guess.found.rate - best >= max(LEAST_LEAD, ERRORS * error)
    return (
        OutlierGuess(guess, best) if ahead and _odds(guess.found.rate) >= ODDS * _odds(max(best, 1 / targets)) else None
    )


def _odds(rate: float) -> float:
    return rate / (1 - rate) if rate < 1 else math.inf
