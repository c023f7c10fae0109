"""Parts of values that were kept though the values are others: last digits, and the shape of texts.

Noise in whole hundreds leaves what remains after division by 100; dates moved by whole weeks leave the day of the week;
texts with every letter masked leave the lengths of their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from icefire.audit.obstacles.counted_columns import MISSING, CountedNumbers, CountedTexts, PartOfRows
from icefire.audit.obstacles.date_parts import is_part
from icefire.audit.obstacles.numbered_values import distinct_values
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
    best: tuple[_Learned, tuple[PartOfRows, PartOfRows]] | None = None
    for part in parts:
        learned = _learned(*part, truth[taught], taught)
        if best is None or learned.gain > best[0].gain:
            best = learned, part
    return best[0].kept(*best[1]) if best is not None and best[0].gain > LEAST_GAIN else None


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
    shown, own_rows = numbers(y), truth[taught]
    best: tuple[_Learned, str, tuple[PartOfRows, PartOfRows]] | None = None
    most = float(np.nanmax(np.abs(shown)))
    largest = [float(np.round(most * 10.0**decimals)) for decimals in range(DECIMALS + 1)]
    for column in x:
        other = column.name != y.name and column.dtype.is_numeric() and not is_part(column.name)
        # What is true of all rows is true of those that are learned from.
        if not other or not _may_be_part(numbers(column.gather(own_rows)), shown[taught], largest):
            continue
        units = _whole_units(numbers(column), shown)
        if units is None:
            continue
        for divisor in _divisors(units[1].largest):
            known, said = (PartOfRows(side, partial(_remainders, divisor=divisor)) for side in units)
            if (known.of_rows(own_rows) == said.of_rows(taught)).mean() > MOSTLY:
                part = _learned(known, said, own_rows, taught)
                if best is None or part.gain > best[0].gain:
                    best = part, column.name, (known, said)
    return (best[0].kept(*best[2]), best[1]) if best is not None and best[0].gain > LEAST_GAIN else None


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


def _last_digits(x: Float, y: Float) -> Iterator[tuple[PartOfRows, PartOfRows]]:
    """List what remains of both columns after division by each round number."""
    units = _whole_units(x, y)
    if units is not None:
        for divisor in DIVISORS:
            part = partial(_remainders, divisor=divisor)
            yield PartOfRows(units[0], part), PartOfRows(units[1], part)


def _parts_of_texts(x: pl.Series, y: pl.Series) -> Iterator[tuple[PartOfRows, PartOfRows]]:
    """List the lengths of the words, of the texts, the first letters of words, and the digits of both columns."""
    known, shown = CountedTexts.of_column(x), CountedTexts.of_column(y)
    both = pl.concat([known.distinct, shown.distinct]).str.strip_chars()
    for part in (
        both.str.replace_all(r"\S", "x"),
        both.str.len_chars(),
        both.str.to_lowercase().str.replace_all(r"(\w)\w*", "$1"),
        both.str.replace_all(r"\D", ""),
    ):
        ranks = (part.rank("dense").cast(pl.Int64) - 1).fill_null(MISSING).to_numpy()
        sides = ranks[: len(known.distinct)], ranks[len(known.distinct) :]
        yield PartOfRows(known, sides[0].__getitem__), PartOfRows(shown, sides[1].__getitem__)


def _whole_units(x: Float, y: Float) -> tuple[CountedNumbers, CountedNumbers] | None:
    """Return both columns as whole numbers of the same unit, or None if they are not."""
    counted = [distinct_values(values) for values in (x, y)]
    for decimals in range(DECIMALS + 1):
        scaled = [distinct * 10.0**decimals for distinct, _ in counted]
        if all(_are_whole(values) for values in scaled):
            known, shown = (
                CountedNumbers(values, decimals, units.round(), counts)
                for values, units, (_, counts) in zip((x, y), scaled, counted, strict=True)
            )
            return known, shown
    return None


def _are_whole(values: Float) -> bool:
    known = values[~np.isnan(values)]
    return bool(len(known) and np.abs(known).max() < LARGEST and np.abs(known - known.round()).max() < 1e-4)


@dataclass(frozen=True)
class _Learned:
    gain: float
    equal: float = 0.0
    unequal: float = 0.0

    def kept(self, known: PartOfRows, shown: PartOfRows) -> KeptPart:
        return KeptPart(self.gain, self.equal, self.unequal, shown.of_rows(slice(None)), known.of_rows(slice(None)))


def _learned(known: PartOfRows, shown: PartOfRows, own_rows: Int, taught: Int) -> _Learned:
    one, other = known.of_rows(own_rows), shown.of_rows(taught)
    both = (one != MISSING) & (other != MISSING)
    rows = int(both.sum())
    if not rows:
        return _Learned(0.0)
    share = (float((one[both] == other[both]).sum()) + 0.5) / (rows + 1.0)
    chance = _equal_by_chance(known.counts(), shown.counts())
    equal, unequal = float(np.log(share / chance)), float(np.log((1 - share) / (1 - chance)))
    gain = (share * equal + (1 - share) * unequal) * rows / len(taught) if share > chance else 0.0
    return _Learned(gain, equal, unequal)


def _remainders(values: Float, divisor: int) -> Int:
    remainders: Int = np.where(np.isnan(values), MISSING, np.nan_to_num(values) % divisor).astype(np.int64)
    return remainders


def _equal_by_chance(counts: Int, counts_shown: Int) -> float:
    """Return how often a released and an original row drawn at random have equal parts, from the rows of each part."""
    kinds = min(len(counts), len(counts_shown))
    equal = float((counts[:kinds] * counts_shown[:kinds]).sum()) + 0.5
    return equal / (int(counts.sum()) * int(counts_shown.sum()) + 1.0)
