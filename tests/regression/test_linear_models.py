"""Main effects, least squares and linear discriminants against the obvious version."""

from __future__ import annotations

import numpy as np
import pytest

from icefire.regression import linear_models
from icefire.regression.linear_models import predicted_classes, predicted_numbers
from icefire.regression.main_effects import MOST_LEVELS, code_rows


def matrix(rows):
    """The main effects as a full matrix, without the intercept."""
    full = np.zeros((rows.rows, rows.width))
    full[:, 1 : 1 + rows.numbers.shape[1]] = rows.numbers
    for row, columns in enumerate(rows.levels):
        full[row, columns[columns >= 0]] = 1
    return full[:, 1:]


def test_main_effects_standardise_numbers_and_give_frequent_values_columns():
    rows = code_rows(5, [np.array([1.0, 2, 3, np.nan, 2]), np.full(5, 7.0)], [np.array([0, 1, 1, 1, 2])])
    # One number, which is missing once, and a category of three values, of which the most frequent has no column.
    assert rows.width == 1 + 1 + 2 + 1
    assert rows.numbers[:, 0] == pytest.approx([-(2**0.5), 0, 2**0.5, 0, 0])
    assert rows.levels.tolist() == [[2, -1], [-1, -1], [-1, -1], [-1, 4], [3, -1]]


def test_rare_values_share_a_column_and_tables_without_variation_have_none():
    assert code_rows(100, [], [np.arange(100)]).width == MOST_LEVELS
    assert code_rows(3, [np.full(3, np.nan)], [np.zeros(3, np.int64)]).width == 1


def test_least_squares_and_discriminants_are_those_of_the_full_matrix(monkeypatch):
    monkeypatch.setattr(linear_models, "PENALTY", 1e-9)
    rng = np.random.default_rng(3)
    rows = code_rows(200, [rng.normal(size=200), rng.normal(size=200)], [rng.integers(0, 4, 200)])
    full = matrix(rows)
    goal = full @ rng.normal(size=5) + rng.normal(size=200)
    train, test = rows.take(slice(0, 150)), rows.take(slice(150, None))
    design = np.column_stack([np.ones(200), full])
    beta = np.linalg.lstsq(design[:150], goal[:150], rcond=None)[0]
    assert predicted_numbers(train, goal[:150], test) == pytest.approx(design[150:] @ beta, abs=1e-4)

    classes = np.digitize(goal, [-1, 1])
    means = np.array([full[:150][classes[:150] == c].mean(axis=0) for c in range(3)])
    within = sum(np.cov(full[:150][classes[:150] == c].T, bias=True) * (classes[:150] == c).mean() for c in range(3))
    slopes = np.linalg.solve(within, means.T).T
    shares = np.bincount(classes[:150]) / 150
    scores = full[150:] @ slopes.T - (means * slopes).sum(axis=1) / 2 + np.log(shares)
    assert (predicted_classes(train, classes[:150], 3, test) == scores.argmax(axis=1)).all()


def test_a_model_without_columns_says_the_same_of_everybody():
    rows = code_rows(6, [], [])
    assert predicted_numbers(rows, np.arange(6.0), rows) == pytest.approx([2.5] * 6)
    assert predicted_classes(rows, np.array([0, 1, 1, 1, 0, 1]), 3, rows).tolist() == [1] * 6
