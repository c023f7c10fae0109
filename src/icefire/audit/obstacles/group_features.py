"""Numbers within groups: how far a value lies from the mean of its department, and which place it has there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.types import Float

FEWEST, MOST = 2, 64
"""Groups of a column."""
ROWS = 3.0
"""Rows of a group, on average, at least."""


def within_groups(
    values: Mapping[str, Float], groups: Mapping[str, NDArray[np.integer[Any]]]
) -> Iterator[tuple[str, Float]]:
    """List every column of numbers within every column of groups: less the mean, in deviations, and by its place.

    The place is a rank in the group, and that as a share of the group.

    Args:
        values: Columns of numbers; missing ones are NaN.
        groups: The group of every row.
    """
    for group, codes in groups.items():
        sizes = np.bincount(codes)
        if not FEWEST <= (sizes > 0).sum() <= min(MOST, len(codes) / ROWS):
            continue
        members = [np.flatnonzero(codes == level) for level in np.flatnonzero(sizes)]
        for name, column in values.items():
            if name == group:
                continue
            inside = np.full((4, len(column)), np.nan)
            for rows in members:
                known = rows[~np.isnan(column[rows])]
                if len(known):
                    inside[:, known] = _within_group(column[known])
            yield from ((f"{name} × {group}", each) for each in inside)


def _within_group(values: Float) -> Float:
    """Return the values of one group less their mean, in deviations, their ranks (of equal ones the middle), shares."""
    centred = values - values.mean()
    ascending = np.sort(values)
    ranks = (np.searchsorted(ascending, values, "left") + np.searchsorted(ascending, values, "right") + 1) / 2
    return np.stack([centred, centred / (values.std() or 1.0), ranks, ranks / len(values)])
