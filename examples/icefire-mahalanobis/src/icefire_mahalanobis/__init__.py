"""An attack that uses what the Euclidean ones ignore: sensitive attributes are correlated.

Careful anonymisers add noise that is correlated like the data, so that correlations survive. Such noise is large in
the directions in which people differ anyway and small in the others; distance in units of the covariance looks where
the noise is small. Against independent noise on every column the plain standardised distance is the better one.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import attack
from icefire.core.release import Case, Guess
from icefire.kernels.neighbours import euclidean


@attack(
    "mahalanobis",
    needs=("numeric_sa",),
    knows="everybody's quasi-identifiers and sensitive values, and how the sensitive values hang together",
)
def mahalanobis(
    case: Case,
    *,
    rng: np.random.Generator,
    qi: Columns = None,
    ridge: Annotated[float, Bounds(0, 1)] = 1e-6,
) -> Guess:
    """Among the original rows with the same quasi-identifiers, take the nearest by Mahalanobis distance.

    The attacker knows everybody's quasi-identifiers and numeric sensitive attributes, and takes the covariance from
    the original table. Success is naming the right person; where nobody has the same quasi-identifiers, everybody is
    searched.

    Args:
        case: What the attacker holds: the original and the release.
        rng: Unused; part of every attack's signature.
        qi: Quasi-identifiers to compare. Default: all of them.
        ridge: Added to every variance, so that a constant column does no harm.

    Returns:
        One original row per released row.
    """
    blocks = case.blocks(case.known.schema.pick(qi, case.known.qi, "qi"))
    x, y = case.points(scale="standard")
    whiten = _whitening(x, ridge)
    x, y = np.ascontiguousarray(x @ whiten), np.ascontiguousarray(y @ whiten)
    answers = euclidean.nearest_in_blocks(x, y, blocks.x_rows, blocks.x_start, blocks.y_rows, blocks.y_start)
    lost = np.flatnonzero(answers < 0)
    if len(lost):
        answers[lost] = euclidean.nearest_rows(x, y, lost)
    return Guess(answers)


def _whitening(points: np.ndarray, ridge: float) -> np.ndarray:
    """Return the matrix after which Euclidean distance is Mahalanobis distance."""
    covariance = np.atleast_2d(np.cov(points, rowvar=False)) + ridge * np.eye(points.shape[1])
    return np.linalg.inv(np.linalg.cholesky(covariance)).T
