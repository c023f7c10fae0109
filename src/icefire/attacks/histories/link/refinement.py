"""Colours of goods: how often each was bought, by how many, by customers who bought how much else, and so on.

Two goods with the same colour look the same to whoever does not know names. Where goods and customers got other names
and no row was lost, a good and its label have the same colour, and hardly any other good has it.
"""

from __future__ import annotations

import numpy as np

from icefire.kernels.types import Int

DEPTHS = (0, 1, 3)
"""Rounds of looking further: none where rows were lost, for then only what is near stays as it was."""
_MULTIPLIERS = np.array([0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64)


def colours_of_goods(subjects: Int, goods: Int, depth: int) -> np.ndarray:
    """Return the colour of every good.

    Args:
        subjects: The subject of every row.
        goods: The good of every row.
        depth: How often colours are refined by those of the buyers, and these by those of their goods.

    Returns:
        One number per good, equal for goods that look the same.
    """
    width = int(goods.max(initial=-1)) + 1
    edges, counts = np.unique(subjects * max(width, 1) + goods, return_counts=True)
    who, what = edges // max(width, 1), edges % max(width, 1)
    often = _mixed(counts.astype(np.uint64))
    colours = _gathered(what, often, width)
    for _ in range(depth):
        buyers = _gathered(who, _mixed(colours[what] + often), int(who.max(initial=-1)) + 1)
        colours = _gathered(what, _mixed(buyers[who] + often), width)
    return colours


def _gathered(groups: Int, values: np.ndarray, size: int) -> np.ndarray:
    """Return the sum of the values of each group, whatever their order, as one mixed number."""
    total = np.zeros(size, np.uint64)
    np.add.at(total, groups, values)
    return _mixed(total)


def _mixed(values: np.ndarray) -> np.ndarray:
    """Return numbers that are spread evenly, equal ones for equal ones."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in zip((30, 27), _MULTIPLIERS, strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * factor
    result: np.ndarray = mixed ^ (mixed >> np.uint64(31))
    return result
