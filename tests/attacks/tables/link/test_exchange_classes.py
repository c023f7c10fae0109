"""Columns shuffled one by one inside classes: the class is what is known, at every size of table."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.gate_tables import CLINIC, STAFF, clinic, shuffled, staff

import icefire
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.link.exchange_classes import columns_of_classes
from icefire.core.release import Case

QI = {"qi": ["region", "postcode"], "sa": ["mark 0", "born"]}


CLASSES = [(50, ["region"]), (100, ["region", "sex"]), (400, ["region"]), (600, ["sex"])]


def pupils(rows: int, seed: int) -> pl.DataFrame:
    """Pupils with marks, and two columns that have many values."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(0, 1, rows)
    table = {
        "region": rng.choice(["north", "south", "west"], rows),
        "sex": rng.choice(["m", "f"], rows),
        "born": rng.integers(6000, 8200, rows),
        "postcode": [f"p{number}" for number in rng.integers(0, 40, rows)],
    }
    marks = {f"mark {c}": 3 - 0.7 * ability + rng.normal(0, 0.8, rows) for c in range(8)}
    return pl.DataFrame(table | {name: np.clip(values.round(), 1, 6).astype(int) for name, values in marks.items()})


def shuffled_in_classes(table: pl.DataFrame, by: list[str], seed: int = 0) -> pl.DataFrame:
    """Every other column shuffled by itself among the people of each class."""
    others = [name for name in table.columns if name not in by]
    parts = table.with_row_index("row").partition_by(by, maintain_order=True)
    mixed = [shuffled(part, others, seed=seed + number) for number, part in enumerate(parts)]
    return pl.concat(mixed).sort("row").drop("row")


@pytest.mark.parametrize(("rows", "by"), CLASSES)
def test_no_row_is_called_sure_where_all_columns_were_shuffled_in_classes(rows: int, by: list[str]) -> None:
    table = pupils(rows, seed=rows)
    released = shuffled_in_classes(table, by)
    assert columns_of_classes(table, released) == sorted(by)
    guess = link(Case(icefire.read(table, **QI), icefire.read(released, **QI)), rng=np.random.default_rng(1))
    right = guess.first == np.arange(rows)
    assert guess.notes["exchanged_within_classes"]
    assert abs(guess.probability.mean() - right.mean()) < 0.03
    assert guess.probability.max() < 0.5


@pytest.mark.parametrize(("make", "roles"), [(staff, STAFF), (clinic, CLINIC), (lambda: pupils(300, 2), QI)])
def test_whole_rows_have_no_such_classes(make, roles) -> None:
    table = make()
    assert columns_of_classes(table, table) == []
    assert columns_of_classes(table, table[np.random.default_rng(1).permutation(table.height)[:150]]) == []


@pytest.mark.parametrize("names", [["born"], ["born", "postcode"]])
def test_columns_that_were_shuffled_everywhere_or_alone_show_no_classes(names: list[str]) -> None:
    table = pupils(300, 3)
    assert columns_of_classes(table, shuffled(table, names)) == []
    assert columns_of_classes(table, shuffled(table)) == []


def test_one_column_shuffled_in_classes_leaves_the_others_whole() -> None:
    table = pupils(300, 4)
    released = table.with_columns(shuffled_in_classes(table, ["region"])["born"])
    assert columns_of_classes(table, released) == []


def test_finer_classes_than_can_be_shown_are_left_to_what_is_learned() -> None:
    table = pupils(300, 5)
    assert columns_of_classes(table, shuffled_in_classes(table, ["region", "sex", "postcode"])) == []
