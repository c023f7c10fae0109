"""Parts of values that were kept though the values are others: last digits, and the shape of texts.

Noise in whole hundreds leaves what remains after division by 100; dates moved by whole weeks leave the day of the week;
texts with every letter masked leave the lengths of their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.audit.obstacles.date_parts import is_part
from icefire.core.dataset import numbers
from icefire.kernels.evidence.pair_scores import add_for_equal
from icefire.kernels.types import Float, Int

DIVISORS = (2, 5, 7, 10, 12, 20, 24, 25, 50, 60, *(step * 10**power for power in range(2, 7) for step in (1, 2, 5)))
"""Round numbers of units; a unit is 1, or the last decimal that both columns have."""
DECIMALS = 4
"""Columns with more decimals are not whole numbers of units."""
MOSTLY = 0.5
"""Rows that hold a part of the value of another column, at least."""
FEWEST_VALUES = 16
"""Columns of fewer values may be equal to parts of others by chance."""
LEAST_GAIN = 0.1
"""Log-likelihood per row from which on a kept part says something."""
LARGEST = 2.0**53
"""Larger numbers are not exact."""
MISSING = -1


@dataclass(frozen=True)
class KeptPart:
    """What equal parts of the values of one column say about who a row is."""

    gain: float
    """Mean log-likelihood per row."""
    equal: float
    """Log ratio of rows whose parts are equal."""
    unequal: float
    shown: Int
    """Parts of released values, numbered; negative where a value is missing."""
    known: Int

    def add_scores(self, scores: Float, rows: Int) -> None:
        """Add the log ratios of every original row for some released rows."""
        add_for_equal(scores, self.shown[rows], self.known, (self.equal, self.unequal), MISSING)


def learn_kept_part(x: pl.Series, y: pl.Series, truth: Int, taught: Int) -> KeptPart | None:
    """Learn from some released rows which part of its values a column kept; None where it kept none.

    Args:
        x: The column in the original.
        y: The released column of the same name.
        truth: Original row of each released row.
        taught: Released rows to learn from.
    """
    if x.dtype.is_numeric() and y.dtype.is_numeric():
        parts = _last_digits(numbers(x), numbers(y))
    elif x.dtype == pl.String and y.dtype == pl.String:
        parts = _parts_of_texts(x, y)
    else:
        return None
    learned = [_learned(known, shown, truth[taught], taught) for known, shown in parts]
    best = max(learned, key=lambda each: each.gain, default=None)
    return best if best is not None and best.gain > LEAST_GAIN else None


def learn_part_of_another(x: pl.DataFrame, y: pl.Series, truth: Int, taught: Int) -> tuple[KeptPart, str] | None:
    """Learn whether a column of numbers holds the last digits of another column, and of which; None if of none.

    Args:
        x: The original columns.
        y: The released column.
        truth: Original row of each released row.
        taught: Released rows to learn from.
    """
    if not y.dtype.is_numeric() or y.n_unique() <= FEWEST_VALUES:
        return None
    shown, best, own_rows = numbers(y), None, truth[taught]
    largest = [float(np.nanmax(np.abs((shown * 10.0**decimals).round()))) for decimals in range(DECIMALS + 1)]
    for column in x:
        other = column.name != y.name and column.dtype.is_numeric() and not is_part(column.name)
        # What is true of all rows is true of those that are learned from.
        if not other or not _may_be_part(numbers(column.gather(own_rows)), shown[taught], largest):
            continue
        units = _whole_units(numbers(column), shown)
        if units is None:
            continue
        for divisor in _divisors(float(np.nanmax(np.abs(units[1])))):
            known, said = _remainders(units[0], divisor), _remainders(units[1], divisor)
            if (known[truth[taught]] == said[taught]).mean() > MOSTLY:
                part = _learned(known, said, truth[taught], taught)
                best = (part, column.name) if best is None or part.gain > best[0].gain else best
    return best if best is not None and best[0].gain > LEAST_GAIN else None


def _may_be_part(own: Float, shown: Float, largest: Sequence[float]) -> bool:
    """Tell whether released values of some rows mostly are the last digits of those of their people, in any unit.

    Args:
        own: The values of the people.
        shown: The released values.
        largest: By the decimals of the unit, the largest released value of all rows in whole units.
    """
    for decimals, most in enumerate(largest):
        known, said = (values * 10.0**decimals for values in (own, shown))
        if not all(_are_whole(values) or np.isnan(values).all() for values in (known, said)):
            continue
        known, said = known.round(), said.round()
        for divisor in _divisors(most):
            if (_remainders(known, divisor) == _remainders(said, divisor)).mean() > MOSTLY:
                return True
    return False


def _divisors(largest: float) -> list[int]:
    """Return the round numbers that are larger than all values: then the last digits are the whole value."""
    return [divisor for divisor in DIVISORS if divisor > largest][:3]


def _last_digits(x: Float, y: Float) -> Iterator[tuple[Int, Int]]:
    """List what remains of both columns after division by each round number."""
    units = _whole_units(x, y)
    if units is not None:
        for divisor in DIVISORS:
            yield _remainders(units[0], divisor), _remainders(units[1], divisor)


def _parts_of_texts(x: pl.Series, y: pl.Series) -> Iterator[tuple[Int, Int]]:
    """List the lengths of the words, of the texts, the first letters of words, and the digits of both columns."""
    both = pl.concat([x.alias("text"), y.alias("text")]).str.strip_chars()
    for part in (
        both.str.replace_all(r"\S", "x"),
        both.str.len_chars(),
        both.str.to_lowercase().str.replace_all(r"(\w)\w*", "$1"),
        both.str.replace_all(r"\D", ""),
    ):
        numbered = (part.rank("dense").cast(pl.Int64) - 1).fill_null(MISSING).to_numpy()
        yield numbered[: len(x)], numbered[len(x) :]


def _whole_units(x: Float, y: Float) -> tuple[Float, Float] | None:
    """Return both columns as whole numbers of the same unit, or None if they are not."""
    for decimals in range(DECIMALS + 1):
        scaled = [values * 10.0**decimals for values in (x, y)]
        if all(_are_whole(values) for values in scaled):
            return scaled[0].round(), scaled[1].round()
    return None


def _are_whole(values: Float) -> bool:
    known = values[~np.isnan(values)]
    return bool(len(known) and np.abs(known).max() < LARGEST and np.abs(known - known.round()).max() < 1e-4)


def _learned(known: Int, shown: Int, own_rows: Int, taught: Int) -> KeptPart:
    one, other = known[own_rows], shown[taught]
    both = (one != MISSING) & (other != MISSING)
    rows = int(both.sum())
    if not rows:
        return KeptPart(0.0, 0.0, 0.0, shown, known)
    share = (float((one[both] == other[both]).sum()) + 0.5) / (rows + 1.0)
    chance = _equal_by_chance(known[known != MISSING], shown[shown != MISSING])
    equal, unequal = float(np.log(share / chance)), float(np.log((1 - share) / (1 - chance)))
    gain = (share * equal + (1 - share) * unequal) * rows / len(taught) if share > chance else 0.0
    return KeptPart(gain, equal, unequal, shown, known)


def _remainders(values: Float, divisor: int) -> Int:
    remainders: Int = np.where(np.isnan(values), MISSING, np.nan_to_num(values) % divisor).astype(np.int64)
    return remainders


def _equal_by_chance(known: Int, shown: Int) -> float:
    """Return how often a released and an original row drawn at random have equal parts."""
    counts, counts_shown = np.bincount(known), np.bincount(shown)
    kinds = min(len(counts), len(counts_shown))
    equal = float((counts[:kinds] * counts_shown[:kinds]).sum()) + 0.5
    return equal / (len(known) * len(shown) + 1.0)
