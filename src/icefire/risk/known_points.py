"""The risk of people of whom somebody knows k points: items, counts, times, order, frequencies of their history."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np

from icefire.core.errors import ParameterError, SchemaError, did_you_mean
from icefire.core.history import History
from icefire.core.history.dates import DAY
from icefire.kernels.points import facts, fewest_matches, random_sets, sequences
from icefire.kernels.points.facts import FactIndex
from icefire.kernels.types import Bool, Float, Int

PointsKind = Literal["items", "counts", "time", "order", "frequency", "share", "ratio", "top2"]
TimePrecision = Literal["hour", "day", "week", "month"]
KINDS: tuple[str, ...] = get_args(PointsKind)
PRECISIONS: tuple[str, ...] = get_args(TimePrecision)
WITH_TOLERANCE = ("frequency", "share", "ratio")
NEEDS_DATE = ("time", "order")
SETS = 100
"""Random sets of points per person that a mean is taken over; all of them where there are not more."""
EFFORT = 200_000_000
TOTAL_EFFORT = 60_000_000_000
LEAST_EFFORT = 1_000_000
"""Steps of the search of one person: EFFORT, or of many people an equal part of TOTAL_EFFORT, at least LEAST_EFFORT."""
FORM = "KIND:K, such as counts:3, time:2:day (precision), or frequency:2:0.1, share:2:0.1, ratio:2:0.1 (tolerance)"


@dataclass(frozen=True, slots=True)
class PointsKnowledge:
    """What is known of a person: k points of a kind."""

    kind: PointsKind
    k: int
    precision: TimePrecision = "hour"
    """Times are cut to this; for the kind `time`."""
    tolerance: float = 0.0
    """Share of a count, share or ratio by which that of another person may differ; for these kinds."""

    @property
    def setting(self) -> str:
        """The precision or the tolerance, where the kind has one."""
        if self.kind == "time":
            return self.precision
        return f"{self.tolerance:g}" if self.kind in WITH_TOLERANCE else ""

    def __str__(self) -> str:
        return ":".join(part for part in (self.kind, str(self.k), self.setting) if part)

    def check(self, data: History) -> None:
        """Refuse a history that lacks what the kind needs."""
        if self.kind in NEEDS_DATE and not data.has("date"):
            raise SchemaError(
                f"points {self.kind!r} need to know when each row happened, but there is no date column; "
                "name it with --date (and --time, if the time of day has a column of its own)"
            )


def parse_points(text: str) -> PointsKnowledge:
    """Read KIND:K, KIND:K:PRECISION or KIND:K:TOLERANCE; `top2` needs no number.

    Args:
        text: What is known.

    Returns:
        The knowledge.

    Raises:
        ParameterError: If the kind, the number, the precision or the tolerance is not allowed.
    """
    kind, *parts = (part.strip() for part in text.split(":"))
    if kind not in KINDS:
        raise ParameterError(f"points got {text!r}: no kind is called {kind!r}; {did_you_mean(kind, KINDS)}")
    most = 2 if kind == "time" or kind in WITH_TOLERANCE else 1
    if len(parts) > most or (not parts and kind != "top2"):
        raise ParameterError(f"points got {text!r}; give {FORM}")
    k = _number(text, parts[0]) if parts else 2
    if kind == "top2" and k != 2:
        raise ParameterError(f"points got {text!r}: top2 knows two items, not {k}; write top2")
    known = PointsKnowledge(cast("PointsKind", kind), k)
    if len(parts) < 2:
        return known
    if kind == "time":
        if parts[1] not in PRECISIONS:
            raise ParameterError(
                f"points got {text!r}: no precision is called {parts[1]!r}; {did_you_mean(parts[1], PRECISIONS)}"
            )
        return PointsKnowledge("time", k, precision=cast("TimePrecision", parts[1]))
    return PointsKnowledge(known.kind, k, tolerance=_tolerance(text, parts[1]))


def _number(text: str, part: str) -> int:
    if not (part.isascii() and part.isdigit()) or int(part) < 1:
        raise ParameterError(f"points got {text!r}: {part!r} is not a number of points; give a whole number above 0")
    return int(part)


def _tolerance(text: str, part: str) -> float:
    try:
        tolerance = float(part)
    except ValueError:
        tolerance = math.nan
    if not 0 <= tolerance < 1:
        raise ParameterError(f"points got {text!r}: the tolerance {part!r} must be a share from 0 to below 1")
    return tolerance


@dataclass(frozen=True, slots=True)
class PeopleAtRisk:
    """The risk of each person asked about."""

    risk: Float
    """By the points that tell most: 1 / number of people who fit them."""
    bound: Float
    """The risk cannot be higher; equal to it where the search was complete."""
    complete: Bool
    mean: Float
    """Over random sets of points."""
    mean_variance: Float
    """Variance of that mean; 0 where it was taken over all sets."""
    short: int
    """People with fewer than k points; all of theirs are known."""


class KnownPoints:
    """A history laid out for one kind of knowledge; k may vary up to the number given."""

    def __init__(self, data: History, known: PointsKnowledge) -> None:
        known.check(data)
        self.known = known
        self.people = data.subjects
        if known.kind == "order":
            order = np.argsort(data.when, kind="stable")
            self._sequences = sequences.index_sequences(
                data.codes[order], data.items[order], data.subjects, len(data.goods)
            )
            self._points = np.diff(self._sequences.begin)
        else:
            self._facts = FACTS[known.kind](data, known)
            self._points = np.bincount(
                np.repeat(np.arange(data.subjects), np.diff(self._facts.start)),
                weights=self._facts.points,
                minlength=data.subjects,
            ).astype(np.int64)

    def risk_of_people(
        self, people: Int, k: int | None = None, *, seed: int = 0, sets: int = SETS, effort: int | None = None
    ) -> PeopleAtRisk:
        """Return the risk of the people named, each with at least one row.

        Args:
            people: The people, by their number in the history.
            k: Number of points known; default as given.
            seed: Seed of the random sets.
            sets: Random sets per person.
            effort: Most steps of the search of one person; default by the number of people.
        """
        k = self.known.k if k is None else k
        if effort is None:
            effort = max(LEAST_EFFORT, min(EFFORT, TOTAL_EFFORT // max(len(people), 1)))
        if self.known.kind == "order":
            least, bound, complete = sequences.fewest_in_order(self._sequences, people, k, effort)
            mean, variance, drawn = random_sets.mean_of_sequences(self._sequences, people, k, sets, seed)
        else:
            least, bound, complete = fewest_matches.fewest_matches(self._facts, people, k, effort)
            mean, variance, drawn = random_sets.mean_of_fact_sets(self._facts, people, k, sets, seed)
        least = np.minimum(least, drawn)
        short = 0 if self.known.kind == "top2" else int((self._points[people] < k).sum())
        return PeopleAtRisk(1.0 / least, 1.0 / bound, complete, mean, variance, short)


def in_order_of_appearance(data: History) -> Int:
    """Return the subjects with rows, in the order in which the rows name them first."""
    subjects, first = np.unique(data.codes, return_index=True)
    return subjects[np.argsort(first)]


def _counted(data: History) -> tuple[Int, Int, Int]:
    """Each person's distinct items: person, item, number of rows."""
    goods = max(len(data.goods), 1)
    pairs, counts = np.unique(data.codes * goods + data.items, return_counts=True)
    return *np.divmod(pairs, goods), counts


def _items(data: History, known: PointsKnowledge) -> FactIndex:
    people, items, _ = _counted(data)
    return facts.index_facts(people, items, np.zeros(len(people)), data.subjects, len(data.goods))


def _counts(data: History, known: PointsKnowledge) -> FactIndex:
    people, items, counts = _counted(data)
    index = facts.index_facts(people, items, counts.astype(np.float64), data.subjects, len(data.goods))
    return facts.with_thresholds(index, counts, known.k)


def _times(data: History, known: PointsKnowledge) -> FactIndex:
    times = cut_times(data.when, known.precision)
    times = times - times.min()
    pairs, keys = np.unique(data.items * (int(times.max()) + 1) + times, return_inverse=True)
    entries, counts = np.unique(data.codes * max(len(pairs), 1) + keys.reshape(-1), return_counts=True)
    people, keys = np.divmod(entries, max(len(pairs), 1))
    index = facts.index_facts(people, keys, counts.astype(np.float64), data.subjects, len(pairs))
    return facts.with_thresholds(index, counts, known.k)


def _amounts(data: History, known: PointsKnowledge) -> FactIndex:
    people, items, counts = _counted(data)
    whole: Float = np.ones(data.subjects)
    if known.kind == "share":
        whole = np.bincount(people, weights=counts, minlength=data.subjects).astype(np.float64)
    elif known.kind == "ratio":
        np.maximum.at(whole, people, counts)
    values = counts / whole[people]
    index = facts.index_facts(people, items, values, data.subjects, len(data.goods))
    return facts.with_tolerance(index, values, known.tolerance)


def _two_most_frequent(data: History, known: PointsKnowledge) -> FactIndex:
    people, items, counts = _counted(data)
    order = np.lexsort((items, -counts, people))
    people, items = people[order], items[order]
    start = np.searchsorted(people, np.arange(data.subjects + 1))
    subjects = np.flatnonzero(np.diff(start))
    first = items[start[subjects]]
    second = np.where(np.diff(start)[subjects] > 1, items[np.minimum(start[subjects] + 1, len(items) - 1)], first)
    pairs = np.minimum(first, second) * max(len(data.goods), 1) + np.maximum(first, second)
    distinct, keys = np.unique(pairs, return_inverse=True)
    return facts.index_facts(subjects, keys.reshape(-1), np.zeros(len(subjects)), data.subjects, len(distinct))


FACTS: dict[str, Callable[[History, PointsKnowledge], FactIndex]] = {
    "items": _items,
    "counts": _counts,
    "time": _times,
    "frequency": _amounts,
    "share": _amounts,
    "ratio": _amounts,
    "top2": _two_most_frequent,
}


def cut_times(when: Int, precision: TimePrecision) -> Int:
    """Return the number of the hour, day, week (from Monday) or month of every instant."""
    if precision == "hour":
        return when // 3_600
    days = when // DAY
    if precision == "day":
        return days
    if precision == "week":
        return (days + 3) // 7
    months: Int = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return months
