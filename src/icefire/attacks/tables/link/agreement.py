"""Whether released rows are persons of the original: signs that the learned model alone does not show.

Two tests compare the real release with the simulated one, in which every row is one person's.
"""

from __future__ import annotations

import numpy as np

from icefire.attacks.tables.link.matching import KEPT, Scorer
from icefire.kernels.linkage.best_candidates import CandidateLists
from icefire.kernels.types import Float, Int, Int32

ROWS, FEWEST = 600, 64
"""Released rows that are looked at; so few in the largest tables."""
PAIRS = 1 << 24
"""Pairs compared at once, unless they are fewest."""
SPLITS = 3
DECISIVE = 0.8
"""Halves of the columns are compared where either tells who a simulated row is."""
NOBODY, SOMEBODY = 0.0, 0.3
"""Sharpness between rows without their person (0) and with it (1) at which answers count for nothing, and in full."""


def share_of_whole_rows(scorer: Scorer, simulated: Int32, rows: Int, rng: np.random.Generator) -> float:
    """Return which share of the released rows is one person's in both halves of the columns.

    If values were exchanged between people, two halves of the columns name different people. This shows only where
    half of the columns is enough to name anybody; otherwise the share is 1.

    Args:
        scorer: The learned channels.
        simulated: Simulated released rows: row of each table.
        rows: The released rows to look at.
        rng: Source of the splits.
    """
    rows = np.sort(rng.permutation(rows)[: min(ROWS, max(FEWEST, PAIRS // scorer.originals))])
    width = len(scorer.columns)
    if width < 2 or not len(rows):
        return 1.0
    seen = expected = 0.0
    for _ in range(SPLITS):
        order = rng.permutation(width)
        halves = [np.sort(order[: width // 2]), np.sort(order[width // 2 :])]
        expected += _agreement(scorer, simulated[rows], halves) / SPLITS
        if expected * SPLITS < DECISIVE:
            return 1.0
        seen += _agreement(scorer, scorer.y_rows[rows], halves) / SPLITS
    return float(np.clip(seen / expected, 0.0, 1.0))


def _agreement(scorer: Scorer, y_rows: Int32, halves: list[Int]) -> float:
    """Return how probably both halves of the columns name the same original row."""
    left, right = (scorer.part(half).candidates(y_rows[:, half], KEPT) for half in halves)
    same = left.rows[:, :, None] == right.rows[:, None, :]
    return float(np.einsum("ja,jb,jab->j", shares(left), shares(right), same).mean())


def shares(listed: CandidateLists, left_out: Int | None = None) -> Float:
    """Return the share of each candidate in the weight of all original rows, one of them left out if asked."""
    scores = listed.scores if left_out is None else np.where(listed.rows == left_out[:, None], -np.inf, listed.scores)
    top = np.maximum(np.maximum(scores.max(axis=1), listed.rest), -1e30)[:, None]
    weights = np.exp(scores - top)
    total = weights.sum(axis=1, keepdims=True) + np.exp(listed.rest[:, None] - top)
    parts: Float = weights / np.maximum(total, 1e-300)
    return parts


def credit(seen: CandidateLists, simulated: CandidateLists, truth: Int, rows: Int) -> float:
    """Return how much answers count, from 0 to 1, by how sharply candidates stand out.

    Rows of people who are not in the original (a synthetic table) have candidates that stand out no more than in the
    simulated release after the true row was left out.

    Args:
        seen: Candidates of the real release.
        simulated: Candidates of the simulated one.
        truth: Original row of each simulated row.
        rows: The released rows to look at.
    """
    if not len(rows):
        return 1.0
    with_person, without = sharpness(shares(simulated)), sharpness(shares(simulated, truth))
    place = (sharpness(shares(seen)[rows]) - without) / max(with_person - without, 1e-9)
    return float(np.clip((place - NOBODY) / (SOMEBODY - NOBODY), 0.0, 1.0))


def sharpness(weights: Float) -> float:
    """Return how sharply candidates stand out: the mean sum of their squared shares."""
    return float((weights**2).sum(axis=1).mean())
