"""Estimate how many people are unique in the population of which the release is a random sample."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from icefire.core.scorecard.risks import Population
from icefire.kernels.types import Int

SMALL_SAMPLE = 0.1
"""Pitman's model up to this share of the population, Zayatz's above (Dankar et al. 2012); see docs/risk.md."""
GOLDEN = (math.sqrt(5) - 1) / 2


def estimate(sizes_by_row: Int, people: int) -> Population:
    """Estimate from the class size of every released row."""
    rows = len(sizes_by_row)
    size, members = np.unique(sizes_by_row, return_counts=True)
    classes = members // size
    alone, pairs = (int(classes[size == wanted].sum()) for wanted in (1, 2))
    fraction = rows / people
    small = fraction <= SMALL_SAMPLE
    uniques = 0.0 if alone == 0 else (pitman if small else zayatz)(size, classes, people)
    share = min(1.0, uniques * fraction / alone) if alone else 0.0
    model = "pitman" if small else "zayatz"
    return Population(people, model, uniques, share, correct_match(alone, pairs, fraction))


def correct_match(alone: int, pairs: int, fraction: float) -> float:
    """DIS (Skinner and Elliot 2002): p·S1 / (p·S1 + 2·(1-p)·S2), S1 and S2 the classes of size 1 and 2."""
    right, wrong = fraction * alone, 2 * (1 - fraction) * pairs
    return right / (right + wrong) if right else 0.0


def zayatz(size: Int, classes: Int, people: int) -> float:
    """Zayatz (1991): by Bayes' rule, class sizes in the population taken to be distributed as in the sample."""
    rows = int((size * classes).sum())
    drawn_once = np.array([_drawn_once(int(s), rows, people) for s in size])
    from_alone = (classes * drawn_once)[size == 1].sum() / (classes * drawn_once).sum()
    return float(classes[size == 1].sum() * from_alone * people / rows)


def _drawn_once(size: int, rows: int, people: int) -> float:
    """Chance that a sample holds exactly one of the `size` people of a class (hypergeometric)."""
    if people - size < rows - 1:
        return 0.0
    return math.exp(math.log(size) + _choose(people - size, rows - 1) - _choose(people, rows))


def _choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def pitman(size: Int, classes: Int, people: int) -> float:
    """Pitman's model (Hoshino 2001), its two parameters by maximum likelihood.

    Expected people alone: N · Γ(θ+α+N-1) · Γ(θ+1) / (Γ(θ+α) · Γ(θ+N)).
    """
    alpha, theta = _most_likely(size, classes)
    log = math.lgamma(theta + alpha + people - 1) - math.lgamma(theta + people)
    return people * math.exp(log + math.lgamma(theta + 1) - math.lgamma(theta + alpha))


def _most_likely(size: Int, classes: Int) -> tuple[float, float]:
    """Find 0 < α < 1 and θ > -α under which the classes of the sample are most likely."""
    rows, many = int((size * classes).sum()), int(classes.sum())

    def splitting(alpha: float) -> float:
        logs = [c * (math.lgamma(s - alpha) - math.lgamma(1 - alpha)) for s, c in zip(size, classes, strict=True)]
        return math.fsum(logs)

    def grouping(alpha: float, theta: float) -> float:
        begun = (many - 1) * math.log(alpha) + math.lgamma(many + theta / alpha) - math.lgamma(1 + theta / alpha)
        return begun - math.lgamma(rows + theta) + math.lgamma(1 + theta)

    def best_theta(alpha: float) -> float:
        return math.exp(_peak(lambda log: grouping(alpha, math.exp(log) - alpha), -7.0, 21.0, 60)) - alpha

    alpha = _peak(lambda a: grouping(a, best_theta(a)) + splitting(a), 1e-4, 1 - 1e-4, 30)
    return alpha, best_theta(alpha)


def _peak(value: Callable[[float], float], low: float, high: float, steps: int) -> float:
    """Find the place of the largest value of a function with one peak, by golden-section search."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = value(left), value(right)
    for _ in range(steps):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = value(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = value(left)
    return (low + high) / 2
