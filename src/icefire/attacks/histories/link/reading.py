"""What readings of columns share: how well the attacker's copy, changed likewise, fits the release."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.kernels.types import Float, Int

CLEARLY = 1.02
"""A reading that changes the own copy must fit so many times as well as one that changes less."""
Values = TypeVar("Values")


@dataclass(frozen=True)
class ColumnReading:
    """A column of both histories after the own copy was changed as the release seems to have been."""

    own: Int
    shown: Int
    """Numbers that are equal where the values are."""
    change: str
    """The change in words."""
    fit: float
    """Share of the rows of the smaller history that the other has as well, by this column and the good."""


def overlap(own: Int, shown: Int) -> float:
    """Return the share of the smaller collection of keys that is in the other, too, each key as often as it occurs."""
    size = int(max(own.max(initial=-1), shown.max(initial=-1))) + 1
    common = np.minimum(np.bincount(own, minlength=size), np.bincount(shown, minlength=size)).sum()
    return float(common) / max(min(len(own), len(shown)), 1)


def joint_codes(own: Int | Float | pl.Series, shown: Int | Float | pl.Series) -> tuple[Int, Int]:
    """Number the values of both sides together."""
    sides = [pl.Series("value", values) for values in (own, shown)]
    codes = blocks.dense_ranks(pl.concat([sides[0], sides[1].cast(sides[0].dtype)])).fill_null(0).to_numpy()
    codes = codes.astype(np.int64)
    return codes[: len(sides[0])], codes[len(sides[0]) :]


def paired(first: tuple[Int, Int], second: tuple[Int, Int]) -> tuple[Int, Int]:
    """Number pairs of numbers."""
    size = int(max(part.max(initial=-1) for part in second)) + 1
    both = np.concatenate(first) * max(size, 1) + np.concatenate(second)
    codes: Int = np.unique(both, return_inverse=True)[1].reshape(-1)
    return codes[: len(first[0])], codes[len(first[0]) :]


def best_fitting(
    candidates: Iterable[tuple[str, Callable[[], Values]]], fit: Callable[[Values], float]
) -> tuple[str, Values, float]:
    """Return the name, the value and the fit of the best candidate; later ones must fit clearly better.

    Args:
        candidates: Names and the functions that make the candidates, those that change least first.
        fit: How well a candidate fits.
    """
    best: tuple[str, Values, float] | None = None
    for name, make in candidates:
        value = make()
        quality = fit(value)
        if best is None or quality > best[2] * CLEARLY:
            best = (name, value, quality)
    assert best is not None
    return best
