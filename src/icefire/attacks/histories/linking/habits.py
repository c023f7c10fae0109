"""Habits of pseudonyms: at which hours, on which weekdays and how many pieces they buy, compared as counts.

What one person does is taken to be drawn from shares of its own, which scatter around those of everybody. How far they
scatter is learned from the pseudonyms of each period by themselves, so no pair need be known beforehand. Two pseudonyms
are compared by how much more likely their counts are with the same shares than with shares of two people.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from icefire.core.history import History
from icefire.core.linking import LinkingCase
from icefire.kernels.types import Float, Int

HOUR_SECONDS, DAY_SECONDS, WEEKDAYS = 3_600, 86_400, 7
WIDTHS = (1, 2, 3, 4, 6, 8)
"""Hours that are taken together; the width whose hours tell most about a pseudonym's own other hours is chosen."""
CONCENTRATIONS = tuple(2.0**power for power in range(-2, 11))
"""How near the shares of people are to those of everybody; the likeliest is taken."""
MOST_PIECES = 12
"""Larger numbers of pieces fall together."""
MOST_GOODS = 12
"""Numbers of pieces count as if they came from no more goods: people change them from one period to the next, and more
goods would make them look surer than they are."""
LARGEST = 200
"""Counts are not taken as larger: such a pseudonym is known by its habits well enough."""
KEPT_RATES, LIKELY_RATES = (0.0, 0.5, 0.9), (0.1, 0.3, 0.6)
"""How often a habit may stay the same in the next period, and how likely each rate is beforehand."""


@dataclass(frozen=True, slots=True)
class Habit:
    """How often each pseudonym of both periods did what falls into each bin."""

    first: Int
    second: Int


def read_habits(case: LinkingCase) -> list[Habit]:
    """Return hours, weekdays and numbers of pieces, as far as both periods have them.

    A visit counts once, however many goods it has: rows of one moment have one hour.
    """
    sides = (case.first, case.second)
    habits = []
    if all(side.has("date") for side in sides):
        if any((side.when % DAY_SECONDS).any() for side in sides):
            habits.append(_hours(sides))
        days = [
            _counts(side, side.when // DAY_SECONDS, side.when // DAY_SECONDS % WEEKDAYS, WEEKDAYS) for side in sides
        ]
        habits.append(Habit(*days))
    if all(side.has("number") for side in sides):
        habits.append(_numbers(case))
    return habits


def _numbers(case: LinkingCase) -> Habit:
    """Return how many goods were bought in each number of pieces; large numbers fall together.

    A good counts once, by its mean number: rows of one good have numbers alike.
    """
    items_one, items_other, goods = case.coded
    counts = []
    for side, items, baskets in zip((case.first, case.second), (items_one, items_other), case.baskets, strict=True):
        entry = np.searchsorted(baskets.owners * goods + baskets.items, side.codes * goods + items)
        means = np.bincount(entry, side.numbers, len(baskets.items)) / np.bincount(entry, None, len(baskets.items))
        pieces = np.clip(np.rint(means), 0, MOST_PIECES).astype(np.int64)
        places = baskets.owners * (MOST_PIECES + 1) + pieces
        each = np.bincount(places, minlength=side.subjects * (MOST_PIECES + 1)).reshape(-1, MOST_PIECES + 1)
        counts.append(_fewer(each, MOST_GOODS))
    return Habit(*counts)


def _fewer(counts: Int, most: int) -> Int:
    """Scale counts down to a total of about so many for each pseudonym."""
    totals = np.maximum(counts.sum(axis=1, keepdims=True), most)
    scaled: Int = np.rint(counts * (most / totals)).astype(np.int64)
    return scaled


def _hours(sides: tuple[History, History]) -> Habit:
    """Return the hours of visits, in parts of the day as wide as tells most."""
    each = [_counts(side, side.when // HOUR_SECONDS, side.when % DAY_SECONDS // HOUR_SECONDS, 24) for side in sides]

    def wide(width: int) -> Habit:
        return Habit(*(counts.reshape(len(counts), -1, width).sum(axis=2) for counts in each))

    halves = [
        _counts(side, side.when // HOUR_SECONDS, side.when % DAY_SECONDS // HOUR_SECONDS, 24, half)
        for half in (0, 1)
        for side in sides[:1]
    ]

    def told(width: int) -> float:
        one, other = (counts.reshape(len(counts), -1, width).sum(axis=2) for counts in halves)
        scores = HabitScores(Habit(one, other), wide(width))
        return float(scores.of_pairs(np.arange(len(one))[:, None]).sum())

    return wide(max(WIDTHS, key=told))


def _counts(side: History, moments: Int, bins: Int, count: int, half: int | None = None) -> Int:
    """Count the different moments of each pseudonym by bin; of every second one, if a half is named."""
    span = int(moments.max(initial=0)) + 1
    visits, rows = np.unique(side.codes * span + moments, return_index=True)
    people = side.codes[rows]
    if half is not None:
        place = np.arange(len(visits)) - np.searchsorted(people, people)
        rows, people = rows[place % 2 == half], people[place % 2 == half]
    counts = np.bincount(people * count + bins[rows], minlength=side.subjects * count).reshape(-1, count)
    return np.minimum(counts, LARGEST)


class HabitScores:
    """Compares pseudonyms by one habit."""

    def __init__(self, habit: Habit, whole: Habit | None = None) -> None:
        """Learn how people differ.

        Args:
            habit: What is compared.
            whole: What is learned from, if `habit` is a part of it: single visits do not tell how people differ.
        """
        self.habit = habit
        source = habit if whole is None else whole
        everybody = np.concatenate([source.first, source.second])
        totals = everybody.sum(axis=0) + 0.5
        self.shares: Float = totals / totals.sum()
        self.concentration = max(CONCENTRATIONS, key=lambda each: self._likelihood(everybody, each))

    def _likelihood(self, counts: Int, concentration: float) -> float:
        """Return how likely the counts are, as a logarithm; what no concentration changes is left out."""
        tables = list(self._tables(counts, concentration))
        each = sum(table[counts[:, place]].sum() for place, table in enumerate(tables[:-1]))
        return float(each - tables[-1][counts.sum(axis=1)].sum())

    def _tables(self, counts: Int, concentration: float) -> Iterator[Float]:
        """Return, for each bin and last for the total, the logarithm of a (a + 1) … (a + n - 1) for every n."""
        sums = counts.sum(axis=1).max(initial=0)
        for start, most in (*zip(concentration * self.shares, counts.max(axis=0), strict=True), (concentration, sums)):
            yield np.append(0.0, np.cumsum(np.log(start + np.arange(2 * int(most) + 1))))

    def of_pairs(self, pairs: Int) -> Float:
        """Return how much more likely the counts of each pair are by one person than by two, as a logarithm."""
        one, other = self.habit.first, self.habit.second
        chosen = np.maximum(pairs, 0)
        tables = list(self._tables(np.concatenate([one, other]), self.concentration))
        total = np.zeros(pairs.shape)
        for place, table in enumerate(tables[:-1]):
            total += _together(table, one[:, place], other[:, place], chosen)
        gain: Float = total - _together(tables[-1], one.sum(axis=1), other.sum(axis=1), chosen)
        return gain


def _together(table: Float, one: Int, other: Int, chosen: Int) -> Float:
    gain: Float = table[one[:, None] + other[chosen]] - table[one][:, None] - table[other][chosen]
    return gain


def learn_kept_rate(gains: Float, purity: float) -> float:
    """Return how often a habit stays the same from one period to the next: the likeliest of a few rates.

    Args:
        gains: Of pairs that something else suggests, how much more likely their counts are by one person.
        purity: The share of these pairs that are right.
    """
    ratio = np.exp(np.clip(gains, -50.0, 50.0)) - 1.0
    fits = [
        float(np.log1p(purity * rate * ratio).sum()) + np.log(prior)
        for rate, prior in zip(KEPT_RATES, LIKELY_RATES, strict=True)
    ]
    return KEPT_RATES[int(np.argmax(fits))]


def with_kept_rate(gains: Float, rate: float) -> Float:
    """Return what a habit adds if it stays the same with this rate only."""
    added: Float = np.log1p(rate * np.expm1(np.clip(gains, -50.0, 50.0)))
    return added
