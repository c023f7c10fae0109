"""The attack `dates`: match by which goods were bought on which day."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.attacks.histories.matching import best_match, joint_numbers, joint_sets
from icefire.core.history import HistoryCase
from icefire.core.history.dates import DAY
from icefire.core.registry import attack
from icefire.core.release import Guess
from icefire.kernels.types import Int

COARSEST_FIRST = ("year", "quarter", "month", "week")


@attack("dates", data="history", needs=("date",), knows="what everybody bought on which day")
def dates(
    case: HistoryCase,
    *,
    rng: np.random.Generator,
    unit: Literal["auto", "day", "week", "month", "quarter", "year"] = "auto",
) -> Guess:
    """Take the original customer whose (good, day) pairs are most fully contained in the released ones.

    The attacker knows which goods everybody bought on which day; among customers contained as fully he takes the most
    similar by Jaccard. He compares by the `unit`; auto takes the longest period of which all released dates are first
    days, as they are after rounding. Success is naming the right customer. Of equals the first in the list is named;
    the judge also gets the exact expectation under a draw among them. Where no purchase has its day any more there is
    no answer.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: Unused; part of every attack's signature.
        unit: The period that days are compared by: "day", "week", "month", "quarter", "year", or "auto".

    Returns:
        One original customer per released one, -1 for no answer, and all who fit as well.
    """
    before, after = (history.when // DAY for history in (case.known, case.released))
    rounded = (longer for longer in COARSEST_FIRST if np.array_equal(_first_day(after, longer), after))
    period = next(rounded, "day") if unit == "auto" else unit
    days = (pl.Series(_first_day(before, period)), pl.Series(_first_day(after, period)))
    items = (pl.Series(case.coded[0]), pl.Series(case.coded[1]))
    return best_match(*joint_sets(case, *joint_numbers(case, items, days)), "contained")


def _first_day(days: Int, unit: str) -> Int:
    """The first day of the period of each day, both counted from 1970; weeks begin on Monday."""
    if unit == "day":
        return days
    if unit == "week":
        return days - (days + 3) % 7
    month = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    length = {"month": 1, "quarter": 3, "year": 12}[unit]
    return (month - month % length).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
