"""How features of people differ between members and outsiders, from two mixtures of both without any label.

The records asked about hold members and outsiders in other shares than everybody does. A feature that is more frequent
among them than among everybody is one of outsiders (if more outsiders are asked about than there are in all).
"""

from __future__ import annotations

import numpy as np

from icefire.kernels.types import Float, Int

RIDGE = 3.0
"""Penalty of the logistic regression: a hundred records tell little about each feature."""
STEPS = 25
MOST = 50.0
"""Largest ratio believed."""
MARGIN = 0.002
"""How near to its bounds the ratio of both mixtures may come, as a share of the distance between them."""
ALIKE = 0.02
"""Where the shares of members differ by less, the mixtures tell nothing."""


def outsider_ratios(features: Float, asked: Int, members: float, everybody: float) -> Float:
    """Return for each person how much more frequent the person's features are among outsiders than among members.

    A logistic regression tells the records asked about from everybody; its odds are the ratio of the two mixtures,
    which gives that of their parts.

    Args:
        features: People × features.
        asked: The people asked about.
        members: Share of members among those asked about.
        everybody: Share of members among all people.
    """
    if abs(members - everybody) < ALIKE or not len(asked):
        return np.ones(len(features))
    mixed = _density_ratio(_standardised(features), asked)
    low, high = sorted((members / everybody, (1 - members) / max(1 - everybody, 1e-9)))
    room = MARGIN * (min(high, MOST) - low)
    mixed = np.clip(mixed, low + room, min(high, MOST) - room)
    ratio: Float = (members - mixed * everybody) / (mixed * (1 - everybody) - (1 - members))
    return np.clip(ratio, 1 / MOST, MOST)


def among_asked(inside: Float, everybody: float, members: float) -> Float:
    """Return the probability of membership of those asked about, of whom another share than of everybody are members.

    Args:
        inside: The same probability as if they had been drawn from everybody.
        everybody: Share of members among all people.
        members: Share of members among those asked about.
    """
    everybody, members = (float(np.clip(share, 1e-3, 1 - 1e-3)) for share in (everybody, members))
    odds = inside / np.maximum(1 - inside, 1e-9) * (1 - everybody) / everybody * members / (1 - members)
    chance: Float = odds / (1 + odds)
    return chance


def _standardised(features: Float) -> Float:
    spread = features.std(axis=0)
    scaled: Float = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return np.column_stack([np.ones(len(features)), scaled])


def _density_ratio(design: Float, asked: Int) -> Float:
    """Return how much more frequent each person's features are among those asked about than among all."""
    rows = np.concatenate([design, design[asked]])
    label = np.repeat([0.0, 1.0], [len(design), len(asked)])
    weight = np.repeat([len(asked) / len(design), 1.0], [len(design), len(asked)])
    ridge = np.full(design.shape[1], RIDGE)
    ridge[0] = 1e-9
    coefficients = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-_combined(rows, coefficients)))
        gradient = (rows * (weight * (label - chance))[:, None]).sum(axis=0) - ridge * coefficients
        curvature = weight * chance * (1 - chance)
        information = [(rows * (curvature * column)[:, None]).sum(axis=0) for column in rows.T]
        coefficients += np.linalg.solve(np.array(information) + np.diag(ridge), gradient)
    odds = np.exp(np.clip(_combined(design, coefficients), -30, 30))
    ratio: Float = odds / odds.mean()
    return ratio


def _combined(design: Float, coefficients: Float) -> Float:
    """Return the weighted sum of the columns; not a matrix product, whose last digit depends on the threads."""
    total: Float = (design * coefficients).sum(axis=1)
    return total
