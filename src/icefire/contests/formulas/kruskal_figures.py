"""The Kruskal-Wallis test of values in ordered groups, as seven figures between 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from icefire.kernels.types import Float

FIGURES = ("h", "p", "epsilon", "eta", "ranks", "order", "strength")
LEAST = 2
"""Groups with fewer values are left out."""
SMALLEST = -709.7827
"""Logarithm of the smallest tail that the contest's script computes; below it the tail is approximated."""


def kruskal_figures(groups: Sequence[Float]) -> dict[str, float]:
    """Return the seven figures of the values of some groups, in their order.

    Args:
        groups: The values of each group.

    Returns:
        Figures by name; all are 0 where fewer than two groups have two values, or all values are equal.
    """
    kept = [group for group in groups if len(group) >= LEAST]
    values = np.concatenate(kept) if kept else np.empty(0)
    if len(kept) < 2 or values.min() == values.max():
        return dict.fromkeys(FIGURES, 0.0)
    sizes = np.array([len(group) for group in kept])
    ranks, ties = _mean_ranks(values)
    n, k = len(values), len(kept)
    of_group = np.split(ranks, np.cumsum(sizes)[:-1])
    between = sum(len(one) * (one.mean() - (n + 1) / 2) ** 2 for one in of_group)
    h = 12 / (n * (n + 1)) * between / (1 - (ties**3 - ties).sum() / (n**3 - n))
    order, strength = _orders(kept)
    return {
        "h": _clipped(h / _largest_h(sizes)),
        "p": _clipped(2 / math.pi * math.atan(minus_log_tail(h, k - 1) / 10)),
        "epsilon": _clipped((h - k + 1) / (n - k + 1)),
        "eta": _clipped((h - k + 1) / (n - 1)),
        "ranks": _clipped(between / float(((ranks - (n + 1) / 2) ** 2).sum())),
        "order": _clipped(order),
        "strength": _clipped(strength),
    }


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))


def _mean_ranks(values: Float) -> tuple[Float, Float]:
    """Return the rank of every value, equal ones sharing the mean, and how many values each rank has."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Float = (last - (counts - 1) / 2)[inverse]
    return ranks, counts.astype(np.float64)


def _largest_h(sizes: np.ndarray) -> float:
    """Return H of untied ranks that ascend from group to group."""
    n = int(sizes.sum())
    ends = np.cumsum(sizes)
    means = ends - (sizes - 1) / 2
    return float(12 / (n * (n + 1)) * (sizes * (means - (n + 1) / 2) ** 2).sum())


def _orders(groups: Sequence[Float]) -> tuple[float, float]:
    """Return the weighted mean chance that a value of an earlier group is larger, and how far from even it is."""
    weight = order = strength = 0.0
    ordered = [np.sort(group) for group in groups]
    for i, first in enumerate(ordered):
        for second in ordered[i + 1 :]:
            below = np.searchsorted(second, first, "left").sum()
            not_above = np.searchsorted(second, first, "right").sum()
            pairs = len(first) * len(second)
            chance = (below + not_above) / 2 / pairs
            weight += pairs
            order += pairs * chance
            strength += pairs * 2 * abs(chance - 0.5)
    return order / weight, strength / weight


def minus_log_tail(h: float, freedom: int) -> float:
    """Return -log10 of the upper tail of the chi-squared distribution.

    Where the tail is too small for a floating-point number, it is that of the normal distribution on both sides, by
    the cube-root transformation.
    """
    a, x = freedom / 2, h / 2
    if x <= 0:
        return 0.0
    if a * math.log(x) - x - math.lgamma(a) < SMALLEST:
        v = float(freedom)
        z = abs(((h / v) ** (1 / 3) - 1 + 2 / (9 * v)) / math.sqrt(2 / (9 * v)))
        return -(math.log(2) + _log_normal_tail(z)) / math.log(10)
    return -_log_gamma_tail(a, x) / math.log(10)


def _log_normal_tail(z: float) -> float:
    """Return the logarithm of the upper tail of the normal distribution."""
    if z < 25:
        return math.log(math.erfc(z / math.sqrt(2)) / 2)
    series = 1 - 1 / z**2 + 3 / z**4 - 15 / z**6 + 105 / z**8
    return -z * z / 2 - math.log(z * math.sqrt(2 * math.pi)) + math.log(series)


def _log_gamma_tail(a: float, x: float) -> float:
    """Return the logarithm of the regularised upper incomplete gamma function for whole and half a.

    Q(a + 1, x) = Q(a, x) + x^a e^-x / Γ(a + 1), beginning with Q(1, x) = e^-x or Q(1/2, x) = erfc(√x).
    """
    if a == int(a):
        logs, at = [-x], 1.0
    else:
        logs, at = [math.log(2) + _log_normal_tail(math.sqrt(2 * x))], 0.5
    while at < a - 0.25:
        logs.append(at * math.log(x) - x - math.lgamma(at + 1))
        at += 1
    top = max(logs)
    return top + math.log(sum(math.exp(one - top) for one in logs))
