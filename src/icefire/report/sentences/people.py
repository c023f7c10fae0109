"""People: how probably they are recognised, and by what."""

from __future__ import annotations

import math

from icefire.core.formatting import count, interval, percent, short_interval
from icefire.core.scorecard import Scorecard
from icefire.core.scorecard.people import Person, PersonReason, RiskBand
from icefire.words import said

LIKELY = 0.5


def recognised(card: Scorecard) -> str:
    """Say how many people are recognised on average, beside random guesses."""
    summary = card.recognition
    if summary is None:
        return ""
    chance = "less than 1" if summary.by_chance < 0.95 else count(round(summary.by_chance))
    likely = sum(band.people for band in summary.bands if band.low >= LIKELY)
    verb = "is" if round(summary.expected) == 1 else "are"
    return (
        f"On average {count(round(summary.expected))} of {count(summary.people)} people "
        f"({percent(summary.expected / max(summary.people, 1))}) {verb} recognised by the attack that is best on "
        f"people like them; random guesses would recognise {chance}. {_likely(likely)}"
    )


def _likely(people: int) -> str:
    if people == 0:
        return "Nobody is recognised more likely than not."
    return f"{count(people)} {'person is' if people == 1 else 'people are'} recognised more likely than not."


def band(part: RiskBand) -> str:
    """Write the ends of a band of probability."""
    if part.low == 0:
        return f"below {percent(part.high)}"
    return f"{percent(part.low)} and more" if part.high >= 1 else interval((part.low, part.high))


def risk(person: Person) -> str:
    """Write a person's probability of being recognised with its interval."""
    return f"{percent(person.risk)} ({short_interval(person.interval)})"


def by_what(person: Person) -> str:
    """Say by which attack and which columns a person is recognised."""
    if person.reasons:
        return f"{', '.join(said(reason(one)) for one in person.reasons)} ({person.by})"
    return f"{person.by}: {', '.join(person.columns)}" if person.columns else person.by


def reasons_shown(card: Scorecard) -> bool:
    """Tell whether the scorecard says by which values people are recognised."""
    return any(person.reasons for person in card.at_risk)


def reason(one: PersonReason) -> str:
    """Say how one column gives a person away: "income within 2 %", "children 4"."""
    if one.agreement == "good":
        beside = f", same {', '.join(one.agrees)}" if one.agrees else ""
        return f"{one.column} {one.released}{beside and f' ({beside[2:]})'}"
    if one.agreement == "near" and one.difference is not None:
        return f"{one.column} within {_rounded_up(one.difference)} %"
    if one.agreement == "days" and one.difference is not None:
        days = math.ceil(one.difference)
        return f"{one.column} within {count(days)} {'day' if days == 1 else 'days'}"
    if one.agreement == "moved":
        return f"{one.column} (changed, but nearer than that of others)"
    return f"{one.column} {one.released}".strip()


def _rounded_up(share: float) -> str:
    """Write a share in whole per cent, rounded up; below 1 % with one digit."""
    return f"{math.ceil(100 * share)}" if share > 0.01 else f"{max(math.ceil(1000 * share), 1) / 10:g}"
