"""The attack `match_pseudonyms`: pseudonyms of two periods, by all that their rows and profiles hold."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.attacks.histories.linking.assigning import assign_pairs
from icefire.attacks.histories.linking.evidence import PairEvidence
from icefire.core.linking import LinkingCase
from icefire.core.parameters import Bounds
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.baskets.shared_items import most_shared
from icefire.kernels.types import Float, Int

ALL_PAIRS = 300
"""Up to so many pseudonyms of the second period every pair is scored."""


@attack(
    "match_pseudonyms",
    data="history",
    question="linking",
    knows="the release alone, and compares goods, numbers, prices, hours and profiles of pseudonyms",
)
def match_pseudonyms(
    case: LinkingCase,
    *,
    rng: np.random.Generator,
    kept: Annotated[int, Bounds(1)] = 64,
    least_probability: Annotated[float, Bounds(0, 1)] = 0.0,
) -> Guess:
    """Link pseudonyms of two periods by everything that was released of them.

    The attacker knows the release alone. Pairs are scored by the goods they share (rare ones count more), equal numbers
    and prices of shared goods, columns of the customer table, hours, weekdays and how much was bought. How often each
    of these stays the same is learned from pairs that the goods alone suggest; how much hours, weekdays and numbers of
    pieces differ between people is learned from each period by itself. Pseudonyms are assigned one to one.
    Success is naming a pseudonym of the same person.

    Args:
        case: What was released of two periods.
        rng: Draws the random pairs that prices and numbers are compared with.
        kept: How many of the most similar pseudonyms each may get, where there are more than 300.
        least_probability: Pairs that are less probably one person are not answered.

    Returns:
        One pseudonym of the second period for each of the first with its probability; no answer where nothing is left.
    """
    pairs = candidate_pairs(case, kept)
    if not (pairs >= 0).any():
        return Guess(np.full(case.targets, NO_ANSWER), probability=np.zeros(case.targets))
    evidence = PairEvidence(case, pairs, rng)
    scores = evidence.scores()
    present = min(evidence.purity, 0.95)
    weights = _probabilities(scores, present / case.choices, 1.0 - present)
    place = assign_pairs(pairs, np.where(pairs >= 0, scores, 0.0), case.choices)
    rows = np.arange(len(pairs))
    probability = np.where(place >= 0, weights[rows, place], 0.0)
    answered = (place >= 0) & (probability >= least_probability)
    return Guess(np.where(answered, pairs[rows, place], NO_ANSWER), probability=np.clip(probability, 0.0, 1.0))


def candidate_pairs(case: LinkingCase, kept: int) -> Int:
    """The pseudonyms of the second period that each of the first is compared with, -1 for none.

    Args:
        case: What was released of two periods.
        kept: How many each is compared with; all of them where there are few.
    """
    if case.choices <= ALL_PAIRS:
        return np.broadcast_to(np.arange(case.choices), (case.targets, case.choices)).copy()
    one, other = case.baskets
    weights = np.log((case.targets + case.choices) / np.maximum(one.buyers + other.buyers, 1)) + 0.01
    pairs, _ = most_shared((one.start, one.items), (other.start, other.items), weights, min(kept, case.choices))
    return pairs


def _probabilities(scores: Float, each: float, absent: float) -> Float:
    """The probability of every pair: one of them is right, or the person is not in the second period."""
    highest = np.maximum(scores.max(axis=1, keepdims=True), 0.0)
    weights = each * np.exp(scores - highest)
    probabilities: Float = weights / (weights.sum(axis=1, keepdims=True) + absent * np.exp(-highest))
    return probabilities
