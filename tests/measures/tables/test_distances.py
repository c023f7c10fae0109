"""Distances of distributions: vectors by hand, and the obvious version on random tables."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small_tables import without_truth as comparison

import icefire
from icefire.core.errors import SchemaError, UndefinedError
from icefire.core.registry import get
from icefire.core.release import Case, Comparison, Truth
from icefire.measures.compared_columns import compare_columns
from icefire.measures.joint_tables import choose_tables
from icefire.measures.tables.joint_distances import table_distances


def value(name, compared, **parameters):
    entry = get("measure", name)
    return entry.function(compared, **entry.bind(parameters))


def distances(compared):
    return {column.column: column.distance for column in compare_columns(compared).distances}


def test_text_by_total_variation_and_numbers_by_wasserstein_over_the_range():
    x = {"job": ["a", "a", "b", "c"], "age": [20, 30, 40, 60]}
    y = {"job": ["a", "b", "b", "b"], "age": [20, 30, 40, 40]}
    compared = comparison(x, y, qi=("job", "age"))
    # job: a -1/4, b +2/4, c -1/4. age: one row of four moved by 20 of a range of 40.
    assert distances(compared) == pytest.approx({"job": 0.5, "age": 0.125})
    assert value("marginal_distance", compared) == pytest.approx(0.3125)
    largest = value("marginal_distance_max", compared)
    assert largest == 0.5
    assert largest.note == "in job"


def test_tables_of_different_heights():
    x, y = {"job": ["a", "b"], "age": [0, 10]}, {"job": ["a", "b", "b", "b"], "age": [0, 0, 0, 10]}
    assert distances(comparison(x, y, qi=("job", "age"))) == pytest.approx({"job": 0.25, "age": 0.25})


def test_missing_cells_count_in_full_among_numbers_and_are_a_value_of_text():
    x = {"age": [0, 10, 0, 10], "job": ["a", "b", "a", None]}
    y = {"age": [0, 10, None, None], "job": ["a", None, None, None]}
    assert distances(comparison(x, y, qi=("age", "job"))) == pytest.approx({"age": 0.5, "job": 0.5})
    y = {"age": [10, 10, None, None], "job": ["a", "b", "a", None]}
    # Half of the cells are gone; the others would have to move by 0.5 of the range on average.
    assert distances(comparison(x, y, qi=("age", "job")))["age"] == pytest.approx(0.5 + 0.5 * 0.5)


def test_bands_are_spread_evenly_over_the_values_they_stand_for():
    x = {"age": [30, 32, 34, 60], "job": ["a", "b", "c", "d"]}
    y = {"age": ["30-39", "30-39", "30-39", "60"], "job": ["{a, b}", "{a, b}", "c", "d"]}
    assert distances(comparison(x, y, qi=("age", "job"))) == pytest.approx({"age": 0, "job": 0}, abs=1e-12)
    x = {"age": [30, 30, 34, 60], "job": ["a", "b", "c", "d"]}
    # 30 has half a row too few and 34 half a row too many: a shift of 4 of 30 for an eighth of the rows.
    assert distances(comparison(x, y, qi=("age", "job")))["age"] == pytest.approx(0.125 * 4 / 30)


def test_a_column_of_stars_has_lost_everything():
    x, y = {"sex": ["f", "m"] * 2, "age": [1, 2, 3, 4]}, {"sex": ["*"] * 4, "age": ["*"] * 4}
    assert distances(comparison(x, y, qi=("sex", "age"))) == {"sex": 1, "age": 1}


def test_a_constant_number_has_no_range_and_is_compared_like_text():
    x, y = {"a": [7, 7, 7, 7], "b": [1, 2, 3, 4]}, {"a": [7, 7, 8, 9], "b": [1, 2, 3, 4]}
    assert distances(comparison(x, y, qi=("a", "b"))) == {"a": 0.5, "b": 0}


def test_a_column_that_the_release_lacks_counts_one():
    x = {"a": [1, 2], "note": ["x", "y"]}
    compared = comparison(x, {"a": [1, 2]}, qi=("a",))
    assert distances(compared) == {"a": 0, "note": 1}
    with pytest.raises(UndefinedError, match="needs 2; the release has 1"):
        value("pair_distance", compared)


def test_numbers_may_move_by_more_than_their_range():
    assert distances(comparison({"a": [0, 1]}, {"a": [10, 11]}, qi=("a",))) == {"a": 10}


def test_identifiers_are_left_out_and_unknown_columns_are_refused():
    original = icefire.read(pl.DataFrame({"id": ["p", "q"], "a": [1, 2]}), qi=("a",), ids=("id",))
    compared = Comparison(Case(original, original), Truth(np.arange(2)))
    assert distances(compared) == {"a": 0}
    with pytest.raises(SchemaError, match="no column 'b'"):
        value("marginal_distance", compared, columns="b")


def test_pairs_show_what_columns_alone_do_not():
    x = {"sex": ["f", "f", "m", "m"], "job": ["a", "a", "b", "b"], "one": ["u"] * 4}
    y = {"sex": ["f", "f", "m", "m"], "job": ["a", "b", "a", "b"], "one": ["u"] * 4}
    compared = comparison(x, y, qi=("sex", "job", "one"))
    assert value("marginal_distance", compared) == 0
    # f a 2 → 1, f b 0 → 1, m a 0 → 1, m b 2 → 1: two of four rows in another cell.
    largest = value("pair_distance_max", compared)
    assert largest == 0.5
    assert largest.note == "sex with job, of all 3 pairs"
    assert value("pair_distance", compared) == pytest.approx(0.5 / 3)
    within = value("marginals_within", compared, tolerance=0.1)
    assert within == 0
    assert within.note.startswith("by number of columns 1: 1.000, 2: 0.667, 3: 0.000; all 1 sets")
    assert value("marginals_within", compared, k=2, tolerance=0.5) == 1


def test_a_value_that_fills_more_than_a_tenth_is_a_cell_of_its_own():
    x = {"a": [0] * 3 + [1] * 57, "b": ["u", "v"] * 30}
    y = {"a": [0] * 33 + [1] * 27, "b": ["u", "v"] * 30}
    compared = comparison(x, y, qi=("a", "b"))
    assert value("marginals_within", compared, k=1, tolerance=0.4) == 0.5
    assert value("pair_distance", compared) == pytest.approx(0.5)


def slow_distance(x, y, columns):
    """Count the rows in every cell of both tables, and halve the sum of the differences."""
    cells = [
        Counter(tuple(tenth(name, row[name], x) for name in columns) for row in frame.rows(named=True))
        for frame in (x, y)
    ]
    return sum(abs(cells[0][c] / x.height - cells[1][c] / y.height) for c in {*cells[0], *cells[1]}) / 2


def tenth(name, cell, x):
    if cell is None or not x[name].dtype.is_numeric():
        return cell
    edges = np.quantile(x[name].drop_nulls().to_numpy(), np.arange(1, 10) / 10)
    heavy = [e for e in set(edges.tolist()) if (edges == e).sum() > 1]
    return sum(e < cell for e in set(edges.tolist())), sum(e <= cell for e in heavy)


def slow_wasserstein(x, y):
    """Move rows in order of size: repeat each so often that both sides have as many."""
    a, b = np.sort(np.repeat(x, len(y))), np.sort(np.repeat(y, len(x)))
    return np.abs(a - b).mean() / np.ptp(x)


def drawn_table(rng, rows):
    return pl.DataFrame(
        {
            "n": np.append([0.0, 9.0], rng.integers(0, 20, rows)),
            "r": np.append([0.0, 1.0], rng.normal(size=rows)),
            "t": [None, "u", *rng.choice(["u", "v", "w"], rows)],
            "m": pl.Series([1, None, *rng.choice([1, 2, 9], rows)], dtype=pl.Int64),
        }
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_distances_are_those_of_the_obvious_version(seed):
    rng = np.random.default_rng(seed)
    x, y = (drawn_table(rng, rows) for rows in rng.integers(2, 30, 2))
    compared = comparison(x, y, qi=x.columns)
    single = distances(compared)
    assert single["t"] == pytest.approx(slow_distance(x, y, ["t"]))
    for name in ("n", "r"):
        assert single[name] == pytest.approx(slow_wasserstein(x[name].to_numpy(), y[name].to_numpy()))
    for width in (1, 2, 3):
        tables = table_distances(compared, None, width)
        assert tables.tables == list(combinations(x.columns, width))
        expected = [slow_distance(x, y, names) for names in tables.tables]
        assert tables.distances == pytest.approx(expected, abs=1e-12)


def test_bands_in_pairs_are_spread_over_the_cells_of_both_columns():
    x = {"age": [1, 2, 11, 12], "job": ["aa", "ab", "ba", "bb"]}
    y = {"age": ["1-9", "1-9", "11", "12"], "job": ["{aa, ab}", "{aa, ab}", "ba", "bb"]}
    compared = comparison(x, y, qi=("age", "job"))
    # Two rows on (1, aa) and (2, ab) became half a row on each of the four cells.
    assert value("pair_distance", compared) == pytest.approx(0.25)


def test_large_tables_are_counted_by_sorting_with_the_same_result(monkeypatch):
    rng = np.random.default_rng(2)
    x = {name: rng.choice(["aa", "ab", "ba", "bb"], 60) for name in "pqr"}
    y = {name: rng.choice(["{aa, ab}", "aa", "ba", "bb"], 60) for name in "pqr"}
    counted = table_distances(comparison(x, y, qi=list("pqr")), None, 3).distances
    monkeypatch.setattr("icefire.measures.joint_tables.FEW_CELLS", 0)
    monkeypatch.setattr("icefire.measures.joint_tables.TABLE_LIMIT", 0)
    assert table_distances(comparison(x, y, qi=list("pqr")), None, 3).distances == pytest.approx(counted, abs=1e-12)


def test_of_many_columns_a_draw_of_pairs_is_compared_with_every_column_in_it():
    chosen = choose_tables(500, 2, 1000)
    assert len(chosen) == len(set(chosen)) == 1000
    assert chosen == choose_tables(500, 2, 1000)
    assert {place for pair in chosen for place in pair} == set(range(500))
    assert all(first < second for first, second in chosen)
    frame = pl.DataFrame({f"c{i}": ["a", "b"] for i in range(60)})
    mean = value("pair_distance", comparison(frame, frame, qi=frame.columns))
    assert mean == 0
    assert mean.note == "1,000 of 1,770 pairs, drawn at random"


def test_labels_of_thousands_of_days_are_compared_without_a_table_of_all_days() -> None:
    rng = np.random.default_rng(3)
    days = {name: rng.integers(0, 7300, 400) for name in "abc"}
    x = {name: pl.Series(values, dtype=pl.Int32).cast(pl.Date) for name, values in days.items()}
    y = {name: column.dt.strftime("%Y") for name, column in x.items()}
    compared = compare_columns(comparison(x, y, qi=list("abc")))
    assert all(column.cells <= 12 for column in compared.cells)
    assert table_distances(comparison(x, y, qi=list("abc")), None, 3).distances.max() < 0.6
    assert max(column.distance for column in compared.distances) < 0.6
