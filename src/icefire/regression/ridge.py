"""Linear models of many outcomes at once, each with the features and the penalty that predict left-out rows best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefire.kernels.types import Float, Int

PENALTIES = (1e-8, 1e-4, 1e-2, 1.0)
"""Penalties of the squared coefficients, per row."""
LEAST_LEFT = 1e-6
"""Least share of a row that is not explained by the row itself."""
LEAST_EXTENT = 1e-13
"""Squared extent of a direction, as a share of the largest, from which on it is no rounding."""


@dataclass(frozen=True)
class LinearModel:
    """A linear model of one outcome."""

    features: Int
    """Places of the features used."""
    coefficients: Float
    constant: float
    residuals: Float
    """What is left of each row when it is predicted from all others."""
    share: float
    """Share of the variance that is predicted so; 0 at least."""

    def predicted(self, features: Float) -> Float:
        """Return the predictions for rows with these features."""
        values: Float = features[:, self.features] @ self.coefficients + self.constant
        return values


def best_model(features: Float, outcome: Float, choices: Sequence[Int]) -> LinearModel:
    """Return the model whose predictions of left-out rows are nearest to the outcome.

    Args:
        features: Rows × features, of about equal spread.
        outcome: One finite value per row.
        choices: Which features may be used together: places in `features`.
    """
    models = [_fitted(features[:, places], outcome, places) for places in choices if len(places)]
    return max(models, key=lambda model: model.share)


def _decomposed(matrix: Float) -> tuple[Float, Float, Float]:
    """Return the singular value decomposition; by eigenvalues where the usual algorithm does not converge.

    Some versions of LAPACK stop on finite matrices whose columns depend on one another. Directions without extent are
    left out then.
    """
    try:
        left, sizes, right = np.linalg.svd(matrix, full_matrices=False)
    except np.linalg.LinAlgError:
        squared, turned = np.linalg.eigh(matrix.T @ matrix)
        located = np.flatnonzero(squared >= squared[-1] * LEAST_EXTENT)[::-1]
        sizes, right = np.sqrt(np.maximum(squared[located], 0.0)), turned[:, located].T
        left = matrix @ right.T / np.maximum(sizes, 1e-300)
    return left, sizes, right


def _fitted(features: Float, outcome: Float, places: Int) -> LinearModel:
    """Fit by the penalty that is best, each row predicted from all others by its leverage."""
    rows = len(outcome)
    centre, mean = features.mean(axis=0), float(outcome.mean())
    left, sizes, right = _decomposed(features - centre)
    along = left.T @ (outcome - mean)
    variance = float(((outcome - mean) ** 2).mean())
    best: LinearModel | None = None
    for penalty in PENALTIES:
        shrunk = sizes**2 / (sizes**2 + penalty * rows)
        own = (left**2) @ shrunk + 1.0 / rows
        residuals = (outcome - mean - left @ (shrunk * along)) / np.maximum(1.0 - own, LEAST_LEFT)
        share = max(0.0, 1.0 - float((residuals**2).mean()) / max(variance, 1e-300))
        if best is None or share > best.share:
            coefficients = right.T @ (shrunk * along / np.maximum(sizes, 1e-12 * max(float(sizes[0]), 1e-300)))
            best = LinearModel(places, coefficients, mean - float(centre @ coefficients), residuals, share)
    assert best is not None
    return best
