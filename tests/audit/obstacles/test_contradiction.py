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
