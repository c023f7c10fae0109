"""Privacy models agree with the obvious loops, on every small table hypothesis can think of and on larger ones."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.model_tables import NAMES, alike, classes, data, one_class, slow, value

from icefire import models
from icefire.core import blocks, roles
from icefire.core.dataset import Dataset
from icefire.core.errors import UndefinedError
from icefire.models import wildcard

FEW = settings(max_examples=60, deadline=None)

maybe = st.one_of(st.none(), st.integers(0, 2))


def tables(most=16):
    record = st.tuples(maybe, maybe, st.one_of(st.none(), st.integers(0, 4)))
    return st.lists(record, min_size=1, max_size=most).map(
        lambda rows: pl.DataFrame(rows, schema=dict.fromkeys("qps", pl.Int64), orient="row")
    )


def dataset(frame):
    return Dataset(frame, roles.choose(frame, ["q", "p"], ["s"]))


@FEW
@given(tables(), st.sampled_from(["own_value", "wildcard"]), st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_measures_are_what_the_definitions_say(frame, suppressed, c):
    members = classes(frame, suppressed)
    for name in NAMES:
        more = {"c": c} if name == "l_recursive" else {}
        found = value(name, dataset(frame), suppressed=suppressed, **more)
        assert found == pytest.approx(slow(name, frame["s"].to_list(), members, c), abs=1e-12), name


@FEW
@given(tables(), st.floats(0, 1), st.floats(1, 4))
def test_a_model_holds_exactly_where_the_definition_does(frame, low, high):
    found = blocks.blocks_of_table(frame, ["q", "p"])
    values, table, n = frame["s"].to_list(), Counter(frame["s"].to_list()), frame.height
    order = sorted(table, key=lambda v: (v is None, v or 0))
    asked = {"l_entropy": high, "alpha": low, "t_equal": low, "t_ordered": low, "beta": high, "delta": low}
    for model in models.build(dataset(frame), **asked, l_distinct=2, l_recursive=2, c=high):
        for block, holds in enumerate(model.satisfied(found.x_rows, found.x_start)):
            rows = found.x_rows[found.x_start[block] : found.x_start[block + 1]]
            exact = one_class(model.statistic.name, Counter(values[r] for r in rows), table, n, order, high)
            if abs(exact - model.limit) > 1e-6:
                assert holds == ((exact > model.limit) == model.statistic.higher), str(model)


@FEW
@given(tables())
def test_class_sizes_by_wildcard_are_those_of_comparing_all_pairs(frame):
    sizes = [len(rows) for rows in classes(frame, "wildcard")]
    assert value("k_min_wildcard", dataset(frame)) == min(sizes)
    assert value("k_mean_wildcard", dataset(frame)) == pytest.approx(len(sizes) / sum(1 / size for size in sizes))


@FEW
@given(tables(), tables())
def test_presence_by_wildcard_is_that_of_comparing_all_pairs(people, shown):
    known, keys = people.select("q", "p").rows(), shown.select("q", "p").rows()
    matches = [sum(alike(key, other) for other in known) for key in keys]
    chances = [sum(1 / m for key, m in zip(keys, matches, strict=True) if m and alike(key, x)) for x in known]
    call = {"table": dataset(shown), "original": dataset(people), "suppressed": "wildcard"}
    if not any(matches):
        with pytest.raises(UndefinedError):
            value("k_map", **call)
        return
    assert value("k_map", **call) == min(m for m in matches if m)
    assert value("delta_presence", **call) == pytest.approx(min(1, max(chances)))
    assert value("delta_presence", **call, bound="min") == pytest.approx(min(1, *chances, 1))


@FEW
@given(st.lists(st.integers(0, 5), min_size=2, max_size=20), st.integers(1, 19), st.data())
def test_hierarchical_distance_is_the_flow_through_the_edges(values, cut, draw):
    table = data(["A"] * len(values), s=values)
    leaves = len(set(values))
    middle = draw.draw(st.lists(st.integers(0, 2), min_size=leaves, max_size=leaves))
    tree = models.tree_from_levels([middle, [0] * leaves])
    codes = models.encode(table.frame["s"]).codes
    cut = min(cut, len(values) - 1)
    extra = np.bincount(codes[:cut], minlength=leaves) / cut - np.bincount(codes, minlength=leaves) / len(values)
    inner = [sum(extra[v] for v in range(leaves) if middle[v] == g) for g in set(middle)]
    # On a tree the earth mover's distance is the flow through each edge times its length; from a leaf to the root of
    # height H the edges have half of 1 in all.
    height = len(tree.first) - 1
    levels = [extra, inner][:height]
    flow = sum(abs(x) for level in levels for x in level)
    found = models.hierarchical(table, "s", tree, 1).values(np.arange(len(values)), np.array([0, cut, len(values)]))
    assert found[0] == pytest.approx(flow / 2 / height, abs=1e-12)


@pytest.fixture(scope="module")
def large():
    rng = np.random.default_rng(3)
    n = 3_000
    frame = pl.DataFrame(
        {"q": rng.integers(0, 40, n), "p": rng.integers(0, 30, n), "s": rng.integers(0, 12, n), "x": rng.normal(size=n)}
    )
    return Dataset(frame, roles.choose(frame, ["q", "p"], ["s", "x"]))


@pytest.mark.parametrize("column", ["s", pytest.param("x", marks=pytest.mark.heavy)])
def test_many_classes_give_what_loops_give_on_any_number_of_threads(large, column, monkeypatch):
    members = classes(large.frame)
    values = large.frame[column].to_list()
    for name in NAMES:
        if (name, column) == ("t_ordered", "x"):
            continue  # the loop is quadratic in the distinct values
        found = {}
        for threads in ("1", "3"):
            monkeypatch.setenv("ICEFIRE_THREADS", threads)
            found[threads] = value(name, large, sa=column)
        assert found["1"] == found["3"] == pytest.approx(slow(name, values, members), rel=1e-9), name


def test_ordered_distance_over_many_values_is_the_mean_of_the_cumulated_differences(large):
    ranks = models.encode(large.frame["x"]).codes
    share = np.arange(1, large.height + 1) / large.height
    worst = 0.0
    for rows in classes(large.frame)[:50]:
        inside = np.cumsum(np.bincount(ranks[rows], minlength=large.height)) / len(rows)
        worst = max(worst, np.abs(inside - share).sum() / (large.height - 1))
    some = blocks.blocks_of_table(large.frame, ["q", "p"])
    model = models.build(large, t_ordered=1, sa=["x"])[0]
    by_row = dict(zip(some.x_rows[some.x_start[:-1]], model.values(some.x_rows, some.x_start), strict=True))
    assert max(by_row[min(rows)] for rows in classes(large.frame)[:50]) == pytest.approx(worst, rel=1e-9)


def test_wildcards_on_many_rows_are_those_of_comparing_all_pairs(monkeypatch):
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({name: rng.integers(0, 12, 600) for name in "qps"})
    gap = [pl.when(pl.Series(rng.random(600) < 0.15)).then(None).otherwise(pl.col(name)).alias(name) for name in "qp"]
    frame = frame.with_columns(gap)
    found = wildcard.Gaps.of_table(frame, ["q", "p"])
    sizes = np.empty(600, np.int64)
    sizes[found.rows] = np.repeat(found.compatible(found), found.sizes)
    pairs = classes(frame, "wildcard")
    assert sizes.tolist() == [len(rows) for rows in pairs]
    monkeypatch.setattr(wildcard, "ROWS_AT_ONCE", 1000)
    pieces = list(found.classes())
    assert len(pieces) > 5
    first = found.rows[found.start[:-1]]
    gathered = [np.sort(rows[a:b]).tolist() for rows, start in pieces for a, b in pairwise(start)]
    assert gathered == [pairs[row] for row in first]


def test_wildcards_over_more_columns_than_a_word_holds_are_those_of_comparing_all_pairs():
    rng = np.random.default_rng(8)
    names = [f"c{i}" for i in range(9)]
    frame = pl.DataFrame({name: rng.integers(0, 2, 150) * 1000 + rng.integers(0, 2, 150) for name in names})
    frame = frame.with_columns(
        pl.when(pl.Series(rng.random(150) < 0.6)).then(None).otherwise(pl.col(name)).alias(name) for name in names
    )
    found = wildcard.Gaps.of_table(frame, names)
    assert found.words.shape[1] == 2
    sizes = np.empty(150, np.int64)
    sizes[found.rows] = np.repeat(found.compatible(found), found.sizes)
    rows = frame.rows()
    assert sizes.tolist() == [sum(alike(a, b) for b in rows) for a in rows]


def test_wildcards_that_take_too_long_are_not_computed(monkeypatch):
    monkeypatch.setattr(wildcard, "MOST_STEPS", 3)
    with pytest.raises(UndefinedError, match="not computed"):
        value("k_min_wildcard", data(["A", None, "B"], s=[1, 2, 3]))
