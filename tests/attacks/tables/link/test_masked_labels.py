"""Labels of columns with more values than levels, such as postcodes whose last digits were masked."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.link.columns import encode, readable
from icefire.core.release import Case

ROWS = 900


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, ROWS),
            "postcode": [f"{code:05d}" for code in rng.integers(0, 99999, ROWS)],
            "income": rng.integers(1000, 9000, ROWS),
        }
    )


def masked(table, kept):
    return table.with_columns(pl.col("postcode").str.slice(0, kept) + "*" * (5 - kept))


@pytest.mark.parametrize("kept", [4, 2])
def test_a_level_of_labels_covers_a_level_of_values_if_one_of_its_labels_covers_one_of_them(table, kept):
    x, y = table["postcode"], masked(table, kept)["postcode"]
    column = encode(*readable(x, y), 64)
    prefixes, values = y.str.strip_chars("*").to_list(), x.to_list()
    slow = np.zeros((column.y.count, column.x.count), bool)
    for label, level in zip(prefixes, column.y.codes, strict=True):
        covered = [value.startswith(label) for value in values]
        slow[level, np.unique(column.x.codes[covered])] = True
    assert (slow <= column.covers).all()
    assert (column.covers & ~slow).sum() <= 2 * len(slow)  # neighbours at the ends of a level


def test_masked_postcodes_are_read_whatever_their_role(table):
    released = masked(table, 3).with_columns(table["income"].shuffle(seed=1))
    for roles in ({"qi": ["age", "postcode"], "sa": ["income"]}, {"qi": ["age"], "sa": ["income"]}):
        case = Case(icefire.read(table, **roles), icefire.read(released, **roles))
        answers = link(case, rng=np.random.default_rng(1))
        assert (answers.first == np.arange(ROWS)).mean() > 0.9
        assert answers.notes["columns"]["postcode"]["family"] == "covers"
