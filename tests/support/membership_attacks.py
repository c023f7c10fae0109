"""What the tests of attacks on membership share: tables, the contest's data, and the answers of an attack."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.contests.pwscup2021 import CATEGORIES, NUMBERS, READING
from icefire.core import registry, roles, seeds
from icefire.core.dataset import Dataset
from icefire.core.membership import MembershipCase
from icefire.core.release import Case, Comparison, Guess, Truth
from icefire.io.tables import read_frame
from support.places import DATA

B = DATA / "pwscup2021_nhanes" / "B.csv"
contest_data = pytest.mark.skipif(
    not B.is_file(), reason="the shared data (../shared/data/pwscup2021_nhanes) is not here"
)
CONTEST = {"numbers": NUMBERS, "categories": CATEGORIES}
ATTACKS = sorted(
    entry.name for entry in registry.entries("attack") if entry.question == "membership" and entry.release == "rows"
)


def people(*rows: tuple) -> Dataset:
    """Rows of age, body mass index and sex."""
    frame = pl.DataFrame(rows, schema={"age": pl.Float64, "bmi": pl.Float64, "sex": pl.String}, orient="row")
    return Dataset(frame, roles.choose(frame, ("age", "bmi", "sex"), ()))


def ages(*values: float) -> Dataset:
    frame = pl.DataFrame({"age": [float(value) for value in values]})
    return Dataset(frame, roles.choose(frame, ("age",), ()))


def answers(name: str, case: MembershipCase, seed: int = 1, **parameters: object) -> list[list[int]]:
    entry = registry.get("attack", name)
    guess: Guess = entry.function(case, rng=seeds.generator(seed, name), **entry.bind(parameters))
    return guess.rows.tolist()


RECORDS = people((30, 20, "m"), (40, 25, "f"), (50, 30, "m"), (60, 35, "f"))
RELEASED = people((31, 20, "m"), (40, 25, "m"), (58, 30, "m"), (30, 22, "m"), (40, 26, "f"))
NOBODY = [-1, -1, -1]


def survey(rows: int) -> Dataset:
    return icefire.sample("survey", rows)


def contest_table() -> Dataset:
    frame = read_frame(B, READING["how"])
    return Dataset(frame, roles.choose(frame, READING["qi"], READING["sa"]), "B.csv")


def left_out(data: Dataset, gone: np.ndarray) -> Comparison:
    kept = np.setdiff1d(np.arange(data.height), gone)
    return Comparison(Case(data, data.take(kept)), Truth(kept))
