"""Columns moved up or down as a whole: everybody has the value of whoever stands so many rows later in the original.

Whoever compares the columns of a few known people with the original sees how far, and has everybody's values back.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core.dataset import numbers
from icefire.kernels.types import Float, Int

CLEAR = 7.0
"""Agreement, in standard deviations of all distances, from which on a column was moved by one of them."""
AHEAD = 1.3
"""How much clearer the distance is than that of the own row."""
FEWEST = 20
"""Rows that show how far a column was moved, at least."""
LARGEST = 1 << 20
"""Longer tables are not looked at."""
DRAWS = 4
"""Draws of numbers for the categories of a column."""


def moved_to_own_rows(x: pl.DataFrame, y: pl.DataFrame, truth: Int, taught: Int) -> pl.DataFrame:
    """Return the original with every column that was moved as a whole where the release has it.

    Args:
        x: The original columns.
        y: The released columns.
        truth: Original row of each released row.
        taught: Released rows whose origin is known.
    """
    if len(taught) < FEWEST or x.height > LARGEST or len(np.unique(truth[taught])) < len(taught):
        return x
    columns = []
    for column in x:
        distance = _distance(column, y[column.name], truth, taught) if column.name in y.columns else 0
        columns.append(column.gather((np.arange(x.height) + distance) % x.height) if distance else column)
    return pl.DataFrame(columns)


def _distance(known: pl.Series, shown: pl.Series, truth: Int, taught: Int) -> int:
    """Return by how many rows a column was moved; 0 if by none."""
    if known.dtype.is_numeric() != shown.dtype.is_numeric() or min(known.n_unique(), shown.n_unique()) < 2:
        return 0
    agreement = np.zeros(len(known))
    for one, other in _as_numbers(known, shown):
        placed = np.zeros(len(known))
        placed[truth[taught]] = other[taught]
        spectrum = np.conj(np.fft.rfft(placed)) * np.fft.rfft(one)
        agreement += np.fft.irfft(spectrum, len(known))
    spread = float(agreement.std())
    far = int(agreement.argmax())
    clear = spread > 0 and agreement[far] - float(agreement.mean()) > CLEAR * spread
    return far if clear and agreement[far] > AHEAD * agreement[0] else 0


def _as_numbers(known: pl.Series, shown: pl.Series) -> list[tuple[Float, Float]]:
    """Return both columns by places in their order, or numbers drawn for every category; 0 on average."""
    if known.dtype.is_numeric():
        return [(_places(numbers(known)), _places(numbers(shown)))]
    texts = pl.concat([known.cast(pl.String).alias("value"), shown.cast(pl.String).alias("value")])
    codes = (texts.rank("dense").fill_null(0)).cast(pl.Int64).to_numpy()
    generator = np.random.default_rng(0)
    drawn = [generator.standard_normal(int(codes.max()) + 1)[codes] for _ in range(DRAWS)]
    return [(_centred(draw[: len(known)]), _centred(draw[len(known) :])) for draw in drawn]


def _places(values: Float) -> Float:
    ranked = pl.Series(values).fill_nan(None).rank("average")
    return _centred(ranked.fill_null(float(ranked.mean() or 0.0)).to_numpy())  # type: ignore[arg-type]


def _centred(values: Float) -> Float:
    centred: Float = values - values.mean()
    return centred
