"""Copies, controls and rare people, by hand on a few people and against slow obvious versions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from icefire.audit.adapter import ReleaseFiles
from icefire.audit.findings.rare import rare_people
from icefire.audit.synthetic.controls import without_overlap
from icefire.audit.synthetic.copies import find_copies
from icefire.audit.synthetic.tables import load_tables
from icefire.core.errors import InputError, SchemaError
from icefire.core.mixed_distances import column_scales
from icefire.io.read import read_table

TEN = pl.DataFrame({"age": [20, 30, 30, 40, 50, 60, 70, 80, 81, 90], "town": list("aabbccddde")})


def loaded(released: pl.DataFrame, holdout: pl.DataFrame | None = None):
    original = read_table(TEN, qi=("age", "town"), sa=())
    return load_tables(original, ReleaseFiles(released), holdout, None)


def test_columns_are_divided_by_the_interquartile_range_or_the_deviation():
    table = pl.DataFrame({"a": [0, 1, 2, 3, 4], "b": [7, 7, 7, 7, 9], "c": [5] * 5, "d": list("vwxyz")})
    assert column_scales(table, table.columns) == {"a": 2.0, "b": pytest.approx(0.8), "c": 1.0}


def test_rows_of_a_release_that_are_copies_of_one_person():
    # Row 0 equals one person; row 1 equals two people alike in the original, so nobody's copy; row 2 is in between.
    twins = TEN.with_columns(town=pl.Series(list("abbbccddde")))
    original = read_table(twins, qi=("age", "town"), sa=())
    released = pl.DataFrame({"age": [20, 30, 45, 81, 90], "town": ["a", "b", "c", "d", "x"]})
    tables = load_tables(original, ReleaseFiles(released), None, None)
    found = find_copies(tables, np.random.default_rng(0))
    assert found.records["identical"].to_list() == [True, False, False, True, False]
    assert (found.identical.rows, found.identical.people, found.identical.share) == (2, 2, 0.4)
    assert found.identical.control is None
    assert found.nearer_to_original is None
    assert found.members.quantiles["0.01"] == 0


def test_a_row_a_tenth_of_the_way_to_the_next_person_is_nearly_a_copy():
    # The person of 60 has nobody nearer than √((10 / iqr)²): town c, age 50. The scale cancels out.
    near = find_copies(loaded(pl.DataFrame({"age": [60.9, 61.1], "town": ["c", "c"]})), np.random.default_rng(0))
    assert near.records["near_identical"].to_list() == [True, False]
    assert near.records["nearest_original_row"].to_list() == [5, 5]


def test_the_hold_out_says_what_coincidence_makes():
    # Of the ten people nine occur once; two are met. Of four others one is met.
    holdout = pl.DataFrame({"age": [21, 35, 33, 77], "town": ["a", "x", "y", "z"]})
    released = pl.DataFrame({"age": [20, 40, 21, 1000], "town": ["a", "b", "a", "x"]})
    found = find_copies(loaded(released, holdout), np.random.default_rng(0))
    assert (found.identical.rows, found.identical.share) == (2, 0.5)
    assert found.identical.control == pytest.approx(0.5 * min(1, (1 / 4) / (2 / 10)))


def categories(rows: int, seed: int) -> pl.DataFrame:
    """People with six columns of five categories each: 15,625 combinations."""
    drawn = np.random.default_rng(seed).integers(0, 5, (rows, 6)).astype(str)
    return pl.DataFrame({f"c{place}": drawn[:, place] for place in range(6)})


def test_people_are_copied_however_many_other_rows_there_are():
    people, others = categories(400, 1), categories(300, 2)
    original = read_table(people, qi=("c0", "c1"), sa=())

    def found(released: pl.DataFrame, holdout: pl.DataFrame | None = others):
        return find_copies(load_tables(original, ReleaseFiles(released), holdout, None), np.random.default_rng(0))

    honest = categories(4000, 3)
    copied = found(pl.concat([honest, people[:60]]))
    near = copied.near_identical
    inside = people.join(pl.concat([honest, people[:60]]), on=people.columns, how="semi").unique().height / 400
    outside = others.join(pl.concat([honest, people[:60]]), on=others.columns, how="semi").height / 300
    assert near.share < 0.09, "of the released rows few are copies"
    assert (near.people_share, near.people_control) == (
        pytest.approx(inside, abs=0.02),
        pytest.approx(outside, abs=0.02),
    )
    assert copied.copied_people == pytest.approx((near.people_share - near.people_control) / (1 - near.people_control))
    assert copied.copied_people > 0.09
    assert found(honest).copied_people == 0
    assert found(people, None).copied_people == 0, "without people outside, coincidence is not known"


def test_people_of_the_original_are_left_out_of_a_hold_out_and_counted():
    rng = np.random.default_rng(1)
    people = pl.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    original = read_table(people[:200], qi=("a",), sa=("b",))
    kept, counted = without_overlap("hold-out", read_table(people[170:], qi=("a",), sa=("b",)), original)
    assert (kept.height, counted.rows, counted.overlap, counted.coincidences) == (100, 100, 30, 0)
    assert counted.overlapping_rows == list(range(10))
    with pytest.raises(InputError, match=r"60 of its 100 rows equal rows of the original \(the first are rows 0, 1, 2"):
        without_overlap("hold-out", read_table(people[140:240], qi=("a",), sa=("b",)), original)


def test_a_single_person_of_the_original_is_found_where_columns_have_many_values():
    rng = np.random.default_rng(1)
    people = pl.DataFrame({"a": rng.normal(size=300), "b": rng.choice(["x", "y"], 300), "c": rng.integers(0, 90, 300)})
    original = read_table(people[:200], qi=("a", "b"), sa=("c",))
    kept, counted = without_overlap("hold-out", read_table(people[199:], qi=("a", "b"), sa=("c",)), original)
    assert (kept.height, counted.overlap, counted.overlapping_rows, counted.coincidences) == (100, 1, [0], 0)


def test_people_who_are_alike_by_coincidence_stay():
    rng = np.random.default_rng(1)
    people = pl.DataFrame({"a": rng.integers(0, 4, 300), "b": rng.integers(0, 5, 300)})
    original, holdout = (read_table(part, qi=("a", "b"), sa=()) for part in (people[:200], people[200:]))
    kept, counted = without_overlap("hold-out", holdout, original)
    assert kept.height == 100
    assert (counted.overlap, counted.coincidences) == (0, 100)


def test_few_people_who_are_alike_in_a_small_original_stay_too():
    # Three of five rows of the hold-out are like the three people, of whom no two are alike.
    original = read_table(pl.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}), qi=("a",), sa=("b",))
    others = pl.DataFrame({"a": [1, 2, 3, 7, 8] * 8, "b": ["x", "y", "z", "x", "y"] * 8})
    _, counted = without_overlap("hold-out", read_table(others, qi=("a",), sa=("b",)), original)
    assert (counted.overlap, counted.coincidences) == (0, 24)
    same = read_table(pl.DataFrame({"a": [1, 2, 3, 4, 5], "b": list("xyzxy")}), qi=("a",), sa=("b",))
    with pytest.raises(InputError, match="5 of its 5 rows"):
        without_overlap("hold-out", same, same)


def test_tables_without_common_columns_are_one_error():
    with pytest.raises(SchemaError, match="no column in common"):
        loaded(pl.DataFrame({"x": [1, 2]}))
    with pytest.raises(SchemaError, match=r"the hold-out 'hold-out' has no column in common"):
        loaded(TEN, pl.DataFrame({"x": [1, 2]}))
    with pytest.raises(SchemaError, match=r"lacks town, which the original and the release have"):
        loaded(TEN, TEN.select("age"))
    with pytest.raises(InputError, match="has no rows"):
        loaded(TEN, TEN.clear())


def test_a_column_that_is_text_in_one_table_is_text_in_all():
    tables = loaded(pl.DataFrame({"age": ["20-29", "30"], "town": ["a", "b"]}), TEN.with_columns(pl.col("age") * 1.0))
    assert tables.holdout is not None
    assert {table.frame["age"].dtype for table in (tables.original, tables.released, tables.holdout)} == {pl.String}
    assert tables.original.frame["age"][0] == tables.holdout.frame["age"][0] == "20"


def test_the_rare_tenth_is_farthest_from_its_fifth_neighbour():
    rng = np.random.default_rng(4)
    table = pl.DataFrame({"a": rng.normal(size=80), "b": rng.choice(["x", "y"], 80)})
    rare = rare_people(table, table.columns, rng)
    assert rare is not None
    a, b = table["a"].to_numpy() / column_scales(table, ["a"])["a"], table["b"].to_numpy()
    every = np.sqrt((a[:, None] - a) ** 2 + (b[:, None] != b))
    np.fill_diagonal(every, np.inf)
    fifth = np.sort(every, axis=1)[:, 4]
    expected = fifth >= np.sort(fifth)[-8]
    assert (rare.is_rare(table, np.arange(80)) == expected).all()
    assert (rare.is_rare(table, is_in_original=True) == expected).all()
    assert rare.is_rare(pl.DataFrame({"a": [9.0], "b": ["x"]})).all()


def test_nobody_is_rare_among_people_alike_or_among_few():
    alike = pl.DataFrame({"a": ["x", "y"] * 20})
    assert rare_people(alike, ["a"], np.random.default_rng(1)) is None
    assert rare_people(alike[:5], ["a"], np.random.default_rng(1)) is None
