"""Linear models of the features that predict left-out rows best."""

from __future__ import annotations

import numpy as np
import pytest

from icefire.regression.ridge import best_model

RNG = np.random.default_rng(3)
FEATURES = RNG.normal(size=(60, 5))
ALL = [np.arange(5)]


def test_a_linear_outcome_is_predicted_exactly():
    outcome = FEATURES @ np.array([2.0, 0, -1, 0, 0]) + 4
    model = best_model(FEATURES, outcome, ALL)
    assert model.share == pytest.approx(1.0, abs=1e-6)
    assert np.allclose(model.predicted(FEATURES), outcome, atol=1e-4)


def test_rows_are_predicted_without_themselves():
    outcome = FEATURES[:, 0] + RNG.normal(size=60)
    model = best_model(FEATURES, outcome, ALL)
    left_out = []
    for row in range(60):
        others = np.arange(60) != row
        design = np.column_stack([FEATURES[others], np.ones(59)])
        weights = np.linalg.lstsq(design, outcome[others], rcond=None)[0]
        left_out.append(outcome[row] - np.append(FEATURES[row], 1.0) @ weights)
    assert model.share >= 1 - np.mean(np.square(left_out)) / outcome.var() - 1e-6


def test_nothing_is_predicted_of_an_outcome_that_follows_from_nothing():
    assert best_model(RNG.normal(size=(60, 40)), RNG.normal(size=60), [np.arange(40)]).share < 0.1


def test_the_better_choice_of_features_is_taken():
    model = best_model(FEATURES, FEATURES[:, 3], [np.array([0, 1]), np.array([3])])
    assert model.features.tolist() == [3]


@pytest.mark.parametrize("twice", [False, True], ids=["independent columns", "a column twice"])
def test_where_the_decomposition_does_not_converge_the_model_is_the_same(monkeypatch, twice):
    features = np.column_stack([FEATURES, FEATURES[:, 0]]) if twice else FEATURES
    outcome = features[:, 0] + 0.3 * features[:, 2] + np.random.default_rng(5).normal(size=60)
    choices = [np.arange(features.shape[1])]
    expected = best_model(features, outcome, choices)

    def stops(*_, **__):
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setattr(np.linalg, "svd", stops)
    model = best_model(features, outcome, choices)
    assert model.share == pytest.approx(expected.share, abs=1e-6)
    assert np.allclose(model.predicted(features), expected.predicted(features), atol=1e-5)
    assert best_model(np.zeros((60, 2)), outcome, [np.arange(2)]).share == pytest.approx(0, abs=1e-6)
