"""The attack `distance_classifier`: a model of distances, trained on people whose membership is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.membership import LabelledRecords, MembershipCase
from icefire.core.mixed_distances import nearest_people
from icefire.core.parameters import Bounds
from icefire.core.registry import attack
from icefire.core.release import Guess
from icefire.kernels.common.logistic import log_likelihood
from icefire.kernels.types import Bool, Float, Int

NEIGHBOURS = (1, 2, 5)
LEAST = 1e-6
"""Smaller distances count as this in logarithms."""
STEPS = 25
CONVERGED = 1e-6
LARGEST_STEP = 4.0
DEVIATIONS = 2.0
"""A model is used if it does better than chance by so many deviations on examples it has not seen."""
MOST_EXAMPLES = 4_000


@attack(
    "distance_classifier",
    question="membership",
    release="synthetic",
    knows="all values of the people asked about, and of others who were, and who were not, in the data",
)
def distance_classifier(
    case: MembershipCase, *, rng: np.random.Generator, penalty: Annotated[float, Bounds(0)] = 1.0
) -> Guess:
    """Score people by a logistic model of their distances to the release and to other people.

    The attacker knows all values of the people asked about, and of others who were and who were not in the data;
    success is to give members higher scores than others. The model learns from people whose membership is known, none
    of whom is asked about. Its features are the distances to the first, second and fifth nearest released row and
    person of the background, on a logarithmic scale and as squares of it: over all columns, over the quasi-identifiers,
    the other columns, the numbers and the text. Where the model learns nothing from half of the examples that holds for
    the other half, and without examples, the distances to the background less those to the release are the score.

    Args:
        case: What the attacker holds: the people asked about, the released table, a background, and examples.
        rng: The generator by which examples are drawn, where there are very many.
        penalty: Weight of the squared coefficients (ridge).

    Returns:
        A score per person: the rank of the odds of being a member among the people asked about.
    """
    if case.examples is None:
        return Guess.by_scores(_ranks(_untrained(case)))
    examples = _some(case.examples, rng)
    known = _features(case, examples.records, examples.in_background)
    if not _learns(known, examples.member, penalty, rng):
        return Guess.by_scores(_ranks(_untrained(case)))
    odds = _log_odds(known, examples.member, _features(case, case.records, None), penalty)
    return Guess.by_scores(_ranks(odds))


def _learns(known: Float, member: Bool, penalty: float, rng: np.random.Generator) -> bool:
    """Tell whether a model of one half of the examples tells members of the other half, beyond chance.

    A model of chance is worse than none: whoever is like the members among the examples by chance is, in a fixed
    number of people, rather no member.
    """
    order = rng.permutation(len(member))
    train, test = order[: len(order) // 2], order[len(order) // 2 :]
    inside, outside = int(member[test].sum()), int((~member[test]).sum())
    if not inside or not outside:
        return False
    odds = _log_odds(known[train], member[train], known[test], penalty)
    ordered = np.sort(odds[~member[test]])
    below = np.searchsorted(ordered, odds[member[test]], "left") + np.searchsorted(ordered, odds[member[test]], "right")
    deviation = math.sqrt((inside + outside + 1) / (12.0 * inside * outside))
    return bool(below.mean() / (2 * outside) > 0.5 + DEVIATIONS * deviation)


def _ranks(scores: Float) -> Float:
    """Return the ranks of the people asked about, from 0 to 1, so that scores of several groups of people compare."""
    ordered = np.sort(scores)
    middle = (np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")) / 2
    ranks: Float = middle / max(len(scores), 1)
    return ranks


def _untrained(case: MembershipCase) -> Float:
    to_others = np.sum(_logarithms(case.nearest_in_background(2).distances, (1, 2)), axis=0)
    score: Float = to_others - np.sum(_logarithms(case.nearest_released(2).distances, (1, 2)), axis=0)
    return score


def _some(examples: LabelledRecords, rng: np.random.Generator) -> LabelledRecords:
    """Draw examples, where there are more than the model needs."""
    if len(examples.member) <= MOST_EXAMPLES:
        return examples
    rows = np.sort(rng.permutation(len(examples.member))[:MOST_EXAMPLES])
    places = None if examples.in_background is None else examples.in_background[rows]
    return LabelledRecords(examples.records.take(rows), examples.member[rows], places)


def _groups(case: MembershipCase) -> list[tuple[str, ...]]:
    """Return the groups of columns that distances are over, each once."""
    everything, scales = case.compared, case.column_scales()
    qi = set(case.records.qi)
    chosen: list[tuple[str, ...]] = [
        everything,
        tuple(name for name in everything if name in qi),
        tuple(name for name in everything if name not in qi),
        tuple(name for name in everything if name in scales),
        tuple(name for name in everything if name not in scales),
    ]
    return [group for group in dict.fromkeys(chosen) if group]


def _features(case: MembershipCase, people: Dataset, own: Int | None) -> Float:
    """Return the features of people; whoever is in the background is passed over there."""
    scales, columns, farthest = case.column_scales(), [], max(NEIGHBOURS)
    for group in _groups(case):
        near = nearest_people(case.released.frame, people.frame, group, scales, farthest)
        columns += _logarithms(near.distances, NEIGHBOURS)
        if case.background is not None:
            near = nearest_people(case.background.frame, people.frame, group, scales, farthest, own)
            columns += _logarithms(near.distances, NEIGHBOURS)
    features = np.column_stack(columns) if columns else np.zeros((people.height, 1))
    return np.column_stack([features, features**2])


def _logarithms(distances: Float, neighbours: Sequence[int]) -> list[Float]:
    """Return logarithms of the distances to these neighbours; where there are too few rows, to the farthest."""
    present = np.where(np.isfinite(distances), distances, 0.0)
    return [np.log(np.maximum(present[:, :k].max(axis=1), LEAST)) for k in neighbours]


def _log_odds(known: Float, member: Bool, asked: Float, penalty: float) -> Float:
    """Fit a logistic model by Newton's method to standardised features; returns the log-odds of those asked about."""
    centre, spread = known.mean(axis=0), known.std(axis=0)
    spread[spread < LEAST] = np.inf
    features, outcome = (known - centre) / spread, member.astype(np.float64)
    ridge = np.append(LEAST, np.full(known.shape[1], penalty + LEAST))
    beta, no_levels = np.zeros(len(ridge)), np.empty((len(known), 0), np.int32)
    for _ in range(STEPS):
        here = log_likelihood(features, no_levels, outcome, beta)
        step = np.linalg.solve(here.information + np.diag(ridge), here.gradient - ridge * beta)
        beta = beta + np.clip(step, -LARGEST_STEP, LARGEST_STEP)
        if np.abs(step).max() < CONVERGED:
            break
    odds: Float = beta[0] + ((asked - centre) / spread * beta[1:]).sum(axis=1)
    return odds
