"""Seeded random columns and chunks of rows: the first rows do not depend on how many rows are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from icefire.core.errors import ParameterError
from icefire.kernels.types import Bool, Float, Int8

CHUNK_ROWS = 65_536
"""Rows of a table that are drawn at a time."""
SCATTER = 61_803_399
"""Without a common factor with any power of ten, so that different rows get different numbers."""


def check_size(n: int, seed: int) -> None:
    """Refuse a number of rows or a seed that cannot be drawn."""
    if n < 1:
        raise ParameterError(f"a sample of {n} rows cannot be made; ask for at least 1")
    if seed < 0:
        raise ParameterError(f"the seed is {seed}; it must be a whole number, at least 0")


def chunk_sizes(n: int, most: int) -> Iterator[int]:
    """Cut n rows into full chunks of `most` rows and a last one with the rest."""
    for start in range(0, n, most):
        yield min(most, n - start)


class Draws:
    """Random columns of one chunk.

    Every column has its own generator, keyed by (seed, chunk, column). A generator deals its numbers in row
    order, so a shorter chunk is a prefix of a longer one.
    """

    def __init__(self, seed: int, chunk: int, rows: int) -> None:
        self.rows = rows
        self._seed = seed
        self._chunk = chunk
        self._column = 0

    def _generator(self) -> np.random.Generator:
        key = np.random.SeedSequence(self._seed, spawn_key=(self._chunk, self._column))
        self._column += 1
        return np.random.default_rng(key)

    def uniform(self) -> Float:
        """Draw from [0, 1)."""
        return self._generator().random(self.rows)

    def normal(self) -> Float:
        """Draw from the standard normal distribution."""
        return self._generator().standard_normal(self.rows)

    def numbers(self, prefix: str, digits: int) -> pl.Series:
        """Return numbers as text that differ in all rows of all chunks and show no order."""
        most = 10**digits
        row = self._chunk * CHUNK_ROWS + np.arange(self.rows, dtype=np.int64)
        scattered = pl.Series((row * SCATTER + self._seed) % most)
        return prefix + scattered.cast(pl.String).str.zfill(digits)

    def chance(self, probability: ArrayLike) -> Bool:
        """Draw true with this probability, one for all rows or one per row."""
        return self.uniform() < np.asarray(probability)

    def category(self, weights: Sequence[Any], given: NDArray[Any] | None = None) -> Int8:
        """Draw codes 0, 1, ... by weight; with `given`, row r uses the weights in line given[r]."""
        lines = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        edges = np.cumsum(lines, axis=1) / lines.sum(axis=1, keepdims=True)
        line = np.zeros(1, dtype=np.int8) if given is None else given
        uniform = self.uniform()
        codes = np.zeros(self.rows, dtype=np.int8)
        for edge in edges.T[:-1]:
            codes += uniform >= edge[line]
        return codes


def draw_chunks(draw_chunk: Callable[[Draws], pl.DataFrame], n: int, seed: int) -> Iterator[pl.DataFrame]:
    """Draw a table of n rows as frames of at most CHUNK_ROWS rows, each by its own random columns."""
    check_size(n, seed)
    return (draw_chunk(Draws(seed, chunk, rows)) for chunk, rows in enumerate(chunk_sizes(n, CHUNK_ROWS)))


def join_chunks(chunks: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Put chunks together to one frame."""
    # Without rechunk, polars keeps the chunks as they are and the whole is never held twice.
    return pl.concat(chunks, rechunk=False)
