"""A claimed correspondence is doubted where rows are plain, and not because the joint attack is sure by accident."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.gate import codes
from support.gate_tables import judge, noisy, shuffled

REGIONS = ("north", "south", "west")
SUBJECTS = [f"subject {number}" for number in range(14)]
QI = ("region", "sex", "postcode")


def pupils(rows: int, seed: int) -> pl.DataFrame:
    """Pupils of three regions with their marks."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(0, 1, rows)
    table = {
        "region": rng.choice(REGIONS, rows),
        "sex": rng.choice(["m", "f"], rows),
        "born": rng.integers(6000, 8200, rows),
        "postcode": [f"p{number}" for number in rng.integers(0, 40, rows)],
    }
    marks = {name: 3 - 0.7 * ability + rng.normal(0, 0.8, rows) for name in SUBJECTS}
    return pl.DataFrame(table | {name: np.clip(values.round(), 1, 6).astype(int) for name, values in marks.items()})


def swapped_in_regions(people: pl.DataFrame) -> pl.DataFrame:
    """Every column shuffled by itself among the people of each region."""
    parts = []
    for number, region in enumerate(REGIONS):
        rows = people.with_row_index("row").filter(pl.col("region") == region)
        mixed = [name for name in people.columns if name != "region"]
        parts.append(shuffled(rows, mixed, seed=number))
    return pl.concat(parts).sort("row").drop("row")


@pytest.mark.parametrize(("rows", "seed"), [(60, 0), (60, 4), (100, 1)])
def test_values_swapped_in_regions_are_not_a_false_correspondence(rows: int, seed: int) -> None:
    people = pupils(rows, seed)
    verdict = judge(people, swapped_in_regions(people), attacks=["link"], measures=["U6"], qi=QI)
    assert "correspondence" not in codes(verdict)


@pytest.mark.parametrize(("rows", "seed"), [(60, 0), (100, 1)])
def test_noise_and_a_claim_that_is_not_true_are(rows: int, seed: int) -> None:
    people = pupils(rows, seed)
    released = noisy(people, 0.2, ("born", *SUBJECTS))
    released = released[np.random.default_rng(seed).permutation(rows)]
    verdict = judge(people, released, attacks=["link"], measures=["U6"], qi=QI)
    assert "correspondence" in codes(verdict)


def values(rows: int, seed: int) -> pl.DataFrame:
    """Three values from a laboratory, of which none depends on another."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame({name: rng.lognormal(1, 0.6, rows).round(2) for name in ("hb", "crp", "ldl")})


def swapped_in_bands(table: pl.DataFrame, size: int, seed: int) -> pl.DataFrame:
    """Every column shuffled by itself among people whose first value is alike."""
    order = np.argsort(table["hb"].to_numpy(), kind="stable")
    bands = [order[at : at + size] for at in range(0, table.height, size)]
    rng = np.random.default_rng(seed)
    columns = {name: table[name].to_numpy().copy() for name in table.columns}
    for column in columns.values():
        for band in bands:
            column[band] = column[rng.permutation(band)]
    return pl.DataFrame(columns)


@pytest.mark.parametrize("seed", [1, 2])
def test_three_values_swapped_among_people_who_are_alike_are_not_a_false_correspondence(seed: int) -> None:
    table = values(200, seed)
    released = swapped_in_bands(table, 25, seed)
    assert "correspondence" not in codes(judge(table, released, attacks=["link"], measures=["U6"], qi=("hb",)))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_claim_that_names_people_who_are_alike_is_false_where_values_hardly_changed(seed: int) -> None:
    table = values(200, seed)
    others = np.argsort(swapped_in_bands(table.with_row_index("row"), 5, seed)["row"].to_numpy())
    released = noisy(table, 0.003, table.columns)
    verdict = judge(table, released, truth=others, attacks=["link"], measures=["U6"], qi=("hb",))
    assert {"correspondence", "verbatim", "limit"} & codes(verdict)
