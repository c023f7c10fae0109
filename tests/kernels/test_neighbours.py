"""Nearest rows and values: every kernel against a plain version, on data made of ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire.kernels.neighbours import euclidean, kd_trees, median_splits, single_value

FEW = settings(max_examples=60, deadline=None)
PATHS = ["scan", "trees"]


# -- plain versions ------------------------------------------------------------------------------------------


def distances(x, y, j, rows):
    """Squared distances of y[j] to the given rows of x, summed column by column."""
    total = np.zeros(len(rows))
    for c in range(x.shape[1]):
        total += (x[rows, c] - y[j, c]) * (x[rows, c] - y[j, c])
    return total


def plain_nearest_in_blocks(x, y, x_rows, x_start, y_rows, y_start, measure=distances):
    answers = np.full(len(y), -1)
    for b in range(len(x_start) - 1):
        rows = x_rows[x_start[b] : x_start[b + 1]]
        for j in y_rows[y_start[b] : y_start[b + 1]]:
            if len(rows):
                answers[j] = rows[np.argmin(measure(x, y, j, rows))]
    return answers


def value_distances(x, y, j, rows):
    return np.abs(x[rows] - y[j])


def in_blocks(labels_x, labels_y, count):
    """The four arrays of the blocks with the given labels."""
    parts = []
    for labels in (np.asarray(labels_x, np.int64), np.asarray(labels_y, np.int64)):
        parts += [np.argsort(labels, kind="stable"), np.searchsorted(np.sort(labels), np.arange(count + 1))]
    return parts


def whole(x, y):
    return in_blocks(np.zeros(len(x)), np.zeros(len(y)), 1)


# -- data ----------------------------------------------------------------------------------------------------


@st.composite
def tables(draw):
    """Two tables of 0, 1 or 3 columns, whose few whole numbers tie all the time, dealt into blocks."""
    columns, top, count = draw(st.sampled_from([0, 1, 3])), draw(st.integers(0, 6)), draw(st.integers(1, 5))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, m = draw(st.integers(0, 300)), draw(st.integers(0, 60))
    x, y = (random.integers(0, top + 1, (rows, columns)).astype(float) for rows in (n, m))
    # Squared, so that the first block is large and the last ones often lack a side.
    labels = [(random.random(rows) ** 2 * count).astype(int) for rows in (n, m)]
    return x, y, in_blocks(*labels, count)


@pytest.fixture(params=PATHS)
def path(request, monkeypatch):
    """Run a test once on the scan, and once on trees even where these would be too small to be worth it."""
    force(request.param, monkeypatch)
    return request.param


def force(path, monkeypatch):
    if path == "trees":
        monkeypatch.setattr(euclidean, "SCAN_CANDIDATES", 0)
        monkeypatch.setattr(euclidean, "SCAN_TARGETS", 0)
        monkeypatch.setattr(kd_trees, "LEAF", 8)
        monkeypatch.setattr(median_splits, "BIG", 100)


# -- nearest rows --------------------------------------------------------------------------------------------

X4 = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0], [6.0, 8.0]])
Y4 = np.array([[3.0, 4.0], [1.5, 2.0], [9.0, 9.0], [4.5, 6.0]])


@pytest.mark.usefixtures("path")
def test_four_rows_find_their_nearest_and_ties_go_to_the_lowest_row():
    # y0 equals x1 and x2; y1 is 2.5 from x0, x1 and x2; y2 is nearest to x3; y3 is 2.5 from x1, x2 and x3.
    assert euclidean.nearest_rows(X4, Y4).tolist() == [1, 0, 3, 1]


@pytest.mark.usefixtures("path")
def test_a_block_hides_the_rows_outside_it():
    # Block 0: x1, x3 for y0, y3. Block 1: x0, x2 for y1. Block 2: nothing for y2. Block 3: nothing at all.
    blocks = in_blocks([1, 0, 1, 0], [0, 1, 2, 0], 4)
    assert euclidean.nearest_in_blocks(X4, Y4, *blocks).tolist() == [1, 0, -1, 1]


def test_rows_of_y_in_no_block_get_no_answer():
    one = np.array([0, 1])
    answers = euclidean.nearest_in_blocks(X4, Y4, np.array([2]), one, np.array([3]), one)
    assert answers.tolist() == [-1, -1, -1, 2]


@pytest.mark.parametrize("path", PATHS)
@FEW
@given(tables())
def test_nearest_in_blocks_is_what_a_plain_search_finds(path, given_tables):
    x, y, blocks = given_tables
    with pytest.MonkeyPatch.context() as monkeypatch:
        force(path, monkeypatch)
        answers = euclidean.nearest_in_blocks(x, y, *blocks)
    assert answers.tolist() == plain_nearest_in_blocks(x, y, *blocks).tolist()


@pytest.mark.parametrize("path", PATHS)
@FEW
@given(tables())
def test_nearest_answers_chosen_targets_in_their_order_even_twice(path, given_tables):
    x, y, _ = given_tables
    targets = np.concatenate([np.arange(len(y))[::-2], np.arange(len(y))[::3]])
    expected = plain_nearest_in_blocks(x, y, *whole(x, y))
    with pytest.MonkeyPatch.context() as monkeypatch:
        force(path, monkeypatch)
        assert euclidean.nearest_rows(x, y).tolist() == expected.tolist()
        assert euclidean.nearest_rows(x, y, targets).tolist() == expected[targets].tolist()


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("columns", [0, 1, 3])
def test_among_equal_points_the_lowest_row_of_the_block_wins(columns):
    x, y = np.full((2000, columns), 7.0), np.full((50, columns), 5.0)
    blocks = in_blocks(np.arange(2000)[::-1] % 2, np.arange(50) % 2, 2)
    assert euclidean.nearest_in_blocks(x, y, *blocks).tolist() == [1, 0] * 25
    assert set(euclidean.nearest_rows(x, y).tolist()) == {0}


@pytest.mark.usefixtures("path")
def test_a_single_row_is_nearest_to_all():
    assert euclidean.nearest_rows(np.array([[1.0, 2.0]]), Y4).tolist() == [0, 0, 0, 0]


@pytest.mark.usefixtures("path")
def test_an_empty_table_has_no_nearest_row():
    assert euclidean.nearest_rows(np.empty((0, 2)), Y4).tolist() == [-1, -1, -1, -1]
    assert euclidean.nearest_rows(X4, np.empty((0, 2))).tolist() == []


@pytest.mark.usefixtures("path")
def test_distances_that_overflow_tie_at_infinity():
    x, y = np.array([[1e200], [1e300], [-1e200]]), np.array([[-1e308], [1e200]])
    assert euclidean.nearest_rows(x, y).tolist() == [0, 0]


@pytest.mark.usefixtures("path")
def test_ties_that_exist_only_after_rounding_go_to_the_lowest_row():
    # 0.1 ** 2 + 0.2 ** 2 + 0.3 ** 2 depends in its last digit on the order of the terms.
    random = np.random.default_rng(0)
    x = np.array([random.permutation([0.1, -0.1, 0.2, 0.3, 0.7, 1e-9]) for _ in range(3000)])
    y = random.permutation(np.zeros((40, 6)) + random.choice([0.0, 1e-17], (40, 1)))
    assert euclidean.nearest_rows(x, y).tolist() == plain_nearest_in_blocks(x, y, *whole(x, y)).tolist()


@pytest.mark.parametrize("x_order", ["C", "F"])
def test_one_giant_block_beside_many_tiny_ones_is_answered_exactly(x_order):
    random = np.random.default_rng(1)
    x, y = random.integers(0, 12, (6000, 3)).astype(float), random.integers(0, 12, (3000, 3)).astype(float)
    blocks = in_blocks(*(np.maximum(random.integers(-2000, 2000, rows), 0) for rows in (6000, 3000)), 2000)
    answers = euclidean.nearest_in_blocks(np.asarray(x, order=x_order), y, *blocks)
    assert answers.tolist() == plain_nearest_in_blocks(x, y, *blocks).tolist()


# -- distances and bounds ------------------------------------------------------------------------------------


def test_squared_distances_of_four_rows():
    # (3, 4) to the origin is 25; y1 to x1 is 2.25 + 4; no row is infinitely far; y3 to x3 is 2.25 + 4.
    squared = euclidean.squared_distances(X4, Y4, np.array([0, 1, -1, 3]))
    assert squared.tolist() == [25.0, 6.25, np.inf, 6.25]


@pytest.mark.usefixtures("path")
def test_a_row_at_the_bound_is_not_nearer_than_the_bound():
    # The nearest rows are 0, 6.25, 10 and 6.25 away.
    assert euclidean.nearer_exists(X4, Y4, np.array([0.0, 6.25, 10.0, 6.25])).tolist() == [False] * 4
    assert euclidean.nearer_exists(X4, Y4, np.array([1e-9, 6.26, np.inf, 6.24])).tolist() == [True] * 3 + [False]


@pytest.mark.parametrize("path", PATHS)
@FEW
@given(tables(), st.integers(0, 30))
def test_nearer_exists_says_what_all_distances_say(path, given_tables, bound):
    x, y, _ = given_tables
    squared = np.arange(len(y)) % (bound + 1.0)
    expected = [bool(np.any(distances(x, y, j, np.arange(len(x))) < squared[j])) for j in range(len(y))]
    with pytest.MonkeyPatch.context() as monkeypatch:
        force(path, monkeypatch)
        assert euclidean.nearer_exists(x, y, squared).tolist() == expected


# -- nearest values ------------------------------------------------------------------------------------------


def test_four_values_find_their_nearest_and_ties_go_to_the_lowest_row():
    # 15 is as far from 20 (rows 0, 2) as from 10 (row 1); 40 is nearest to 30 (row 3); 19 to 20; 10 to 10.
    x, y = np.array([20.0, 10.0, 20.0, 30.0]), np.array([15.0, 40.0, 19.0, 10.0])
    assert single_value.nearest_value(x, y).tolist() == [0, 3, 0, 1]
    # Block 0: rows 1, 2 for 15 and 10. Block 1: rows 0, 3 for 40. Block 2: nothing for 19.
    blocks = in_blocks([1, 0, 0, 1], [0, 1, 2, 0], 3)
    assert single_value.nearest_value_in_blocks(x, y, *blocks).tolist() == [1, 3, -1, 1]


def test_values_whose_distances_are_equal_after_rounding_tie():
    # Seen from 1e17, where doubles are 16 apart, 7, 5, 1 and 3 are equally far; 1e17 - 64 is not.
    assert single_value.nearest_value(np.array([7.0, 5.0, 1.0, 3.0]), np.array([1e17, -1e17])).tolist() == [0, 0]
    assert single_value.nearest_value(np.array([7.0, 1e17 - 64, 1.0]), np.array([1e17])).tolist() == [1]


@pytest.mark.parametrize(("small", "packed"), [(0, 1 << 14), (1024, 1 << 14), (1024, -1)])
@FEW
@given(tables(), st.sampled_from([1.0, 0.5, 3.0, 1e15, 1e17]))
def test_nearest_value_is_what_a_plain_search_finds(small, packed, given_tables, scale):
    x, y, blocks = given_tables
    x, y = x.sum(axis=1), y.sum(axis=1) * scale
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(single_value, "SMALL", small)
        monkeypatch.setattr(single_value, "PACKED", packed)
        answers, inside = single_value.nearest_value(x, y), single_value.nearest_value_in_blocks(x, y, *blocks)
    assert answers.tolist() == plain_nearest_in_blocks(x, y, *whole(x, y), value_distances).tolist()
    assert inside.tolist() == plain_nearest_in_blocks(x, y, *blocks, value_distances).tolist()


def test_values_in_one_giant_block_beside_many_tiny_ones_are_answered_exactly():
    random = np.random.default_rng(2)
    x, y = random.integers(0, 900, 6000).astype(float), random.integers(0, 900, 4000) / 2
    blocks = in_blocks(*(np.maximum(random.integers(-2000, 2000, rows), 0) for rows in (6000, 4000)), 2000)
    expected = plain_nearest_in_blocks(x, y, *blocks, value_distances)
    assert single_value.nearest_value_in_blocks(x, y, *blocks).tolist() == expected.tolist()


def test_many_whole_numbers_are_sorted_with_block_and_row_in_one_number():
    random = np.random.default_rng(4)
    x, y = (random.integers(-900, 900, 10_000).astype(float) for _ in range(2))
    blocks = in_blocks(*(random.integers(0, 300, 10_000) for _ in range(2)), 300)
    assert single_value._packed(x, y, *blocks) is not None
    assert single_value._packed(x, y + 0.5, *blocks) is None
    assert single_value._packed(np.append(x[1:], np.nan), y, *blocks) is None
    expected = plain_nearest_in_blocks(x, y, *blocks, value_distances)
    assert single_value.nearest_value_in_blocks(x, y, *blocks).tolist() == expected.tolist()


# -- threads -------------------------------------------------------------------------------------------------


def test_no_answer_depends_on_the_number_of_threads(monkeypatch, path):
    random = np.random.default_rng(3)
    x, y = random.integers(0, 20, (9000, 3)).astype(float), random.integers(0, 20, (5000, 3)).astype(float)
    blocks = in_blocks(*(np.maximum(random.integers(-500, 500, rows), 0) for rows in (9000, 5000)), 500)
    answers = []
    for count in ("1", "3"):
        monkeypatch.setenv("ICEFIRE_THREADS", count)
        results = euclidean.nearest_in_blocks(x, y, *blocks)
        squared = euclidean.squared_distances(x, y, results)
        nearer = euclidean.nearer_exists(x, y, squared)
        value = single_value.nearest_value_in_blocks(x[:, 0], y[:, 0], *blocks)
        everywhere = single_value.nearest_value(x.sum(axis=1), y.sum(axis=1))
        answers.append(np.concatenate([results, euclidean.nearest_rows(x, y), squared, nearer, value, everywhere]))
    assert np.array_equal(*answers)
