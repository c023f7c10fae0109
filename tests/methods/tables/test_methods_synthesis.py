"""Synthetic rows: marginals and correlations hold, people do not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.applied import applied, holding

import icefire
from icefire.core.dataset import ORIGIN

ROWS = 20_000


@pytest.fixture(scope="module")
def related():
    """Two numbers with correlation 0.7, a category that goes with the first, and one by itself."""
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((2, ROWS))
    return holding(
        {
            "q": np.where(a + 0.5 * rng.standard_normal(ROWS) > 0.5, "rich", "poor"),
            "r": rng.choice(["x", "y", "z"], ROWS, p=[0.7, 0.2, 0.1]),
            "s": np.exp(a),
            "t": 0.7 * a + np.sqrt(1 - 0.49) * b,
        },
        qi=("q", "r"),
        sa=("s", "t"),
    )


def ranked(frame, one, other):
    """Rank correlation."""
    return np.corrcoef(frame[one].rank(), frame[other].rank())[0, 1]


def test_every_column_keeps_its_distribution(related):
    made = applied("synthesize", related).frame
    for value, share in (("x", 0.7), ("y", 0.2), ("z", 0.1)):
        before = (related.frame["r"] == value).mean()
        assert before == pytest.approx(share, abs=0.02)
        # Two shares over 20,000 rows: standard deviation at most 0.0035.
        assert (made["r"] == value).mean() == pytest.approx(before, abs=0.014)
    for quantile in (0.05, 0.5, 0.95):
        rank = (related.frame["s"] <= made["s"].quantile(quantile)).mean()
        assert rank == pytest.approx(quantile, abs=0.014)


def test_numbers_that_few_people_have_are_not_released(related):
    before, made = set(related.frame["s"]), applied("synthesize", related).frame["s"]
    assert not before & set(made)
    assert min(before) < made.min() < made.max() < max(before)
    assert set(applied("synthesize", related, least=0).frame["s"]) <= before


def test_frequent_numbers_are_released_and_others_lie_between_their_neighbours():
    amounts = [0.0] * 60 + [10.0] * 60 + [17.25, 30.5]
    made = applied("synthesize", holding({"s": amounts}, sa=("s",))).frame["s"].to_list()
    assert made.count(0.0) + made.count(10.0) > 100
    assert all(value in (0.0, 10.0) or 10 < value < 30.5 for value in made)
    assert all(round(value, 2) == value for value in made)


def test_columns_hang_together_as_before(related):
    made = applied("synthesize", related).frame
    # A rank correlation over 20,000 rows has a standard deviation of at most 0.007; two of them are compared.
    assert ranked(made, "s", "t") == pytest.approx(ranked(related.frame, "s", "t"), abs=0.03)
    assert ranked(made, "r", "s") == pytest.approx(0, abs=0.03)
    # Two values hide most of a score; without the correction for ties the relation would be a quarter weaker.
    assert ranked(made, "q", "s") == pytest.approx(ranked(related.frame, "q", "s"), abs=0.03)


def test_no_row_descends_from_its_claimed_origin(related):
    made = applied("synthesize", related)
    assert made.frame[ORIGIN].to_list() == list(range(ROWS))
    assert abs(np.corrcoef(made.frame["t"], related.frame["t"])[0, 1]) < 0.03
    assert made.notes == {"synthetic_rows": ROWS}


def test_missing_is_drawn_as_often_as_it_occurs_and_with_its_company():
    rng = np.random.default_rng(4)
    s = rng.standard_normal(ROWS)
    data = holding({"s": s, "t": pl.Series(np.where(s > 0, np.nan, s)).fill_nan(None)}, sa=("s", "t"))
    made = applied("synthesize", data).frame
    assert made["t"].null_count() / ROWS == pytest.approx(0.5, abs=0.02)
    with_t = made.filter(pl.col("t").is_not_null())["s"].mean()
    without = made.filter(pl.col("t").is_null())["s"].mean()
    assert abs(with_t - without) > 0.5


def test_identifiers_and_types_are_left_alone(related):
    frame = related.frame.head(50).with_columns(pl.Series("id", range(50)), pl.col("r").cast(pl.Categorical))
    data = holding(frame, qi=("q", "r"), sa=("s", "t"), ids=("id",))
    made = applied("synthesize", data).frame.drop(ORIGIN)
    assert made.schema == frame.schema
    assert made["id"].equals(frame["id"])


def test_attacks_on_synthetic_rows_find_nobody_but_by_chance(households):
    release = icefire.anonymize(households, {"step": [{"method": "synthesize"}]})
    card = icefire.audit(households, release, attacks=["euc1", "euc2", "id_sa"]).scorecard
    # Chance is 1 in 500 rows: one hit expected, ten or more happen once in ten million.
    assert max(result.hits for result in card.attacks.values()) < 10
