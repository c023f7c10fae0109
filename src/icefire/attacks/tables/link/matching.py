"""Candidates of every released row, their posterior weights, and the one-to-one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefire.attacks.tables.link.channels import NOTHING, Channel
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.learning import Classes, Learner
from icefire.kernels.assignment import auction
from icefire.kernels.linkage import balancing, best_candidates
from icefire.kernels.linkage.best_candidates import CandidateLists
from icefire.kernels.types import Float, Int

KEPT = 64
ROUNDS = 30


def candidates(learner: Learner, channels: Sequence[Channel], keep: int = KEPT) -> CandidateLists:
    """Score all pairs by the learned channels and keep the best original rows of every released row."""
    used = [c for c, channel in enumerate(channels) if channel != NOTHING]
    columns = learner.columns
    m, n = len(columns[0].y.codes), len(columns[0].x.codes)
    tables = [np.log(learner.table(c, channels[c])).astype(np.float32) for c in used]
    base = np.cumsum([0] + [table.size for table in tables])[:-1].astype(np.int64)
    widths = np.array([table.shape[1] for table in tables], np.int64)
    y = np.zeros((m, len(used)), np.int32)
    x = np.zeros((len(used), n), np.uint16)
    for place, c in enumerate(used):
        y[:, place] = _rows(columns[c], channels[c], learner.classes)
        x[place] = columns[c].x.codes
    flat = np.concatenate([table.ravel() for table in tables]) if tables else np.zeros(1, np.float32)
    return best_candidates.best_candidates(flat, base, y, widths, x, np.zeros(n, np.float32), keep)


def _rows(column: LinkColumn, channel: Channel, classes: Classes | None) -> Int:
    if channel.swapped:
        assert classes is not None
        return classes.of_row
    return column.y.codes.astype(np.int64)


@dataclass(frozen=True)
class Answer:
    """One original row per released row, and its probability."""

    rows: Int
    probability: Float


def answer(listed: CandidateLists, originals: int) -> Answer:
    """Balance the candidates, assign one to one, and give each answer its posterior weight."""
    weights, _ = balancing.posterior(listed.rows, listed.scores, listed.rest, originals, ROUNDS)
    m, kept = listed.rows.shape
    worth = np.log(np.maximum(weights, 1e-12)) + 30.0
    ends = np.arange(m + 1, dtype=np.int64) * kept
    chosen = auction.assign(ends, listed.rows.ravel().astype(np.int64), worth.ravel(), originals, 1e-2)
    best = listed.rows[np.arange(m), weights.argmax(axis=1)].astype(np.int64)
    rows = np.where(chosen >= 0, chosen, best)
    hit = listed.rows == rows[:, None]
    probability = np.where(hit, weights, 0.0).max(axis=1)
    return Answer(rows, probability)
