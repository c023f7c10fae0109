"""Special uniques: who is alone by few columns, checked by hand and against every combination tried."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import slow

from icefire.kernels.common import threads
from icefire.kernels.grouping import special_uniques
from icefire.risk import special

FEW = settings(max_examples=60, deadline=None)
NAMES = ("a", "b", "c", "d", "e")


def tables(columns=4, rows=(1, 14), values=3):
    cell = st.one_of(st.none(), st.integers(0, values))
    record = st.tuples(*[cell] * columns)
    return st.lists(record, min_size=rows[0], max_size=rows[1]).map(
        lambda records: pl.DataFrame(records, schema=dict.fromkeys(NAMES[:columns], pl.Int64), orient="row")
    )


def by_hand():
    return pl.DataFrame({"a": [1, 1, 1, 2], "b": [1, 1, 2, 2], "c": [1, 2, 1, 2]})


def test_minimal_sets_and_scores_by_hand():
    # Alone by a: row 3. By a and b: row 2. By a and c: row 1. By b and c: everybody. Nobody needs three.
    # Of three columns one counts (3-1)!/2! = 1, two (3-2)!/2! = 1/2.
    found = special.find(by_hand(), NAMES[:3])
    assert found.counts.tolist() == [[0, 1, 0], [0, 2, 0], [0, 2, 0], [1, 1, 0]]
    assert found.scores.tolist() == [0.5, 1, 1, 1.5]


def test_the_summary_by_hand():
    hits = {"sharp": np.array([False, False, False, True]), "blunt": np.full(4, False)}
    found = special.summarize(special.find(by_hand(), NAMES[:3]), hits, 2)
    assert (found.rows, found.rows_by_size, found.sets_by_size) == (4, [1, 3, 0], [1, 6, 0])
    # Of the total of 4: b and c have part in five sets of 1/2 each, a in one of 1 and two of 1/2.
    assert [(c.column, c.sets, c.share) for c in found.columns] == [("b", 5, 0.625), ("c", 5, 0.625), ("a", 3, 0.5)]
    assert [row.released_row for row in found.top] == [3, 1], "among equals the lowest row"
    assert found.top[0].sets == [["a"], ["b", "c"]]
    assert found.top[0].identified_by == ["sharp"]


def test_equal_rows_are_never_alone_but_keep_others_from_it():
    # Rows 0 and 1 are equal. Row 2 has its own b, row 3 shares every value with somebody, and is alone by a and b.
    table = pl.DataFrame({"a": [1, 1, 1, 2, 2, 2], "b": [1, 1, 2, 1, 3, 3]})
    found = special.find(table, ("a", "b"))
    assert found.counts.tolist() == [[0, 0], [0, 0], [1, 0], [0, 1], [0, 0], [0, 0]]


def test_a_missing_value_nobody_else_has_gives_a_row_away():
    table = pl.DataFrame({"a": [1, 1, None], "b": [1, 1, 1]})
    assert special.find(table, ("a", "b")).counts.tolist() == [[0, 0], [0, 0], [1, 0]]


def test_a_k_anonymous_table_has_none():
    table = pl.DataFrame({"a": [1, 1, 2, 2], "b": [1, 1, 2, 2]})
    found = special.summarize(special.find(table, ("a", "b")), {}, 5)
    assert (found.rows, found.top) == (0, [])
    assert [c.share for c in found.columns] == [0, 0]


@FEW
@given(tables(), st.integers(1, 4))
def test_minimal_sets_are_those_found_by_trying_everything(table, most):
    found = special.find(table, table.columns, most)
    slow_sets = slow.minimal_sets(table, table.columns, most)
    assert found.counts.tolist() == [[sum(len(s) == z + 1 for s in sets) for z in range(most)] for sets in slow_sets]
    for row, sets in enumerate(slow_sets):
        if sets:
            assert special.sets_of(found, int(found.label[row])) == sets


@FEW
@given(tables(columns=5, rows=(2, 20), values=2), st.sampled_from([1, 10**5, 10**15]))
def test_keys_too_large_for_a_table_or_for_64_bits_give_the_same_sets(table, blown_up):
    codes = np.stack([special._dense(table[name].fill_null(9).to_numpy()) for name in table.columns])
    sizes = (codes.max(axis=1).astype(np.int64) + 1) * blown_up
    many = np.array(table.is_duplicated().to_list())
    found = special_uniques.minimal_unique_sets(codes, sizes, many, 4)
    slow_sets = slow.minimal_sets(table, table.columns, 4)
    assert found.counts.sum(axis=1).tolist() == [len(sets) for sets in slow_sets]
    listed = [s for sets in slow_sets for s in sets]
    assert {s: n for s, n in found.rows_by_set.items() if n} == {s: listed.count(s) for s in listed}


def test_the_number_of_threads_changes_nothing(monkeypatch):
    table = pl.DataFrame(np.random.default_rng(5).integers(0, 6, (300, 5)), schema=list(NAMES))
    several = special.find(table, NAMES)
    monkeypatch.setattr(threads, "thread_count", lambda: 1)
    single = special.find(table, NAMES)
    assert (several.counts == single.counts).all()
    assert several.minimal.rows_by_set == single.minimal.rows_by_set


@pytest.mark.parametrize(
    ("classes", "columns", "asked", "size"),
    [(8_333, 13, 3, 3), (1_000_000, 13, 3, 3), (10_000_000, 13, 3, 2), (10**9, 13, 3, 1), (50, 2, 3, 2)],
)
def test_a_table_too_large_is_searched_for_smaller_sets(classes, columns, asked, size):
    assert special.affordable(classes, columns, asked) == size


def test_the_summary_says_when_smaller_sets_had_to_do(monkeypatch):
    monkeypatch.setattr(special, "WORK", 15)
    found = special.summarize(special.find(by_hand(), NAMES[:3]), {}, 1)
    assert (found.max_size, found.asked_size) == (1, 3)
