"""Dates of a person that were all moved by one secret number of days: the times between them tell who it is."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.attacks.tables.link import column_sources
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.link.ordering import ordered_tables
from icefire.core.dataset import Dataset
from icefire.core.release import Case
from icefire.core.roles import choose

PEOPLE = 200


def stays(seed: int = 1) -> pl.DataFrame:
    """Days of admission, surgery and discharge, one after the other."""
    rng = np.random.default_rng(seed)
    days = np.cumsum([rng.integers(0, 1500, PEOPLE), rng.gamma(2, 20, PEOPLE), rng.gamma(2, 60, PEOPLE)], axis=0)
    return pl.DataFrame(dict(zip(("admitted", "operated", "left"), days.round(0), strict=True)))


def moved(table: pl.DataFrame, seed: int = 2) -> pl.DataFrame:
    shift = pl.Series(np.random.default_rng(seed).integers(-700, 700, table.height).astype(float))
    return table.with_columns(pl.all() + shift)


def case_of(table: pl.DataFrame, released: pl.DataFrame) -> Case:
    roles = choose(table, ("admitted",), ("operated", "left"))
    return Case(Dataset(table, roles), Dataset(released, roles))


def test_only_kept_differences_are_compared():
    table = stays()
    other = column_sources.as_differences(ordered_tables(case_of(table, moved(table))))
    assert other is not None
    assert other.words == dict.fromkeys(("left", "operated"), "compared by the difference from admitted")
    expected = (table["left"] - table["admitted"]).sort()
    assert other.tables.x["left"].sort().to_list() == other.tables.y["left"].sort().to_list() == expected.to_list()
    rng = np.random.default_rng(3)
    noisy = table.with_columns(pl.col(name) + pl.Series(rng.normal(0, 300, PEOPLE)) for name in table.columns)
    assert column_sources.as_differences(ordered_tables(case_of(table, noisy))) is None


def test_columns_of_few_values_and_kept_columns_are_compared_as_they_are():
    # Sex and size of the household were kept, so their difference is, too; it would count the size twice.
    rng = np.random.default_rng(6)
    table = stays().with_columns(
        sex=pl.Series(rng.integers(1, 3, PEOPLE)),
        size=pl.Series(rng.integers(1, 8, PEOPLE)),
        income=pl.Series(rng.gamma(2, 1000, PEOPLE)),
        rent=pl.Series(rng.gamma(2, 300, PEOPLE)),
    )
    released = table.with_columns(moved(table.select("admitted", "operated", "left")))
    roles = choose(table, ("sex", "size"), ("admitted", "operated", "left", "income", "rent"))
    other = column_sources.as_differences(ordered_tables(Case(Dataset(table, roles), Dataset(released, roles))))
    assert other is not None
    assert set(other.words) == {"left", "operated"}


def test_people_are_found_by_the_times_between_their_dates():
    table = stays()
    order = np.random.default_rng(4).permutation(PEOPLE)
    guess = link(case_of(table, moved(table[order])), rng=np.random.default_rng(1))
    assert (guess.first == order).mean() > 0.9
    assert guess.probability is not None
    assert guess.probability.mean() > 0.8


def test_columns_shuffled_one_by_one_stay_unknown():
    table = stays()
    rng = np.random.default_rng(5)
    shuffled = table.select(pl.Series(name, table[name].to_numpy()[rng.permutation(PEOPLE)]) for name in table.columns)
    guess = link(case_of(table, shuffled), rng=np.random.default_rng(1))
    assert guess.probability is not None
    assert guess.probability.mean() < 0.1
