"""How dates were coarsened: to which period, all of them shifted, or so that only the time since the first is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from icefire.attacks.histories.link.reading import best_fitting, joint_codes, overlap, paired
from icefire.core.history.dates import DAY
from icefire.kernels.types import Int

PURE = 0.99
"""Dates were rounded to a period if in each so many of the rows have the same date."""
POOR, GOOD = 0.3, 0.5
"""Dates that fit worse than POOR are compared shifted; a shift must fit better than GOOD."""
MONTH = 30


@dataclass(frozen=True)
class DateReading:
    """Dates of both histories in steps from coarse to fine, after the own ones were changed likewise."""

    own: Int
    shown: Int
    """Seconds since 1970, of the period that was released."""
    change: str
    fit: float


def read_dates(labels: tuple[Int, Int], own: Int, shown: Int) -> DateReading:
    """Find out how dates were changed, and change the own ones likewise.

    Args:
        labels: The goods of both sides.
        own: Seconds since 1970 of every original row.
        shown: The same of every released row.

    Returns:
        The dates of both sides.
    """

    def fit(candidate: Int) -> float:
        return overlap(*paired(labels, joint_codes(candidate, shown)))

    candidates: list[tuple[str, Callable[[], Int]]] = [("kept", lambda: own)]
    candidates += [
        (f"rounded to the {name}", lambda period=period: _rounded(own, shown, period))  # type: ignore[misc]
        for name, period in PERIODS.items()
        if _is_rounded(shown, period(shown))
    ]
    change, changed, quality = best_fitting(candidates, fit)
    if quality < POOR:
        shift = _shift(own, shown)
        moved = fit(own + shift)
        if moved > GOOD:
            return DateReading(own + shift, shown, f"shifted by {shift // DAY:+d} days", moved)
    return DateReading(changed, shown, change, quality)


def since_first(when: Int, subjects: Int, count: int) -> Int:
    """Days since the first row of the same subject."""
    days = when // DAY
    first = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(first, subjects, days)
    elapsed: Int = days - first[subjects]
    return elapsed


def _week(start: int) -> Callable[[Int], Int]:
    return lambda when: (when // DAY - start) // 7


def _months(length: int) -> Callable[[Int], Int]:
    return lambda when: when.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) // length


PERIODS: dict[str, Callable[[Int], Int]] = {
    "hour": lambda when: when // 3600,
    "day": lambda when: when // DAY,
    **{f"week from {name}": _week(start) for start, name in enumerate(("Thursday", "Friday", "Saturday", "Sunday"))},
    **{f"week from {name}": _week(start + 4) for start, name in enumerate(("Monday", "Tuesday", "Wednesday"))},
    "month": _months(1),
    "quarter": _months(3),
    "half-year": _months(6),
    "year": _months(12),
}
"""The number of the period of every instant, finest first. The first of January 1970 was a Thursday."""


def _is_rounded(shown: Int, periods: Int) -> bool:
    """Tell whether in nearly all rows the date is the usual one of its period."""
    if not len(shown):
        return False
    codes, dates = joint_codes(periods, shown)[0], np.unique(shown, return_inverse=True)[1].reshape(-1)
    periods = np.unique(codes, return_inverse=True)[1].reshape(-1)
    pairs, counts = np.unique(periods * (dates.max() + 1) + dates, return_counts=True)
    most = np.zeros(periods.max() + 1, np.int64)
    np.maximum.at(most, pairs // (dates.max() + 1), counts)
    return bool(most.sum() >= PURE * len(shown))


def _rounded(own: Int, shown: Int, period: Callable[[Int], Int]) -> Int:
    """Give every own row the date that its period has in the release; the first date of the period if it has none."""
    released = period(shown)
    distinct, dates = np.unique(released), shown
    order = np.lexsort((dates, released))
    usual = dates[order][np.searchsorted(released[order], distinct)]
    own_period = period(own)
    place = np.minimum(np.searchsorted(distinct, own_period), len(distinct) - 1)
    there = distinct[place] == own_period
    # Own periods that are not in the release keep apart from those that are.
    return np.where(there, usual[place], own)


def _shift(own: Int, shown: Int) -> int:
    """Return the shift in seconds, by whole days, at which the numbers of rows per day agree best."""
    days = [when // DAY for when in (own, shown)]
    low = min(int(part.min()) for part in days)
    length = max(int(part.max()) for part in days) - low + 1
    x, y = (np.bincount(part - low, minlength=length).astype(np.float64) for part in days)
    size = 1 << int(2 * length - 1).bit_length()
    match = np.fft.irfft(np.conj(np.fft.rfft(x - x.mean(), size)) * np.fft.rfft(y - y.mean(), size), size)
    best = int(np.argmax(np.round(match, 6)))
    return (best if best < length else best - size) * DAY
