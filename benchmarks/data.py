"""The tables every benchmark runs on: synthetic households, and a release of them."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

import icefire
from icefire.core.dataset import Dataset
from icefire.core.release import Release
from icefire.samples import households

QI, SA = list(households.QI), list(households.SA)


@cache
def survey(rows: int) -> Dataset:
    """A survey of so many households, in one piece."""
    data = icefire.sample("households", rows)
    return data.with_frame(data.frame.rechunk())


@cache
def noisy(rows: int) -> Release:
    """The survey with a little noise on every expenditure, shuffled."""
    return icefire.anonymize(survey(rows), {"step": [{"method": "noise", "scale": 0.02}]})


def unseen(data: Dataset) -> Dataset:
    """The same table with nothing found out about it, as if it had just been read."""
    return data.with_frame(data.frame)


def codes(rows: int) -> pl.DataFrame:
    """The quasi-identifiers as small whole numbers, the form in which every peer is fastest."""
    frame = survey(rows).frame.select(QI)
    return frame.with_columns(pl.col(pl.String).rank("dense").cast(pl.Int8))


def shuffled_columns(frame: pl.DataFrame, seed: int = 0) -> pl.DataFrame:
    """Every column shuffled by itself, which makes nearest-neighbour search hard."""
    rng = np.random.default_rng(seed)
    return frame.select(column[rng.permutation(frame.height)] for column in frame)
