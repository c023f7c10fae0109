"""Linear models by main effects that always have an answer: least squares for numbers, discriminants for categories."""

from __future__ import annotations

import numpy as np

from icefire.kernels.common import logistic, sparse_rows
from icefire.kernels.types import Float, Int
from icefire.regression.main_effects import MainEffects

PENALTY = 1e-3
"""Share of the mean variance that is added to every variance, so that columns may say the same."""


def predicted_numbers(train: MainEffects, target: Float, test: MainEffects) -> Float:
    """Fit numbers by least squares; returns what the model says of the rows to test."""
    covariance, mean = _covariance(train), _means(train, np.ones(train.rows))
    centred = target - target.mean()
    effect = sparse_rows.transposed_product(train.numbers, train.levels, centred, train.width)[1:] / train.rows
    slopes = np.linalg.solve(_with_penalty(covariance), effect)
    return sparse_rows.product(test.numbers, test.levels, np.append(target.mean() - mean @ slopes, slopes))


def predicted_classes(train: MainEffects, target: Int, classes: int, test: MainEffects) -> Int:
    """Fit classes by linear discriminants (one covariance for all); returns the class of the rows to test."""
    counts = np.bincount(target, minlength=classes)
    means = np.array([_means(train, (target == one).astype(np.float64)) for one in range(classes)])
    centre = _means(train, np.ones(train.rows))
    between = ((means - centre).T * (counts / train.rows)) @ (means - centre)
    slopes = np.linalg.solve(_with_penalty(_covariance(train) - between), means.T).T
    with np.errstate(divide="ignore"):
        offsets = np.log(counts / train.rows) - (means * slopes).sum(axis=1) / 2
    scores = [
        sparse_rows.product(test.numbers, test.levels, np.append(offset, slope))
        for offset, slope in zip(offsets, slopes, strict=True)
    ]
    best: Int = np.argmax(scores, axis=0)
    return best


def _means(rows: MainEffects, weights: Float) -> Float:
    """Mean of every column but the intercept over the rows with a weight; 0 if there are none."""
    total = sparse_rows.transposed_product(rows.numbers, rows.levels, weights, rows.width)
    means: Float = total[1:] / max(total[0], 1.0)
    return means


def _covariance(rows: MainEffects) -> Float:
    # At coefficients of 0 every row has the weight 1/4 in the information.
    flat = logistic.log_likelihood(rows.numbers, rows.levels, np.zeros(rows.rows), np.zeros(rows.width))
    mean = _means(rows, np.ones(rows.rows))
    return 4 * flat.information[1:, 1:] / rows.rows - np.outer(mean, mean)


def _with_penalty(covariance: Float) -> Float:
    size = len(covariance)
    level = float(np.trace(covariance)) / size if size else 0.0
    return covariance + np.eye(size) * (PENALTY * level if level > 0 else 1.0)
