"""Measures and class sizes."""

from __future__ import annotations

from icefire.core.formatting import count, percent
from icefire.core.scorecard import MeasureResult, Scorecard


def direction(measure: MeasureResult) -> str:
    """Say which way is better."""
    return f"{measure.better} is better"


def alone(card: Scorecard) -> str:
    """Sum up how many released rows stand alone in their class."""
    rows = sum(group.rows for group in card.class_sizes)
    single = sum(group.rows for group in card.class_sizes if group.low == group.high == 1)
    if not single:
        return "No released row is alone in its class."
    share = f" ({percent(single / rows)})" if rows else ""
    return (
        f"{count(single)} of {count(rows)} released rows{share} {'is' if single == 1 else 'are'} alone in their class: "
        "nobody else in the release has the same quasi-identifiers."
    )
