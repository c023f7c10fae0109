"""Gradient boosting of small decision trees for yes/no questions, by histograms. Deterministic."""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np

from icefire.audit.fingerprint.trees import BoostedTrees, DecisionTree

BINS = 64


@dataclass(frozen=True)
class Settings:
    """How trees are grown."""

    trees: int = 100
    depth: int = 4
    rate: float = 0.1
    least_rows: float = 8.0
    """Least sum of second derivatives times four in a leaf: about as many undecided rows."""
    penalty: float = 2.0
    features: float = 0.2
    """Share of the features that each tree may use."""
    rows: float = 0.8


def bin_edges(values: np.ndarray) -> list[np.ndarray]:
    """Return the borders of at most 64 bins per feature; missing values lie below all."""
    edges = []
    for column in values.T:
        known = np.unique(column[~np.isnan(column)])
        if len(known) > BINS - 2:
            known = np.unique(np.quantile(column[~np.isnan(column)], np.linspace(0, 1, BINS - 1)))
        borders = (known[1:] + known[:-1]) / 2
        edges.append(np.concatenate([[known[0] - 1e-6 - 1e-6 * abs(known[0])], borders]) if len(known) else np.zeros(0))
    return edges


def binned(values: np.ndarray, edges: list[np.ndarray]) -> np.ndarray:
    """Return the bin of every value: the number of borders below it; 0 for missing ones."""
    bins = [
        np.searchsorted(borders, np.nan_to_num(column, nan=-np.inf), "left")
        for column, borders in zip(values.T, edges, strict=True)
    ]
    return np.ascontiguousarray(np.stack(bins).astype(np.uint8))


def train(
    values: np.ndarray,
    labels: np.ndarray,
    seed: int,
    settings: Settings | None = None,
    weights: np.ndarray | None = None,
) -> BoostedTrees:
    """Train trees for one question.

    Args:
        values: Rows × features; NaN is missing.
        labels: 0 or 1 for each row.
        seed: Seed of the draws of rows and features.
        settings: How trees are grown.
        weights: How often each row counts. Default: once.
    """
    settings = settings or Settings()
    weights = np.ones(len(labels)) if weights is None else weights
    rng = np.random.default_rng(seed)
    edges = bin_edges(values)
    bins = binned(values, edges)
    share = np.clip(np.average(labels, weights=weights), 1e-3, 1 - 1e-3)
    bias = float(np.log(share / (1 - share)))
    scores, trees = np.full(len(labels), bias), []
    for _ in range(settings.trees):
        chance = 1 / (1 + np.exp(-scores))
        features = np.sort(rng.permutation(len(edges))[: max(1, int(settings.features * len(edges)))])
        drawn = (rng.random(len(labels)) < settings.rows) * weights
        gradient, curvature = (labels - chance) * drawn, chance * (1 - chance) * drawn
        tree, steps = _grow(bins, edges, gradient, curvature, features, settings)
        scores += steps
        trees.append(tree)
    return BoostedTrees(bias, trees)


def _grow(bins, edges, gradient, curvature, features, settings):  # type: ignore[no-untyped-def]
    rows = len(gradient)
    node = np.zeros(rows, np.int64)
    tree = {
        "feature": [-1],
        "threshold": [0.0],
        "left": [0],
        "right": [0],
        "value": [_leaf(gradient.sum(), curvature.sum(), settings)],
    }
    level = [0]
    for _ in range(settings.depth):
        below = []
        for place in level:
            inside = node == place
            split = _best_split(bins, gradient * inside, curvature * inside, features, settings)
            if split is None:
                continue
            feature, border = split
            goes_right = inside & (bins[feature] > border)
            tree["feature"][place], tree["threshold"][place] = int(feature), float(edges[feature][border])
            for side, goes in (("left", inside & ~goes_right), ("right", goes_right)):
                child = len(tree["value"])
                tree[side][place] = child
                for key, value in (("feature", -1), ("threshold", 0.0), ("left", 0), ("right", 0)):
                    tree[key].append(value)
                tree["value"].append(_leaf(gradient[goes].sum(), curvature[goes].sum(), settings))
                node[goes] = child
                below.append(child)
        level = below
    return DecisionTree(**{key: np.array(column) for key, column in tree.items()}), np.array(tree["value"])[node]


def _leaf(gradient: float, curvature: float, settings: Settings) -> float:
    return float(settings.rate * gradient / (curvature + settings.penalty))


def _best_split(bins, gradient, curvature, features, settings):  # type: ignore[no-untyped-def]
    sums, weights = _histograms(bins, gradient, curvature, features)
    left, left_weight = np.cumsum(sums, axis=1)[:, :-1], np.cumsum(weights, axis=1)[:, :-1]
    total, weight = sums.sum(axis=1, keepdims=True), weights.sum(axis=1, keepdims=True)
    right, right_weight = total - left, weight - left_weight
    gain = left**2 / (left_weight + settings.penalty) + right**2 / (right_weight + settings.penalty)
    gain -= total**2 / (weight + settings.penalty)
    gain[(left_weight * 4 < settings.least_rows) | (right_weight * 4 < settings.least_rows)] = 0.0
    place = int(gain.argmax())
    if gain.ravel()[place] <= 1e-6:
        return None
    return features[place // gain.shape[1]], place % gain.shape[1]


@numba.njit(cache=False)
def _histograms(bins, gradient, curvature, features):  # type: ignore[no-untyped-def]
    sums, weights = np.zeros((len(features), 64)), np.zeros((len(features), 64))
    for f in range(len(features)):
        column = bins[features[f]]
        for row in range(len(gradient)):
            if curvature[row] != 0.0:
                sums[f, column[row]] += gradient[row]
                weights[f, column[row]] += curvature[row]
    return sums, weights
