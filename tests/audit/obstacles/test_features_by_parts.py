"""Features of some rows are those of all rows, and values are counted as numpy counts them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from icefire.audit.obstacles.counted_columns import MISSING, CountedTexts, PartOfRows
from icefire.audit.obstacles.numbered_values import distinct_values, numbered
from icefire.audit.obstacles.row_features import codes_of, features_of_rows, places
from icefire.audit.obstacles.standard_features import ROWS, predictions
from icefire.regression.ridge import LinearModel


def table(rows: int) -> pl.DataFrame:
    drawn = np.random.default_rng(0)
    income = np.exp(drawn.normal(10.0, 1.0, rows))
    income[drawn.random(rows) < 0.1] = np.nan
    return pl.DataFrame(
        {
            "age": drawn.integers(18, 90, rows),
            "income": income,
            "region": drawn.choice(np.array(["north", "south", "west"]), rows),
        }
    ).with_columns(pl.col("income").fill_nan(None))


def test_features_of_some_rows_are_those_of_all_rows() -> None:
    x = table(500)
    features, of_one_column, straight = features_of_rows(x, {name: codes_of(x[name]) for name in x.columns})
    rows = np.array([499, 3, 3, 120])
    assert 0 < of_one_column < straight < len(features)
    for feature in features:
        whole = feature.of_rows(slice(None))
        assert np.array_equal(feature.of_rows(rows), whole[rows])
        assert np.array_equal(feature.of_rows(slice(7, 90)), whole[7:90])
        assert abs(whole.mean()) < 1e-9
        assert whole.std() == pytest.approx(feature.spread)


def test_predictions_of_more_rows_than_are_held_at_once() -> None:
    x = table(ROWS + 100)
    features, _, _ = features_of_rows(x, {name: codes_of(x[name]) for name in x.columns})
    matrix = np.column_stack([feature.of_rows(slice(None)) for feature in features])
    drawn = np.random.default_rng(1)
    models = [
        LinearModel(np.array(places), drawn.normal(size=len(places)), 2.5, np.zeros(0), 0.5)
        for places in ([5, 0, len(features) - 1], [2])
    ]
    expected = np.column_stack([model.predicted(matrix) for model in models])
    assert np.allclose(predictions(features, models, x.height), expected, rtol=0, atol=1e-12)
    assert predictions(features, [], x.height).shape == (x.height, 0)


@pytest.mark.parametrize(
    "values",
    [[3.0, -2.0, 3.0, 0.0, 7.0], [0.5, 0.25, 0.5], [1e300, -1e300, 1.0], [np.inf, 1.0, 1.0], [5.0]],
)
def test_values_are_counted_as_numpy_counts_them(values: list[float]) -> None:
    column = np.array(values)
    distinct, number, counts = np.unique(column, return_inverse=True, return_counts=True)
    for own, known in zip(numbered(column), (distinct, number, counts), strict=True):
        assert np.array_equal(own, known)
    with_missing = np.append(column, np.nan)
    for own, known in zip(distinct_values(with_missing), (distinct, counts), strict=True):
        assert np.array_equal(own, known)


def test_places_of_equal_values_are_in_the_middle_of_theirs() -> None:
    odds = places(np.array([1.0, np.nan, 2.0, 2.0]))
    assert odds is not None
    expected = [1 / 4, np.nan, 5 / 8, 5 / 8]
    assert np.allclose(1 / (1 + np.exp(-odds)), expected, equal_nan=True)
    assert places(np.array([np.nan])) is None


@pytest.mark.parametrize("texts", [["b", None, "a", "b"], [None, None], ["", "x", "x"]])
def test_parts_of_texts_are_counted_without_missing_ones(texts: list[str | None]) -> None:
    column = CountedTexts.of_column(pl.Series("t", texts, pl.String))
    lengths = column.distinct.str.len_chars().cast(pl.Int64).fill_null(MISSING).to_numpy()
    part = PartOfRows(column, lengths.__getitem__)
    of_rows = [MISSING if text is None else len(text) for text in texts]
    assert part.of_rows(slice(None)).tolist() == of_rows
    assert np.array_equal(part.counts(), np.bincount([size for size in of_rows if size != MISSING]))
