"""People: how probably they are recognised, and by what."""

from __future__ import annotations

from icefire.core.formatting import count, percent, short_interval
from icefire.core.scorecard import Scorecard
from icefire.core.scorecard.people import Person, RiskBand

LIKELY = 0.5


def recognised(card: Scorecard) -> str:
    """Say how many people are recognised on average, beside random guesses."""
    summary = card.recognition
    if summary is None:
        return ""
    chance = "less than 1" if summary.by_chance < 0.95 else count(round(summary.by_chance))
    likely = sum(band.people for band in summary.bands if band.low >= LIKELY)
    return (
        f"On average {count(round(summary.expected))} of {count(summary.people)} people "
        f"({percent(summary.expected / max(summary.people, 1))}) are recognised by the attack that is best on people "
        f"like them; random guesses would recognise {chance}. {_likely(likely)}"
    )


def _likely(people: int) -> str:
    if people == 0:
        return "Nobody is recognised more likely than not."
    return f"{count(people)} {'person is' if people == 1 else 'people are'} recognised more likely than not."


def band(part: RiskBand) -> str:
    """Write the ends of a band of probability."""
    if part.low == 0:
        return f"below {percent(part.high)}"
    return f"{percent(part.low)} and more" if part.high >= 1 else f"{percent(part.low)} to {percent(part.high)}"


def risk(person: Person) -> str:
    """Write a person's probability of being recognised with its interval."""
    return f"{percent(person.risk)} ({short_interval(person.interval)})"


def by_what(person: Person) -> str:
    """Say by which attack and which columns a person is recognised."""
    return f"{person.by}: {', '.join(person.columns)}" if person.columns else person.by
