"""What the tests of measures for surveys share: the contest's data and settings, small tables, a measure's value."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from icefire.core import roles
from icefire.core.dataset import Dataset
from icefire.core.registry import get
from icefire.core.release import Case, Comparison, Truth
from support.places import DATA

B = DATA / "pwscup2021_nhanes" / "B.csv"
contest_data = pytest.mark.skipif(
    not B.is_file(), reason="the shared data (../shared/data/pwscup2021_nhanes) is not here"
)
CATEGORIES = "gen,race,edu,mar,dep,pir,qm,dia"
KEY = "gen,age,race,edu,mar,bmi,dep,pir,qm"
TABLES = {
    "columns": KEY,
    "by": "dia",
    "bins": "age: 19 44 64 80; bmi: 15 18.5 25 30 70; dep: -inf 0.5 inf; pir: -inf 0.5 inf",
}
MODEL = {"formula": "dia ~ gen + age + race + edu + mar + bmi + dep + pir + qm"}
ROUNDING = "age: 10; bmi: 10"


def table(columns: dict[str, list], sa: tuple[str, ...] = ()) -> Dataset:
    frame = pl.DataFrame(columns)
    return Dataset(frame, roles.choose(frame, [name for name in columns if name not in sa], sa))


def pair(x: Dataset, y: Dataset, truth: list[int] | None = None) -> Comparison:
    return Comparison(Case(x, y), Truth(np.arange(y.height) if truth is None else np.array(truth)))


def value(name: str, comparison: Comparison, **parameters: object) -> float:
    entry = get("measure", name)
    return float(entry.function(comparison, **entry.bind(parameters)))


def smokers(no_0: int, no_1: int, yes_0: int, yes_1: int) -> Dataset:
    smokes = ["no"] * (no_0 + no_1) + ["yes"] * (yes_0 + yes_1)
    ill = [0] * no_0 + [1] * no_1 + [0] * yes_0 + [1] * yes_1
    return table({"smokes": smokes, "ill": ill}, sa=("ill",))
