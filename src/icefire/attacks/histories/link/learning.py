"""Rates of survival and addition, learned from the pairs that fit best, and the candidates they lead to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from icefire.attacks.histories.link.layers import KeyLayers, Rates, weigh
from icefire.kernels.baskets import key_evidence
from icefire.kernels.baskets.key_evidence import ScoredPairs
from icefire.kernels.types import Float, Int

KEPT = 64
BUDGET = 200_000
ROUNDS = 8
BALANCING = 50
NEARLY_ALL = 0.9
"""Where so many of the people were released, everybody counts as released."""
STARTS = ((0.8, 0.3), (0.98, 0.8), (0.3, 0.05), (0.3, 0.7))
"""Rates of survival and addition to begin with: little changed, much added, much deleted, much exchanged."""
SETTLED = 0.003


@dataclass(frozen=True)
class LearnedRates:
    """Layers with their rates, candidates of every released subject, and what speaks for the whole."""

    layers: KeyLayers
    rates: Rates
    pairs: ScoredPairs
    weights: Float
    """Posterior weights of the candidates."""
    evidence: float
    """Mean log likelihood ratio of a released subject against one that is nobody's."""
    bits: Float
    """By layer, evidence that its keys give on the average of the likeliest pairs, in bits."""


def learn(layers: KeyLayers, start: tuple[float, float] = STARTS[0], rounds: int = ROUNDS) -> LearnedRates:
    """Find the pairs that fit best, learn how often keys survive and are added, and again.

    Args:
        layers: Keys of both histories.
        start: Rates of survival and addition to begin with.
        rounds: Rounds at most.

    Returns:
        What was learned.
    """
    count = len(layers.names)
    rates = Rates(np.full(count, start[0]), np.full(count, start[1]))
    known = len(layers.own.start) - 1
    for turn in range(rounds):
        evidence = weigh(layers, rates)
        pairs = key_evidence.best_pairs(evidence.known, evidence.shown, len(layers.layer), KEPT, BUDGET)
        weights = posterior(pairs, known)
        likeliest = chosen_pairs(pairs, weights)
        sums = key_evidence.agreement(evidence.known, evidence.shown, layers.tree, likeliest, evidence.gains)
        changed = _rates(sums)
        moved = np.abs(changed.survival - rates.survival).max(initial=0.0)
        if turn == rounds - 1 or (turn and moved < SETTLED):
            break
        rates = changed
    marginal = log_total(pairs) - np.log(known)
    return LearnedRates(layers, rates, pairs, weights, float(marginal.mean()), _bits(sums, likeliest[2]))


def posterior(pairs: ScoredPairs, known: int) -> Float:
    """Return posterior weights of candidates: nobody stands for more released subjects than there are on average."""
    # Where pseudonyms outnumber people, people stand for several and nobody is ruled out by demand.
    released = len(pairs.sets)
    if released > known:
        return key_evidence.balanced_weights(pairs, known, 0, False)
    return key_evidence.balanced_weights(pairs, known, BALANCING, released >= NEARLY_ALL * known)


def chosen_pairs(pairs: ScoredPairs, weights: Float) -> tuple[Int, Int, Float]:
    """Return the likeliest pair of every released subject, with its weight."""
    best = weights.argmax(axis=1)
    rows = np.arange(len(best))
    sets, sure = pairs.sets[rows, best].astype(np.int64), weights[rows, best]
    there = sets >= 0
    return sets[there], rows[there], sure[there]


def log_total(pairs: ScoredPairs) -> Float:
    """Logarithm of the summed exponentials of all scores of every released subject."""
    top = np.maximum(pairs.scores[:, 0], pairs.rest)
    top = np.where(np.isfinite(top), top, 0.0)
    total = np.exp(pairs.scores - top[:, None]).sum(axis=1) + np.exp(pairs.rest - top)
    logs: Float = np.log(np.maximum(total, 1e-300)) + top
    return logs


def _rates(sums: Float) -> Rates:
    """Return the rates that sums of agreement speak for; of the shared keys those that were added by chance are out."""
    own, shown, both, by_chance = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3]
    chance = by_chance / np.maximum(own, 1e-9)
    shared = (both + 1.0) / (own + 2.0)
    survival = np.clip((shared - chance) / np.maximum(1.0 - chance, 1e-9), 0.0, 1.0)
    return Rates(survival, (shown - both + 0.5) / (shown + 1.0))


def _bits(sums: Float, weights: Float) -> Float:
    """Mean evidence of each layer for the likeliest pairs."""
    mean: Float = sums[:, 4] / max(float(weights.sum()), 1e-9) / np.log(2.0)
    return mean
