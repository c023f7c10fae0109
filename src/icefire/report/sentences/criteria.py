"""The three criteria of Opinion 05/2014 of the Article 29 Working Party, in our words."""

from __future__ import annotations

from icefire.core.formatting import interval, percent
from icefire.core.scorecard.criteria import Criterion
from icefire.words import said, t

TITLE = "The three criteria of WP29 Opinion 05/2014"
MEANINGS = {
    "singling out": "A few released values isolate one row, and among the people the one it was made from.",
    "linkability": "Two sources know different columns of a person, and the release shows that it is the same one.",
    "inference": "Whoever knows some columns of a person guesses a sensitive one.",
}


def meaning(criterion: Criterion) -> str:
    """Say what a criterion means here."""
    return MEANINGS[criterion.name]


def value(criterion: Criterion) -> str:
    """Write the measured value with its interval."""
    if criterion.value is None:
        return criterion.note
    if criterion.value_ci is None:
        return percent(criterion.value)
    return f"{percent(criterion.value)} ({interval(criterion.value_ci)})"


def control(criterion: Criterion) -> str:
    """Write the control and where it comes from."""
    return "" if criterion.control is None else f"{percent(criterion.control)}: {said(criterion.control_kind)}"


def limit(criterion: Criterion) -> str:
    """Write the limit and whether it holds."""
    if criterion.limit is None:
        return t("numbers.none")
    what = {"singling out": "share", "linkability": "advantage", "inference": "few certain, advantage"}
    return f"{what[criterion.name]} {percent(criterion.limit)}: {'holds' if criterion.passed else 'broken'}"


def details(criterion: Criterion) -> str:
    """Say what was measured with."""
    return "; ".join(f"{said(name)}: {text}" for name, text in criterion.details.items())
