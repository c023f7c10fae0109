"""The customers of the sample `shop`: their table, and what kind of buyer each one is.

The kind, the size of the purchases and the favourite departments are unseen; they make histories differ. The countries
are those a British gift shop might send to, most of its trade customers being abroad.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.kernels.types import Bool, Float, Int, Int8
from icefire.samples.draw import Draws
from icefire.samples.shop.goods import DEPARTMENTS

FIRST_NUMBER = 10_001
WOMEN = 0.8
BORN = (1962.0, 11.0)  # mean, standard deviation
EARLIEST, LATEST = 1925, 2005

HOME = "United Kingdom"
COUNTRIES = {
    HOME: 24,
    "Germany": 17,
    "France": 17,
    "Spain": 6,
    "Belgium": 5,
    "Switzerland": 4.5,
    "Portugal": 4,
    "Italy": 3.5,
    "Finland": 3,
    "Austria": 2.5,
    "Norway": 2.5,
    "Netherlands": 2,
    "Denmark": 2,
    "Sweden": 1.5,
    "Japan": 1.2,
    "Australia": 1.2,
    "Poland": 1,
    "Cyprus": 1,
    "Greece": 0.8,
    "Canada": 0.7,
    "Israel": 0.6,
    "Ireland": 0.6,
    "Iceland": 0.3,
    "Malta": 0.3,
    "Singapore": 0.3,
    "Brazil": 0.2,
}

# Private people, small shops, wholesalers: weights, then parameters of their receipts and lines.
KINDS = (55, 35, 10)
MORE_RECEIPTS = np.array([(-0.30, 1.00), (1.25, 0.85), (2.15, 1.05)])  # beyond the first: exp of a normal
LINES = np.array([20.5, 22.5, 22.5])  # typical number on one receipt
LINES_SPREAD = 0.45
REPEATS = np.array([0.18, 0.22, 0.28])  # chance that a line is something bought before
MOST_RECEIPTS = 400
FAVOURITES = 2


@dataclass(frozen=True, slots=True)
class DrawnCustomers:
    """Some customers: what the table shows, and what only their purchases tell."""

    first: int
    """Number of the first one."""
    sex: Int8
    birthday: NDArray[np.datetime64]
    country: Int8
    kind: Int8
    receipts: Int
    lines: Float
    favourites: Int8
    """Customers × FAVOURITES."""

    @property
    def abroad(self) -> Bool:
        """Whether goods are sent to another country."""
        return self.country > 0

    def table(self) -> pl.DataFrame:
        """Return the columns people see."""
        return pl.DataFrame(
            {
                "customer": np.arange(self.first, self.first + len(self.sex)),
                "sex": pl.Series(["f", "m"]).gather(self.sex),
                "birthday": pl.Series(self.birthday).cast(pl.Date).dt.to_string("%Y-%m-%d"),
                "country": pl.Series(list(COUNTRIES)).gather(self.country),
            }
        )


def draw(draws: Draws, before: int) -> DrawnCustomers:
    """Draw customers; `before` of them came earlier."""
    sex = (~draws.chance(WOMEN)).astype(np.int8)
    mean, spread = BORN
    year = np.clip(np.rint(mean + spread * draws.normal()), EARLIEST, LATEST).astype(np.int64)
    day = np.floor(365 * draws.uniform()).astype(np.int64)
    country = draws.category(list(COUNTRIES.values()))
    kind = draws.category(KINDS)
    middle, deviation = MORE_RECEIPTS[kind].T
    more = np.minimum(np.floor(np.exp(middle + deviation * draws.normal())), MOST_RECEIPTS - 1)
    lines = LINES[kind] * np.exp(LINES_SPREAD * draws.normal())
    weights = [department.goods for department in DEPARTMENTS.values()]
    favourites = np.stack([draws.category(weights) for _ in range(FAVOURITES)], axis=1)
    birthday = (year - 1970).astype("datetime64[Y]").astype("datetime64[D]") + day.astype("timedelta64[D]")
    return DrawnCustomers(
        FIRST_NUMBER + before, sex, birthday, country, kind, 1 + more.astype(np.int64), lines, favourites
    )
