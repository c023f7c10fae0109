"""A sensitive column as the judge reads it: the values of the people, and what each released cell says.

A released cell that may be several values, a set or a group of a hierarchy, counts for each of them in equal parts; one
that may be any value, and a missing one, says nothing. A number is right within the tolerance.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core import align, bands
from icefire.core.dataset import numbers
from icefire.core.quantiles import quantiles_of_sorted
from icefire.hierarchy.coverage import Coverage, read_labels
from icefire.hierarchy.labels import Between, interval
from icefire.kernels.evidence.votes import ListedRows, count_votes, median_votes
from icefire.kernels.types import Bool, Float, Int

FEW_NUMBERS = 10
"""Numbers of no more different values are categories if people share them, none is within the tolerance of another,
and the release has no others: codes, grades, small counts."""
SHARED_BY = 2
"""People who have one of the values, on average, at least."""
PROBED = 1_000
"""People who mostly show that there are more values."""
NOTHING = -1
"""The code of a value that is missing, or of no answer."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What evidence says about each target: a value, its share of the evidence, and how many rows say something."""

    value: Float
    """A number or the code of a category; NaN for no answer."""
    share: Float
    rows: Int

    @property
    def answered(self) -> Bool:
        """About whom something is said."""
        said: Bool = self.rows > 0
        return said


class SecretColumn(ABC):
    """Values of people, and of released rows."""

    truth: Float
    """Of each person, NaN if missing: a number or the code of a category."""
    tolerance: float | None

    @abstractmethod
    def said_by(self, evidence: ListedRows, without_own: bool = False) -> Statement:
        """Sum up the evidence for each target."""

    @abstractmethod
    def right(self, value: Float, truth: Float) -> Bool:
        """Tell which guesses are right."""

    @abstractmethod
    def prior_share(self, value: Float) -> Float:
        """Return the share of the release that has each of these values."""

    @abstractmethod
    def prior_guess(self, without: list[Int] | None, targets: int) -> Float:
        """Return what the release as a whole suggests for each target, without some rows of it."""

    @abstractmethod
    def coded(self, values: pl.Series) -> Float:
        """Return values that an attack answered, as `truth` holds them."""

    @property
    def is_constant(self) -> bool:
        """Whether everybody has the same value."""
        known = self.truth[~np.isnan(self.truth)]
        return len(known) == 0 or bool((known == known[0]).all())


def read_secret(people: pl.Series, released: pl.Series, tolerance: float, controls: pl.Series | None) -> SecretColumn:
    """Read a column of the people, of the release and, where there are any, of people outside.

    Args:
        people: The values of the people the release was made from.
        released: The released cells.
        tolerance: A number is right within this share of the interquartile range.
        controls: Values of people outside; they follow those of the people in `truth`.
    """
    everybody = people if controls is None else pl.concat([people, controls])
    banded = _middles_of_bands(everybody, released)
    if banded is not None:
        secret = NumberSecret(banded.people, banded.middles, tolerance, len(people))
        if banded.half_width <= secret.reach:
            return secret
    if everybody.dtype.is_numeric():
        number = NumberSecret(everybody, released, tolerance, len(people))
        if not _few_values(people, released, number.reach):
            return number
    return CategorySecret(everybody, released, len(people))


@dataclass(frozen=True, slots=True)
class _Banded:
    """Numbers that were released as bands."""

    people: pl.Series
    middles: pl.Series
    """The middle of each released band, the end of one that is open on a side."""
    half_width: float
    """Of the median cell."""


def _middles_of_bands(everybody: pl.Series, released: pl.Series) -> _Banded | None:
    """Read numbers released as bands, or return None. Narrow bands tell a number within the tolerance."""
    if released.dtype != pl.String or not bands.are_numbers_and_bands(released):
        return None
    known = align.as_numbers(everybody)
    if known is None or align.as_numbers(released) is not None:
        return None
    labels = released.drop_nulls().unique().to_list()
    ends = {text: interval(text.strip()) or Between(float(text), float(text)) for text in labels}
    middles = {text: _middle(band) for text, band in ends.items()}
    widths = released.replace_strict({text: (band.high - band.low) / 2 for text, band in ends.items()}).drop_nulls()
    return _Banded(known, released.replace_strict(middles, return_dtype=pl.Float64), float(widths.median()))  # type: ignore[arg-type]


def _middle(band: Between) -> float:
    if np.isinf(band.low) or np.isinf(band.high):
        return band.high if np.isinf(band.low) else band.low
    return (band.low + band.high) / 2


def _few_values(people: pl.Series, released: pl.Series, reach: float) -> bool:
    """Tell whether numbers are categories: few, shared, further apart than the tolerance, and no others released."""
    known = people.drop_nulls()
    if known.head(PROBED).n_unique() > FEW_NUMBERS:
        return False
    values = known.unique().sort()
    if len(values) > FEW_NUMBERS or SHARED_BY * len(values) > len(known):
        return False
    apart = bool((values.cast(pl.Float64).diff().drop_nulls() > reach).all())
    return apart and bool(released.drop_nulls().unique().is_in(values.implode()).all())


class CategorySecret(SecretColumn):
    """A column of categories."""

    def __init__(self, everybody: pl.Series, released: pl.Series, people: int) -> None:
        """Number the values, and list those that each released label may be."""
        self.tolerance = None
        covered = read_labels(everybody, released, counted=people)
        missing = everybody.is_null().to_numpy()
        self.truth = np.where(missing, np.nan, covered.places.astype(np.float64))
        self._texts = _texts(everybody, covered)
        self.labels = covered.labels.astype(np.int64)
        silent = np.zeros(len(covered.start) - 1, bool)
        silent[covered.labels[released.is_null().to_numpy()]] = True
        silent |= covers_everything(covered)
        self.value_start, self.values = _listed(covered, silent)
        sizes = np.diff(self.value_start)
        weight = np.repeat(1 / np.maximum(1, sizes), sizes) * np.repeat(
            np.bincount(self.labels, minlength=len(sizes)), sizes
        )
        self.weights = np.bincount(self.values, weight, covered.size).astype(np.float64)
        self.prior = self.weights / max(1e-300, self.weights.sum())

    def said_by(self, evidence: ListedRows, without_own: bool = False) -> Statement:
        """Take the value with most votes."""
        votes = count_votes(evidence, self.labels, self.value_start, self.values, self.weights, without_own)
        return Statement(np.where(votes.code < 0, np.nan, votes.code), votes.share, votes.rows)

    def right(self, value: Float, truth: Float) -> Bool:
        """The value itself."""
        same: Bool = value == truth
        return same

    def prior_share(self, value: Float) -> Float:
        """Share of the release, cells that may be several values in equal parts."""
        known = ~np.isnan(value)
        share = np.zeros(len(value))
        share[known] = self.prior[value[known].astype(np.int64)]
        return share

    def prior_guess(self, without: list[Int] | None, targets: int) -> Float:
        """The commonest value."""
        if without is None:
            return np.full(targets, float(np.argmax(self.weights)))
        return np.array([float(np.argmax(self._weights_without(rows))) for rows in without])

    def _weights_without(self, rows: Int) -> Float:
        weights: Float = self.weights.copy()
        for label in self.labels[rows]:
            begin, end = self.value_start[label], self.value_start[label + 1]
            if end > begin:
                weights[self.values[begin:end]] -= 1 / (end - begin)
        return weights

    def coded(self, values: pl.Series) -> Float:
        """Look the values up; one that nobody has is wrong."""
        known = {text: float(code) for code, text in enumerate(self._texts)}
        return np.array([np.nan if v is None else known.get(str(v), float(NOTHING)) for v in values.to_list()])


def _texts(everybody: pl.Series, covered: Coverage) -> list[str]:
    """Return the value of each place as text."""
    texts = np.full(covered.size, "", object)
    texts[covered.places] = everybody.cast(pl.String).fill_null("").to_numpy()
    return [str(text) for text in texts]


def covers_everything(covered: Coverage) -> Bool:
    """Tell which labels may be any value."""
    width = np.zeros(len(covered.start) - 1, np.int64)
    np.add.at(width, np.repeat(np.arange(len(width)), np.diff(covered.start)), covered.high - covered.low)
    everything: Bool = (width >= covered.size) & (covered.size > 1)
    return everything


def _listed(covered: Coverage, silent: Bool) -> tuple[Int, Int]:
    """List the values each label may be; none for a silent one."""
    stretch_label = np.repeat(np.arange(len(silent)), np.diff(covered.start))
    kept = ~silent[stretch_label]
    low, high, label = covered.low[kept], covered.high[kept], stretch_label[kept]
    sizes = high - low
    values = np.repeat(low - np.append(0, np.cumsum(sizes)[:-1]), sizes) + np.arange(sizes.sum())
    per_label = np.bincount(label, sizes, len(silent)).astype(np.int64)
    return np.append(0, np.cumsum(per_label)), values.astype(np.int64)


class NumberSecret(SecretColumn):
    """A column of numbers."""

    def __init__(self, everybody: pl.Series, released: pl.Series, tolerance: float, people: int) -> None:
        """Take the numbers, and the tolerance from the interquartile range of the people."""
        self.truth = numbers(everybody)
        self.cells = numbers(released)
        known = np.sort(self.truth[:people][~np.isnan(self.truth[:people])])
        low, high = quantiles_of_sorted(known, (0.25, 0.75)) if len(known) else (0.0, 0.0)
        self.tolerance = float(tolerance * (high - low))
        # A number computed in another way may differ in its last digits.
        self.reach = self.tolerance + 1e-9 * float(np.abs(known).max(initial=0.0))
        self._sorted = np.sort(self.cells[~np.isnan(self.cells)])

    def said_by(self, evidence: ListedRows, without_own: bool = False) -> Statement:
        """Take the median."""
        return Statement(*median_votes(evidence, self.cells, self.reach, without_own))

    def right(self, value: Float, truth: Float) -> Bool:
        """Within the tolerance."""
        return np.abs(value - truth) <= self.reach

    def prior_share(self, value: Float) -> Float:
        """Share of the release within the tolerance of each value."""
        inside = np.searchsorted(self._sorted, value + self.reach, "right") - np.searchsorted(
            self._sorted, value - self.reach
        )
        share: Float = np.where(np.isnan(value), 0.0, inside / max(1, len(self._sorted)))
        return share

    def prior_guess(self, without: list[Int] | None, targets: int) -> Float:
        """The median."""
        if without is None:
            return np.full(targets, self._median(np.empty(0, np.int64)))
        return np.array([self._median(rows) for rows in without])

    def _median(self, rows: Int) -> float:
        """Return the median without some rows."""
        cells = self.cells[rows]
        gone = sorted(np.searchsorted(self._sorted, cells[~np.isnan(cells)]).tolist())
        gone = [place + sum(place == other for other in gone[:i]) for i, place in enumerate(gone)]
        left = len(self._sorted) - len(gone)
        return np.nan if left <= 0 else (self._remaining((left - 1) // 2, gone) + self._remaining(left // 2, gone)) / 2

    def _remaining(self, wanted: int, gone: list[int]) -> float:
        for place in gone:
            wanted += place <= wanted
        return float(self._sorted[wanted])

    def coded(self, values: pl.Series) -> Float:
        """Numbers as they are."""
        return numbers(values)
