"""Logistic regression that always has an answer: the probabilities of a 0/1 outcome by main effects.

A slight penalty on the coefficients (not on the intercept) keeps them finite where the columns tell the outcome exactly
and where columns say the same; elsewhere it does not change the sixth digit of a probability.
"""

from __future__ import annotations

import math

import numpy as np

from icefire.kernels.common import logistic, sparse_rows
from icefire.kernels.types import Float
from icefire.regression.main_effects import MainEffects

PENALTY = 1e-6
STEPS = 40
HALVINGS = 20
CLOSE = 1e-9
"""The walk ends when a step adds less than this per row to the likelihood."""


def probabilities(rows: MainEffects, outcome: Float) -> Float:
    """Fit the model by Newton's method; returns the probability of the outcome for every row."""
    beta = _start(rows, outcome)
    penalty = _penalty(rows)
    here = logistic.log_likelihood(rows.numbers, rows.levels, outcome, beta)
    for _ in range(STEPS):
        gradient = here.gradient - penalty * beta
        step = np.linalg.solve(here.information + np.diag(penalty), gradient)
        value = here.likelihood - penalty @ beta**2 / 2
        for _ in range(HALVINGS):
            there = logistic.log_likelihood(rows.numbers, rows.levels, outcome, beta + step)
            gain = there.likelihood - penalty @ (beta + step) ** 2 / 2 - value
            if gain >= -1e-12 * abs(value):
                break
            step /= 2
        beta, here = beta + step, there
        if gain <= CLOSE * rows.rows:
            break
    return _logistic(sparse_rows.product(rows.numbers, rows.levels, beta))


class NullModel:
    """Fits the same rows to outcomes that have nothing to do with them; one matrix serves all of them.

    The probabilities stay near the share of the outcome, so that the slope of the likelihood there can be used for
    every step; each costs a small part of a full one.
    """

    def __init__(self, rows: MainEffects, outcome: Float) -> None:
        """Prepare for outcomes that are as frequent as this one."""
        self.rows = rows
        self.beta = _start(rows, outcome)
        self.penalty = _penalty(rows)
        slope = logistic.log_likelihood(rows.numbers, rows.levels, outcome, self.beta)
        self.inverse = np.linalg.inv(slope.information + np.diag(self.penalty))

    def probabilities(self, outcome: Float) -> Float:
        """Return the probability of the outcome for every row."""
        beta, rows = self.beta, self.rows
        chance = _logistic(sparse_rows.product(rows.numbers, rows.levels, beta))
        for _ in range(STEPS):
            missed = sparse_rows.transposed_product(rows.numbers, rows.levels, outcome - chance, rows.width)
            gradient = missed - self.penalty * beta
            step = self.inverse @ gradient
            beta = beta + step
            chance = _logistic(sparse_rows.product(rows.numbers, rows.levels, beta))
            if gradient @ step <= CLOSE * rows.rows:
                break
        return chance


def _start(rows: MainEffects, outcome: Float) -> Float:
    beta = np.zeros(rows.width)
    beta[0] = math.log(outcome.mean() / (1 - outcome.mean()))
    return beta


def _penalty(rows: MainEffects) -> Float:
    penalty = np.full(rows.width, PENALTY)
    penalty[0] = 0.0
    return penalty


def _logistic(eta: Float) -> Float:
    tail = np.exp(-np.abs(eta))
    return np.where(eta >= 0, 1 / (1 + tail), tail / (1 + tail))
