"""Guesses that an organiser should check, because they are too good for an attack."""

from __future__ import annotations

from icefire.arena.boards.facts import GuessFacts, RoundFacts

ALMOST_ALL = 0.9
"""A guess that is right this often is looked at."""
FAR = 0.5
"""And it is suspicious if every other attack got less than this share of it."""


def suspicious(known: RoundFacts) -> tuple[GuessFacts, ...]:
    """Return guesses that are right almost everywhere while nobody else came near: somebody may have told the answers.

    AYA is no attack, it knows the correspondence, and so says nothing here.
    """
    rates: dict[str, list[tuple[str, float]]] = {}
    for release in known.releases:
        rates[release.id] = [(one.name, one.rate) for one in release.found or () if one.source != "aya"]
    return tuple(guess for guess in known.guesses if _stands_out(guess, rates.get(guess.release_id, [])))


def _stands_out(guess: GuessFacts, rates: list[tuple[str, float]]) -> bool:
    if guess.found is None or guess.found.rate < ALMOST_ALL:
        return False
    others = [rate for name, rate in rates if name != guess.team_id]
    return bool(others) and max(others) < FAR * guess.found.rate
