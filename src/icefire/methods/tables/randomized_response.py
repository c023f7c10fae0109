"""Randomised response: keep a value with a probability, else draw one uniformly."""

from __future__ import annotations

import math

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Columns, Share
from icefire.core.registry import method
from icefire.methods.common.columns import CATEGORIES_BY_ROLE, categories, coded


@method(
    "randomized_response",
    needs=("qi",),
    draws=True,
    drops_rows=False,
    breaks_classes=True,
    defaults={"columns": CATEGORIES_BY_ROLE},
)
def randomized_response(
    data: Dataset, *, rng: np.random.Generator, keep: Share = 0.8, columns: Columns = None
) -> Dataset:
    """Keep each value with a probability, else draw one of the values present, the true one included.

    The draw is uniform over the m distinct values of the column, so a value stays with keep + (1 - keep)/m, and the
    column satisfies local differential privacy with ε = ln((keep + (1 - keep)/m) / ((1 - keep)/m)). Missing values stay
    missing: that a value is missing is not protected.

    Args:
        data: The table.
        rng: Random generator.
        keep: Probability of keeping a value without a draw.
        columns: Columns to change. Default: the quasi-identifiers that are categories, or all of them if none is.

    Returns:
        The table with other values; the notes state ε by column and in all.
    """
    names = categories(data, "randomized_response", columns)
    changed, epsilons = [], {}
    for name in names:
        known = coded(data.frame[name])
        moves = (rng.random(data.height) >= keep) & (known.codes >= 0)
        draws = rng.integers(0, max(known.size, 1), data.height)
        changed.append(known.column(np.where(moves, draws, known.codes)))
        epsilons[name] = epsilon(keep, known.size)
    total = sum(epsilons.values())
    return data.with_columns(*changed).noted(
        epsilon={name: _said(value) for name, value in epsilons.items()}, epsilon_total=_said(total)
    )


def epsilon(keep: float, values: int) -> float:
    """Privacy loss of one answer among so many values: how much likelier the true one makes itself."""
    if values < 2:
        return 0.0
    lie = (1 - keep) / values
    return math.inf if lie == 0 else math.log((keep + lie) / lie)


def _said(value: float) -> float | str:
    """JSON has no infinity."""
    return "unbounded" if math.isinf(value) else round(value, 6)
