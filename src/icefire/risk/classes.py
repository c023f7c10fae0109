"""Prosecutor, journalist and marketer risk, and uniqueness, from class sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from icefire.core import blocks
from icefire.core.blocks import Blocks
from icefire.core.release import Comparison
from icefire.core.scorecard.class_risk import ClassRisk
from icefire.core.scorecard.risks import Classes
from icefire.kernels.types import Float, Int
from icefire.risk import population, recoding


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of every released row, how many rows are in its class: in the release, and in the original (maybe none)."""

    released: Int
    original: Int
    recoded: list[str]
    labels: Int
    """The class of each row in the release."""


def sizes(comparison: Comparison) -> Sizes:
    """Count the class of every released row in both tables; missing values are values of their own."""
    known, recoded = recoding.recode_original(comparison)
    names = comparison.original.qi
    joined = blocks.blocks_of_tables(known, comparison.released.frame, names) if recoded else comparison.case.blocks()
    return Sizes(_own(joined), joined.candidates.sizes, recoded, _labels(joined))


def _own(joined: Blocks) -> Int:
    own = np.empty(len(joined.y_rows), np.int64)
    own[joined.y_rows] = np.repeat(joined.y_sizes, joined.y_sizes)
    return own


def _labels(joined: Blocks) -> Int:
    labels = np.empty(len(joined.y_rows), np.int64)
    labels[joined.y_rows] = np.repeat(np.arange(joined.count), joined.y_sizes)
    return labels


def prosecutor(counted: Sizes) -> Float:
    """Chance of each row with an attacker who knows that the person is in the release."""
    chances: Float = 1 / counted.released
    return chances


def journalist(counted: Sizes) -> Float:
    """Chance of each row with an attacker who looks for it in the original; who matches nobody is not found."""
    return np.where(counted.original > 0, 1 / np.maximum(counted.original, 1), 0.0)


def summarize(counted: Sizes, threshold: float, people: int | None) -> Classes:
    """Sum the chances up; `people` is the size of the population, where the release is a sample of a larger one."""
    unique = counted.released == 1
    searched = journalist(counted)
    return Classes(
        prosecutor=_summary(prosecutor(counted), threshold),
        journalist=_summary(searched, threshold),
        marketer=float(searched.mean()),
        unmatched=int((counted.original == 0).sum()),
        recoded=counted.recoded,
        unique=int(unique.sum()),
        unique_in_original=int((unique & (counted.original == 1)).sum()),
        population=None if people is None else population.estimate(counted.released, people),
    )


def _summary(chances: Float, threshold: float) -> ClassRisk:
    return ClassRisk(float(chances.max()), float(chances.mean()), int((chances > threshold).sum()))
