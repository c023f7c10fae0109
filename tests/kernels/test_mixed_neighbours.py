"""Nearest rows with numbers, categories and missing values, against comparing every pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire.kernels.neighbours.mixed import nearest_mixed


def slow_nearest(x, y, is_category, k, own):
    squared, rows = np.full((len(y), k), np.inf), np.full((len(y), k), -1)
    for j, target in enumerate(y):
        pairs = []
        for i, candidate in enumerate(x):
            if i == own[j]:
                continue
            total = 0.0
            for a, b, category in zip(candidate, target, is_category, strict=True):
                if np.isnan(a) or np.isnan(b):
                    total += np.isnan(a) != np.isnan(b)
                else:
                    total += (a != b) if category else (a - b) * (a - b)
            pairs.append((total, i))
        for place, (distance, row) in enumerate(sorted(pairs)[:k]):
            squared[j, place], rows[j, place] = distance, row
    return squared, rows


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_the_same_as_comparing_every_pair(seed):
    rng = np.random.default_rng(seed)
    n, m, columns, k = rng.integers(1, 200), rng.integers(1, 30), rng.integers(1, 5), int(rng.integers(1, 7))
    is_category = rng.random(columns) < 0.5
    x, y = (
        np.where(is_category, rng.integers(0, 4, (rows, columns)), rng.normal(size=(rows, columns)).round(1))
        for rows in (n, m)
    )
    for table in (x, y):
        table[rng.random(table.shape) < rng.choice([0.0, 0.2])] = np.nan
    own = rng.integers(-1, n, m)
    squared, rows = nearest_mixed(x, y, is_category, k, own)
    expected, expected_rows = slow_nearest(x, y, is_category, k, own)
    assert (squared == expected).all()
    assert (rows == expected_rows).all()


def test_no_candidates_no_columns_and_fewer_rows_than_wanted():
    nothing = np.zeros(0, np.bool_)
    squared, rows = nearest_mixed(np.empty((2, 0)), np.empty((3, 0)), nothing, 3)
    assert rows.tolist() == [[0, 1, -1]] * 3
    assert squared[0].tolist() == [0, 0, np.inf]
    assert nearest_mixed(np.empty((0, 1)), np.ones((1, 1)), np.array([False]), 1)[1].tolist() == [[-1]]


def test_by_hand_with_a_category_and_a_missing_value():
    # age / 10 and town; the last candidate has no age.
    x = np.array([[3.0, 0], [3.5, 1], [np.nan, 0]])
    squared, rows = nearest_mixed(x, np.array([[3.5, 0.0]]), np.array([False, True]), 3)
    assert rows.tolist() == [[0, 1, 2]]
    assert squared.tolist() == [[0.25, 1.0, 1.0]]


@pytest.mark.parametrize("threads", ["1", "2"])
def test_threads_change_nothing(monkeypatch, threads):
    monkeypatch.setenv("ICEFIRE_THREADS", threads)
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(700, 3)), rng.normal(size=(300, 3))
    squared, rows = nearest_mixed(x, y, np.zeros(3, np.bool_), 2)
    every = ((x[None] - y[:, None]) ** 2).sum(axis=2)
    assert (rows[:, 0] == every.argmin(axis=1)).all()
    assert squared[:, 0] == pytest.approx(every.min(axis=1))
