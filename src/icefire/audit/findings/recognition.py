"""How probably each person is recognised: the answers of all attacks, calibrated on everybody in the release.

An attack says, or shows, how sure it is of an answer: by a probability, by the number of candidates it draws from, or
by agreeing with the joint attack. Among people of whom it is equally sure, the share it names rightly is the
probability that it recognises one of them. A single hit counts for nothing: it may be luck. Where an attack draws
lots, the chance of the right lot counts instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icefire.audit import judge
from icefire.core.release import NO_ANSWER, Guess, Truth
from icefire.core.scorecard.people import Recognition, RiskBand
from icefire.kernels.types import Float, Int

GROUPS = 20
"""People are put into at most so many groups of equal confidence."""
LEAST_PEOPLE = 50
"""Every group has so many people, unless the release has fewer."""
BANDS = (0.0, 0.09, 0.2, 0.33, 0.5, 0.9, 1.0)
"""Bands of probability; the first three are the limits of the built-in policies."""


@dataclass(frozen=True, slots=True)
class RecognisedPeople:
    """For every released row or subject the probability of being recognised, its interval, and by which attack."""

    risk: Float
    low: Float
    high: Float
    attack: Int
    """Place of the attack in `attacks`."""
    attacks: Sequence[str]
    by_chance: float
    """Probability that a random guess is right."""

    def summary(self) -> Recognition:
        """Sum up over everybody."""
        counts, _ = np.histogram(self.risk, BANDS)
        bands = [RiskBand(low, high, int(n)) for low, high, n in zip(BANDS[:-1], BANDS[1:], counts, strict=True)]
        people = len(self.risk)
        return Recognition(float(self.risk.sum()), self.by_chance * people, people, bands)


def recognised_people(truth: Truth, guesses: Mapping[str, Guess], originals: int, joint: str) -> RecognisedPeople:
    """Calibrate every attack on everybody, and take for each person the attack that is best on people like them.

    Args:
        truth: The right answers.
        guesses: The answers of each attack.
        originals: Number of possible answers.
        joint: Name of the joint attack, whose probabilities show how sure others are that agree with it.

    Returns:
        The probabilities. Without any attack they are those of random guesses.
    """
    people = len(truth)
    order = sorted(guesses, key=lambda name: name != joint)
    chance = np.full(people, 1.0 / originals)
    if not order:
        return RecognisedPeople(chance, chance, chance, np.zeros(people, np.int64), [], 1.0 / originals)
    calibrations = [_calibrated(truth, guesses[name], guesses.get(joint)) for name in order]
    best = np.zeros(people, np.int64)
    surest = calibrations[0].surely
    for place, one in enumerate(calibrations[1:], 1):
        surely = one.surely
        surer = surely > surest
        best[surer], surest = place, np.maximum(surest, surely)
    risk, low, high = np.empty(people), np.empty(people), np.empty(people)
    for place, one in enumerate(calibrations):
        chosen = np.flatnonzero(best == place)
        groups = one.labels[chosen]
        risk[chosen], low[chosen], high[chosen] = one.shares[groups], one.low[groups], one.high[groups]
    return RecognisedPeople(risk, low, high, best, order, 1.0 / originals)


@dataclass(frozen=True, slots=True)
class ConfidenceGroups:
    """How probably an attack is right, by groups of people of whom it is equally sure."""

    labels: NDArray[np.uint8]
    """The group of each person."""
    shares: Float
    """Of each group the share of right answers."""
    ends: Float
    """Of each group the lower end of the interval of that share."""
    low: Float
    """Both ends of the interval, which reaches to the shares of the groups beside: how sure an attack is depends on its
    random draws, and a person may be in one of them."""
    high: Float

    @property
    def surely(self) -> Float:
        """Of each person the lower end of the interval of their group."""
        return self.ends[self.labels]


def _calibrated(truth: Truth, guess: Guess, joint: Guess | None) -> ConfidenceGroups:
    right = _chance_to_be_right(truth, guess)
    labels = pooled_groups(groups_of_equal_confidence(_confidence(guess, joint)), right)
    sizes, hits = np.bincount(labels), np.bincount(labels, right)
    ends = np.array([judge.wilson(float(hit), int(size)) for hit, size in zip(hits, sizes, strict=True)])
    shares = hits / sizes
    low, high = ends.T.copy()
    low[1:] = np.minimum(low[1:], shares[:-1])
    high[:-1] = np.maximum(high[:-1], shares[1:])
    return ConfidenceGroups(labels.astype(np.uint8), shares, ends[:, 0].copy(), low, high)


def _chance_to_be_right(truth: Truth, guess: Guess) -> Float:
    if guess.candidates is None:
        return judge.hits(truth, guess).astype(np.float64)
    drawn = guess.candidates
    chance: Float = drawn.include(truth.rows) / np.maximum(drawn.sizes, 1)
    return chance


def _confidence(guess: Guess, joint: Guess | None) -> Float:
    """How sure an attack is of each answer, on any scale."""
    if guess.probability is not None:
        return guess.probability
    if guess.candidates is not None:
        sizes = guess.candidates.sizes
        return np.where(sizes > 0, 1.0 / np.maximum(sizes, 1), 0.0)
    if joint is None or joint.probability is None:
        return np.where(guess.first == NO_ANSWER, 0.0, 1.0)
    return np.where(guess.first == joint.first, joint.probability, -1.0)


def groups_of_equal_confidence(confidence: Float) -> Int:
    """Number people by groups of similar confidence, ascending; people of the same confidence share a group."""
    least = max(LEAST_PEOPLE, -(-len(confidence) // GROUPS))
    values, labels, counts = _distinct(confidence)
    ends = np.cumsum(counts)
    group = np.zeros(len(values), np.int64)
    last = int(np.searchsorted(ends, least))
    while last < len(values) and len(confidence) - ends[last] >= least:
        group[last + 1 :] += 1
        last = int(np.searchsorted(ends, ends[last] + least))
    return group[labels]


def _distinct(values: Float) -> tuple[Float, Int, Int]:
    """Return the distinct values in ascending order, the place of each among them, and how often they occur."""
    lowest, highest = values.min(initial=np.inf), values.max(initial=-np.inf)
    if lowest == highest:
        return np.array([lowest]), np.zeros(len(values), np.int64), np.array([len(values)])
    upper = values == highest
    if lowest < highest and (upper | (values == lowest)).all():  # most attacks are sure of an answer or not
        return np.array([lowest, highest]), upper.astype(np.int64), np.array([(~upper).sum(), upper.sum()])
    distinct, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return distinct, places, counts


def pooled_groups(labels: Int, right: Float) -> Int:
    """Merge neighbouring groups until surer answers are right at least as often (pool adjacent violators)."""
    blocks: list[tuple[float, int, list[int]]] = []
    sums, sizes = np.bincount(labels, right), np.bincount(labels)
    for group, (total, size) in enumerate(zip(sums.tolist(), sizes.tolist(), strict=True)):
        blocks.append((total, size, [group]))
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            total, size, members = blocks.pop()
            before, others, earlier = blocks.pop()
            blocks.append((before + total, others + size, earlier + members))
    merged = np.empty(len(sizes), np.int64)
    for number, (_, _, members) in enumerate(blocks):
        merged[members] = number
    return merged[labels]
