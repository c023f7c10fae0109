"""Publish a history: rename the subjects, shuffle the rows, separate the truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from icefire.core import seeds
from icefire.core.dataset import ORIGIN
from icefire.core.history.history import History, positions
from icefire.core.release import Release, Truth
from icefire.kernels.types import Int


def with_origin(data: History) -> History:
    """Give every row, hidden, the number of the subject it will be known by."""
    return data.with_frame(data.frame.with_columns(pl.Series(ORIGIN, data.codes)))


def publish(data: History, originals: pl.Series, as_run: dict[str, Any], seed: int) -> Release[History]:
    """Rename the subjects, shuffle, and split the truth off.

    `originals` are the subjects' names before the recipe ran. A subject whose rows are all gone is not released, unless
    the customer table still lists it.
    """
    renamed, order = shuffled(data, seeds.generator(seed, "publish"))
    released = replace(renamed, frame=renamed.frame.drop(ORIGIN), name="released", digest="", dropped=0)
    return Release(released, Truth(origins(data, originals)[order]), as_run, seed)


def shuffled(data: History, rng: np.random.Generator) -> tuple[History, Int]:
    """Rename the subjects to numbers from 1 at random and shuffle all rows; subject order[j] became subject j."""
    order = rng.permutation(data.subjects)
    number = np.empty(data.subjects, np.int64)
    number[order] = np.arange(1, data.subjects + 1)
    names = pl.Series(data.fields.subject, number).cast(pl.String)
    rows = rng.permutation(data.height)
    frame = data.frame.with_columns(names[data.codes].alias(data.fields.subject))[rows]
    customers = None if data.customers is None else data.customers.with_columns(names)[order]
    return replace(data, frame=frame, customers=customers), order


def origins(data: History, originals: pl.Series) -> Int:
    """Return the original subject of every subject: of its rows, or by its unchanged name where it has none."""
    subjects = positions(data.names, originals).copy()
    subjects[data.codes] = data.origin
    return subjects
