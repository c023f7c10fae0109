"""Microaggregation forms the groups its papers describe, and changes nothing else."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire.core import registry, roles, seeds
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.errors import ParameterError
from icefire.kernels.microaggregation import mdav, remaining_points, univariate, vmdav

FEW = settings(max_examples=60, deadline=None)


def table(**columns):
    frame = pl.DataFrame({"q": pl.Series([0] * len(next(iter(columns.values()))), dtype=pl.Int64), **columns})
    return Dataset(frame, roles.choose(frame, ("q",), tuple(columns)))


def apply(data, **parameters):
    entry = registry.get("method", "microaggregate")
    carried = data.with_frame(data.frame.with_columns(pl.Series(ORIGIN, np.arange(data.height))))
    made = entry.function(carried, rng=seeds.generator(0, "test"), **entry.bind(parameters))
    assert made.frame[ORIGIN].to_list() == list(range(data.height))
    return made


def squared(a, b):
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - y) * (x - y)
    return total


def centroid(points, rows):
    return [sum(points[i][c] for i in rows) / len(rows) for c in range(len(points[0]))]


def take(points, left, row, k, groups):
    """Make a group of a row and its nearest; ties to the lowest row."""
    others = sorted((i for i in left if i != row), key=lambda i: (squared(points[i], points[row]), i))
    groups.append([row, *others[: k - 1]])
    left -= set(groups[-1])


def farthest(points, left, place):
    return max(left, key=lambda i: (squared(points[i], place), -i))


def slow_mdav(points, k):
    left, groups = set(range(len(points))), []
    while len(left) >= 3 * k:
        r = farthest(points, left, centroid(points, sorted(left)))
        take(points, left, r, k, groups)
        take(points, left, farthest(points, left, points[r]), k, groups)
    if len(left) >= 2 * k:
        take(points, left, farthest(points, left, centroid(points, sorted(left))), k, groups)
    return [*groups, sorted(left)]


def slow_vmdav(points, k, gamma):
    left, groups = set(range(len(points))), []
    middle = centroid(points, range(len(points)))
    while len(left) >= k:
        take(points, left, farthest(points, left, middle), k, groups)
        while left and len(groups[-1]) < 2 * k - 1:
            d_in, row = min((squared(points[i], points[j]), i) for i in left for j in groups[-1])
            others = [squared(points[i], points[row]) for i in left if i != row]
            if not d_in < gamma * gamma * (min(others) if others else np.inf):
                break
            groups[-1].append(row)
            left.remove(row)
    middles = [centroid(points, group) for group in groups]
    for row in sorted(left):
        groups[min(range(len(groups)), key=lambda g: (squared(points[row], middles[g]), g))].append(row)
    return groups


def as_sets(labels):
    return sorted(sorted(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels))


def sets(groups):
    return sorted(sorted(group) for group in groups)


@st.composite
def clouds(draw, most=40):
    """Few distinct values in few columns: ties everywhere."""
    k = draw(st.integers(2, 5))
    columns = draw(st.integers(1, 3))
    rows = draw(st.lists(st.tuples(*[st.integers(0, 6)] * columns), min_size=k, max_size=most))
    return mdav.standardised(np.array(rows, float)), k


def test_mdav_takes_the_far_end_then_the_other_end_then_the_rest():
    # The centroid is 21.3; 52 is farthest and takes 51 and 50; from there 1 is farthest and takes 2 and 3.
    made = apply(table(s=[10.0, 50.0, 1.0, 51.0, 11.0, 2.0, 12.0, 52.0, 3.0]), k=3)
    assert made.frame["s"].to_list() == [11.0, 51.0, 2.0, 51.0, 11.0, 2.0, 11.0, 51.0, 2.0]
    assert made.notes == {"groups": [3], "rows_left_out": [0]}


def test_mdav_leaves_a_last_group_of_up_to_2k_minus_1():
    # k = 2: 100 takes 99, then 0 takes 0.5. Of the five left, with centroid 3.7, 6 is farthest and takes 5.
    made = apply(table(s=[0.0, 0.5, 1.5, 2.0, 4.0, 5.0, 6.0, 99.0, 100.0]), k=2)
    assert made.frame["s"].to_list() == [0.25, 0.25, 2.5, 2.5, 2.5, 5.5, 5.5, 99.5, 99.5]


def test_mdav_weighs_columns_by_their_spread():
    # In yen the second column would decide alone; standardised, both tell the same two groups from each other.
    made = apply(table(a=[1.0, 1.1, 9.0, 9.1], b=[1e6, 1.2e6, 1.1e6, 1.3e6]), k=2)
    assert made.frame["a"].to_list() == pytest.approx([1.05, 1.05, 9.05, 9.05])
    assert made.frame["b"].to_list() == [1.1e6, 1.1e6, 1.2e6, 1.2e6]


@FEW
@given(clouds())
def test_mdav_is_the_slow_one_row_by_row(found):
    points, k = found
    labels = mdav.groups(points, k)
    assert as_sets(labels) == sets(slow_mdav(points.tolist(), k))
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


@FEW
@given(clouds(), st.sampled_from([0.0, 0.2, 1.0, 2.5]))
def test_vmdav_is_the_slow_one_row_by_row(found, gamma):
    points, k = found
    labels = vmdav.groups(points, k, gamma)
    assert as_sets(labels) == sets(slow_vmdav(points.tolist(), k, gamma))
    assert np.bincount(labels).min() >= k


@pytest.mark.parametrize("kind", ["normal", "skewed", "codes", "equal"])
def test_many_tiles_give_the_groups_of_one_look_at_everybody(kind):
    rng = np.random.default_rng(7)
    values = {
        "normal": rng.normal(size=(1500, 4)),
        "skewed": np.exp(2 * rng.normal(size=(1500, 3))),
        "codes": rng.integers(0, 3, (1500, 4)).astype(float),
        "equal": np.ones((1500, 2)),
    }[kind]
    points = mdav.standardised(values)
    assert as_sets(mdav.groups(points, 4)) == sets(_numpy_mdav(points, 4))


def _numpy_mdav(points, k):
    """The slow one with a whole column at a time."""
    left, groups = np.arange(len(points)), []

    def gaps(place):
        total = np.zeros(len(left))
        for column, value in zip(points[left].T, place, strict=True):
            total += (column - value) * (column - value)
        return total

    def grab(row):
        nonlocal left
        nearest = np.lexsort((left, gaps(points[row])))[:k]
        groups.append(left[nearest].tolist())
        left = np.delete(left, nearest)

    while len(left) >= 3 * k:
        r = left[gaps(points[left].sum(axis=0) / len(left)).argmax()]
        grab(r)
        grab(left[gaps(points[r]).argmax()])
    if len(left) >= 2 * k:
        grab(left[gaps(points[left].sum(axis=0) / len(left)).argmax()])
    return [*groups, left.tolist()]


def test_vmdav_of_many_tiles_gives_groups_of_at_least_k():
    rng = np.random.default_rng(3)
    clumps = rng.normal(size=(75, 2)).repeat(8, axis=0) * 50 + rng.normal(size=(600, 2))
    points = mdav.standardised(clumps)
    labels = vmdav.groups(points, 5, 1.1)
    assert as_sets(labels) == sets(slow_vmdav(points.tolist(), 5, 1.1))
    assert labels.max() + 1 < 600 // 5  # close points were taken into groups of more than five


def test_vmdav_grows_only_as_far_as_gamma_says():
    # 11 takes 10; 0 takes 1. 1.6 is 0.6 from 1 and 1.0 from 2.6: it joins for gamma > 0.6; then 2.6 is left over.
    data = table(s=[0.0, 1.0, 1.6, 2.6, 10.0, 11.0])
    assert apply(data, k=2, algorithm="vmdav", gamma=0.5).frame["s"].to_list() == [0.5, 0.5, 2.1, 2.1, 10.5, 10.5]
    joined = apply(data, k=2, algorithm="vmdav", gamma=0.7).frame["s"].to_list()
    assert joined == pytest.approx([1.3, 1.3, 1.3, 1.3, 10.5, 10.5])


def test_points_stand_on_a_grid_on_which_sums_are_exact():
    rng = np.random.default_rng(1)
    points = mdav.standardised(np.exp(rng.normal(size=(5000, 3)) * 3) * 1e6)
    assert np.abs(points.mean(axis=0)).max() < 1e-9
    assert points.std(axis=0) == pytest.approx([1, 1, 1], abs=1e-8)
    shuffled = points[rng.permutation(5000)]
    assert np.array_equal(points.sum(axis=0), shuffled.cumsum(axis=0)[-1])


def brute_force(values, k):
    """The least squares of all ways to cut the sorted values into runs of at least k."""
    ordered, best = np.sort(values), np.inf
    for count in range(1, len(values) // k + 1):
        for cuts in itertools.combinations(range(1, len(values)), count - 1):
            runs = np.split(ordered, cuts)
            if min(map(len, runs)) >= k:
                best = min(best, sum(((run - run.mean()) ** 2).sum() for run in runs))
    return best


@FEW
@given(st.lists(st.integers(0, 30), min_size=2, max_size=9), st.integers(2, 4))
def test_univariate_groups_have_the_least_squares_of_all(values, k):
    if len(values) < k:
        return
    values = np.array(values, float)
    labels = univariate.groups(values, k)
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    found = sum(((values[labels == g] - values[labels == g].mean()) ** 2).sum() for g in range(labels.max() + 1))
    assert found == pytest.approx(brute_force(values, k), abs=1e-9)


def test_univariate_treats_each_column_by_itself():
    # Sorted 1 2 3 | 10 11 12, and 1 1 | 5 5 | 7 7 in another order of rows.
    made = apply(table(a=[1.0, 10.0, 2.0, 11.0, 3.0, 12.0], b=[5, 1, 7, 5, 1, 7]), k=2, algorithm="univariate")
    assert made.frame["a"].to_list() == [2.0, 11.0, 2.0, 11.0, 2.0, 11.0]
    assert made.frame["b"].to_list() == [5, 1, 7, 5, 1, 7]
    assert made.notes["groups"] == [2, 3]


def test_univariate_is_not_misled_by_a_large_offset():
    small = np.array([0.0, 1.0, 10.0, 11.0, 12.0, 30.0, 31.0])
    assert np.array_equal(univariate.groups(small + 1e9, 2), univariate.groups(small, 2))


@pytest.mark.parametrize("algorithm", ["mdav", "vmdav", "univariate"])
def test_rows_with_a_missing_value_stay_as_they_are(algorithm):
    made = apply(table(a=[1, None, 3, 100, 102], b=[1.0, 7.0, 1.0, 2.0, 2.0]), k=2, algorithm=algorithm).frame
    assert made["a"].to_list() == [2, None, 2, 101, 101]
    if algorithm != "univariate":  # there, column b has no gap
        assert made["b"].to_list() == [1.0, 7.0, 1.0, 2.0, 2.0]


def test_whole_numbers_stay_whole_unless_asked_otherwise():
    data = table(a=pl.Series([1, 2, 2], dtype=pl.Int32), b=pl.Series([0.5, 0.5, 1.5], dtype=pl.Float32))
    made = apply(data, k=3).frame
    assert made["a"].to_list() == [2, 2, 2]  # 5/3
    assert made["a"].dtype == pl.Int32
    assert made["b"].dtype == pl.Float32
    exact = apply(data, k=3, whole=False).frame
    assert exact["a"].to_list() == pytest.approx([5 / 3] * 3)


def test_means_of_the_table_are_kept():
    rng = np.random.default_rng(2)
    data = table(a=rng.normal(size=200), b=np.exp(rng.normal(size=200)))
    for algorithm in ("mdav", "vmdav", "univariate"):
        made = apply(data, algorithm=algorithm).frame
        assert made["a"].mean() == pytest.approx(data.frame["a"].mean())
        assert made["b"].mean() == pytest.approx(data.frame["b"].mean())
        assert made["b"].value_counts()["count"].min() >= 3


def test_k_above_the_rows_is_an_error_and_none_or_one_row_is_not():
    with pytest.raises(ParameterError, match="k is 5, but only 3 rows"):
        apply(table(s=[1.0, 2.0, 3.0]), k=5)
    with pytest.raises(ParameterError, match="k is 3, but only 2 rows"):
        apply(table(s=[1.0, None, 3.0]))
    for algorithm in ("mdav", "vmdav", "univariate"):
        assert apply(table(s=[4.5]), algorithm=algorithm).frame["s"].to_list() == [4.5]
        assert apply(table(s=pl.Series([], dtype=pl.Float64)), algorithm=algorithm).height == 0
        assert apply(table(s=pl.Series([None] * 4, dtype=pl.Int64)), algorithm=algorithm).frame["s"].null_count() == 4


def test_words_cannot_be_averaged():
    frame = pl.DataFrame({"q": ["a", "b"], "s": [1, 2]})
    data = Dataset(frame, roles.choose(frame, ("q",), ("s",)))
    with pytest.raises(ParameterError, match="column 'q' holds no numbers"):
        apply(data, columns="q")


def test_threads_change_nothing(monkeypatch):
    points = mdav.standardised(np.random.default_rng(5).normal(size=(2000, 3)))
    made = []
    for threads in ("1", "3"):
        monkeypatch.setenv("ICEFIRE_THREADS", threads)
        made.append(mdav.groups(points, 3))
    assert np.array_equal(*made)


def test_a_crowd_forgets_those_who_left():
    points = mdav.standardised(np.arange(200.0).reshape(-1, 1))
    crowd = remaining_points.tile_points(points, np.arange(200))
    for row in range(100, 200):
        remaining_points.remove_row(crowd, row)
    assert remaining_points.farthest_row(crowd, points[0]) == 99
    gaps, rows = np.empty(2), np.empty(2, np.int64)
    remaining_points.nearest_remaining(crowd, points[150], gaps, rows)
    assert rows.tolist() == [99, 98]
