"""Pseudonyms that change: the own history cut into units as the release seems to have been."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.attacks.histories.link.dates import PERIODS
from icefire.kernels.types import Int

MORE = 1.02
"""Pseudonyms change if they outnumber the customers so many times."""
TOO_FEW = 0.95
"""There must be at least so many units for each pseudonym."""
TRIED = 2
INSIDE = 0.98
"""Share of the pseudonyms whose dates must lie in one period."""


@dataclass(frozen=True)
class Units:
    """What a pseudonym may stand for: a customer, or one period of a customer."""

    rows: Int
    """The unit of every own row."""
    owner: Int
    """The customer of every unit."""
    words: str
    """The period; "" where pseudonyms do not change."""


def fitting_units(own: pl.DataFrame, shown: pl.DataFrame, customers: int, pseudonyms: int) -> list[Units]:
    """Cut the own history by the periods whose numbers of units come nearest to the number of pseudonyms.

    Args:
        own: Own rows with subject and, as far as they are there, `exact` (seconds since 1970) and receipt.
        shown: Released rows with subject and, if dates were released, `exact`.
        customers: Number of customers.
        pseudonyms: Number of released subjects.

    Returns:
        The nearest first; none where there are no more pseudonyms than customers, or no period fits.
    """
    if pseudonyms <= MORE * customers:
        return []
    subjects = own["subject"].to_numpy()
    cut = [_units(subjects, periods, customers, words) for words, periods in _periods(own, shown)]
    fitting = [units for units in cut if len(units.owner) >= TOO_FEW * pseudonyms]
    return sorted(fitting, key=lambda units: abs(np.log(len(units.owner) / pseudonyms)))[:TRIED]


def _units(subjects: Int, periods: Int, customers: int, words: str) -> Units:
    width = int(periods.max(initial=0)) + 1
    distinct, rows = np.unique(subjects * width + periods, return_inverse=True)
    without = np.setdiff1d(np.arange(customers), subjects)
    return Units(rows.reshape(-1), np.concatenate((distinct // width, without)), words)


def _periods(own: pl.DataFrame, shown: pl.DataFrame) -> list[tuple[str, Int]]:
    """The periods that released dates do not contradict."""
    periods = []
    if "receipt" in own.columns:
        periods.append(("receipt", own["receipt"].rank("dense").fill_null(0).cast(pl.Int64).to_numpy()))
    if "exact" in own.columns:
        when = own["exact"].to_numpy()
        for words, period in PERIODS.items():
            dates = shown["exact"].to_numpy() if "exact" in shown.columns else None
            if dates is None or _inside(period(dates), shown["subject"].to_numpy()):
                numbers = period(when)
                periods.append((words, numbers - numbers.min(initial=0)))
    return periods


def _inside(periods: Int, subjects: Int) -> bool:
    """Tell whether nearly all subjects have one period only."""
    rows = pl.DataFrame({"subject": subjects, "period": periods})
    counts = rows.group_by("subject").agg(pl.col("period").n_unique())["period"]
    return int((counts == 1).sum()) >= INSIDE * len(counts)
