"""A sensitive number that was released as bands is audited: the label covers the values."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.audit.attributes.secret_column import CategorySecret, NumberSecret, read_secret
from icefire.core.errors import InputError

ROWS = 120
RNG = np.random.default_rng(5)
PEOPLE = pl.DataFrame(
    {
        "age": RNG.integers(20, 70, ROWS),
        "sex": RNG.choice(["f", "m"], ROWS),
        "days": RNG.integers(1, 40, ROWS),
        "cost": RNG.integers(100, 9999, ROWS),
    }
)
LOW = pl.col("days") // 3 * 3


def audit(released: pl.DataFrame):
    return icefire.audit(PEOPLE, released, aligned=True, qi=["age", "sex"], sa=["days", "cost"]).scorecard


def test_bands_are_audited_and_tell_the_hidden_value():
    shuffled = pl.col("cost").shuffle(1)
    card = audit(PEOPLE.with_columns(days=pl.format("{}-{}", LOW, LOW + 2), cost=shuffled))
    assert card.attacks["link"].rate > 0.5, "age, sex and the band together tell most people"
    assert card.attributes is not None
    assert card.attributes.columns["days"].attacks["nearest"].advantage > 0.1


@pytest.mark.parametrize("label", ["{}-{}", "[{}, {}]", "{} to {}", "{}..{}"])
def test_every_form_of_a_band_is_taken(label):
    released = PEOPLE.with_columns(days=pl.format(label, LOW, LOW + 2))
    assert audit(released).attacks["link"].rate > 0.5


def test_top_coded_numbers_are_taken_and_words_are_refused():
    top = pl.when(pl.col("days") > 30).then(pl.lit("30+")).otherwise(pl.col("days").cast(pl.String))
    assert audit(PEOPLE.with_columns(days=top)).attacks["link"].rate > 0.5
    with pytest.raises(InputError, match="row 0 of the other holds 'many'; numbers, bands"):
        audit(PEOPLE.with_columns(days=pl.lit("many")))


def test_a_narrow_band_tells_the_number_within_the_tolerance_and_a_wide_one_its_values():
    """Interquartile range 50, tolerance 10 % of it: a band of 4 is as good as the number, one of 40 is not."""
    people = pl.Series("x", [str(i) for i in range(101)])
    narrow = pl.Series("x", [f"{i // 4 * 4}-{i // 4 * 4 + 3}" for i in range(101)])
    wide = pl.Series("x", [f"{i // 40 * 40}-{i // 40 * 40 + 39}" for i in range(101)])
    secret = read_secret(people, narrow, 0.1, None)
    assert isinstance(secret, NumberSecret)
    assert secret.cells[0] == pytest.approx(2)
    assert isinstance(read_secret(people, wide, 0.1, None), CategorySecret)
