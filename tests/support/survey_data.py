"""The health survey of PWS Cup 2021, where the shared data is there."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

from icefire.contests.pwscup2021 import CATEGORIES, COLUMNS, EXPLAINING, NUMBERS
from icefire.core import roles
from icefire.core.dataset import Dataset
from support.places import DATA

B = DATA / "pwscup2021_nhanes" / "B.csv"
needed = pytest.mark.skipif(not B.is_file(), reason="the shared data (../shared/data/pwscup2021_nhanes) is not here")

COMPARED = {"numbers": NUMBERS, "categories": CATEGORIES}
FORMULA = "dia ~ " + " + ".join(EXPLAINING)


@cache
def survey() -> Dataset:
    """B with its roles."""
    frame = pl.read_csv(B, has_header=False, new_columns=COLUMNS)
    return Dataset(frame, roles.choose(frame, EXPLAINING, ("dia",)), "B")
