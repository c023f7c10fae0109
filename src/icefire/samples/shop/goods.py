"""The goods of the sample `shop`: one catalogue, the same for every seed.

Goods belong to departments. In each a few sell well and most hardly ever, by lognormal weights; prices are lognormal,
too, and end in 5 or 9. Weights and prices are whole numbers, so that the last bits of exp, which differ between
processors, change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.types import Float, Int
from icefire.samples.draw import Draws

CATALOGUE_SEED = 20_000
FIRST_CODE = 20_001
POSTAGE = "POST"


class Department(NamedTuple):
    """One kind of goods: how many there are, a typical price in pence, and sales from January to December."""

    goods: int
    price: int
    sales: tuple[float, ...]


DEPARTMENTS = {
    "kitchen": Department(470, 210, (1.5,) * 12),
    "decoration": Department(510, 260, (1.6,) * 12),
    "stationery": Department(330, 95, (0.8, 0.7, 0.7, 0.7, 0.7, 0.7, 0.8, 1.3, 1.0, 0.8, 0.8, 0.8)),
    "toys": Department(270, 160, (0.6, 0.6, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.9, 1.1, 1.4, 1.2)),
    "bags": Department(180, 185, (1.1,) * 12),
    "candles": Department(210, 150, (0.7, 0.6, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.7, 0.9, 1.0, 1.0)),
    "jewellery": Department(300, 240, (0.4, 0.6, 0.4, 0.4, 0.5, 0.4, 0.4, 0.4, 0.4, 0.4, 0.5, 0.5)),
    "garden": Department(210, 330, (0.3, 0.4, 0.8, 1.2, 1.4, 1.3, 1.0, 0.7, 0.4, 0.3, 0.2, 0.2)),
    "party": Department(190, 75, (0.6, 0.6, 0.6, 0.7, 0.8, 0.9, 0.9, 0.9, 0.7, 0.7, 0.7, 0.8)),
    "textiles": Department(240, 380, (0.7,) * 12),
    "furniture": Department(110, 950, (0.3,) * 12),
    "christmas": Department(340, 140, (0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1, 0.5, 1.4, 2.2, 2.6, 1.8)),
}
"""Sales need not add up to anything."""

POPULARITY = 1.46  # standard deviation of the logarithm of a good's weight
PRICE_SPREAD = 0.75
DEARER = 0.35  # share of the goods whose price goes up once in the year
RISE = 12  # per cent
# Pieces in a pack, for goods below these prices in pence.
PACKS = ((80, 24), (200, 12), (450, 6), (900, 3), (10**9, 1))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All goods, numbered department by department; the last one is postage."""

    codes: NDArray[np.str_]
    reach: Int
    """Running sum of the weights."""
    first: Int
    """Where the weights of each department begin in that sum, and where the last one ends."""
    pence: Int
    pack: Int
    dearer_from: Int
    """The month, from 0, in which the price goes up; 12 for never."""

    @property
    def postage(self) -> int:
        """The number of the postage."""
        return len(self.codes) - 1

    def pick(self, departments: Int, uniform: Float) -> Int:
        """Choose one good of each department by weight."""
        low, high = self.first[departments], self.first[departments + 1]
        goods: Int = np.searchsorted(self.reach, low + np.floor(uniform * (high - low)), side="right")
        return goods


@cache
def catalogue() -> Catalogue:
    """Make the catalogue."""
    sizes = np.array([department.goods for department in DEPARTMENTS.values()])
    draws = Draws(CATALOGUE_SEED, 0, int(sizes.sum()))
    weights = 1 + np.rint(1000 * np.exp(POPULARITY * draws.normal())).astype(np.int64)
    typical = np.repeat([department.price for department in DEPARTMENTS.values()], sizes)
    pence = _price_points(typical * np.exp(PRICE_SPREAD * draws.normal()))
    month = np.where(draws.chance(DEARER), np.floor(12 * draws.uniform()), 12).astype(np.int64)
    reach = np.cumsum(weights)
    codes = np.array([*(str(FIRST_CODE + i) for i in range(len(weights))), POSTAGE])
    return Catalogue(
        codes,
        reach,
        np.concatenate(([0], reach[np.cumsum(sizes) - 1])),
        pence,
        np.select([pence < below for below, _ in PACKS], [pack for _, pack in PACKS]),
        month,
    )


def _price_points(pence: Float) -> Int:
    """Turn any price into one that a shop would print: 0.39, 0.75, 2.95, 12.95."""
    steps = np.select([pence < 60, pence < 200, pence < 1000], [10, 20, 50], 100)
    ending = np.where(pence < 60, 1, 5)
    points: Int = (np.maximum(np.rint(pence / steps), 1) * steps - ending).astype(np.int64)
    return points
