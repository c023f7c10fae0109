"""Learned tables: channels of columns with few levels, estimated from the posterior weights of the candidates.

Each half of the released rows is scored by tables learned from the other half. A table is kept only where it explains
the rows it was not learned from better than the channel did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from icefire.attacks.tables.link.matching import Scorer, posterior
from icefire.kernels.linkage import pair_sums
from icefire.kernels.linkage.best_candidates import CandidateLists
from icefire.kernels.types import Bool, Float, Float32, Int32

ROUNDS = 2
CELLS = 20_000
"""Largest table that is learned."""
ROWS = 10
"""A table is learned only from so many released rows per level: others would learn their own errors."""
PRIOR = 10.0
"""Rows of each level that the channel counts for, beside those observed."""
LEAST = 1e-4
KNOWN, ALIKE = 0.15, 0.5
"""Tables are learned only if candidates have this weight on average, and if no larger share of rows has a double."""
GAIN = 0.002
"""Least gain per row of log-likelihood on the other half."""


def refine(scorer: Scorer, listed: CandidateLists) -> tuple[Scorer, CandidateLists]:
    """Return the scorer with learned tables where they help, and the candidates with their new scores.

    Where few rows are recognised, or rows are the same as others, tables would learn their own errors: none is learned.
    """
    if (scorer.alike() > 1).mean() > ALIKE or posterior(listed, scorer.originals).weights.max(axis=1).mean() < KNOWN:
        return scorer, listed
    tables = list(scorer.ratios)
    half = np.arange(len(scorer.y_rows)) % 2 == 0
    first: dict[int, Sequence[Float]] = {}
    for _ in range(ROUNDS):
        weights = posterior(listed, scorer.originals).weights
        for place, column in enumerate(scorer.columns):
            plain = scorer.ratios[place]
            if plain.size > CELLS or ROWS * max(plain.shape) > len(half) or scorer.channels[place].swapped:
                continue
            levels = scorer.y_rows[:, place].copy(), column.x.codes
            present = first.get(place, (plain, plain))
            fitted = [_fitted(listed.rows, weights, *levels, some, plain) for some in (~half, half)]
            changed = _rescored(listed, levels, half, present, fitted)
            if float((pair_sums.evidence(*changed) - pair_sums.evidence(*listed)).mean()) > GAIN:
                listed, first[place] = changed, fitted
                tables[place] = _fitted(listed.rows, weights, *levels, np.ones_like(half), plain)
    return replace(scorer, ratios=tables), listed


def _fitted(rows: Int32, weights: Float32, y_levels: Int32, x_levels: Int32, some: Bool, plain: Float) -> Float:
    """Return ratios to chance from the weights of some released rows, drawn towards the channel."""
    seen = pair_sums.sum_by_levels(rows, weights, y_levels, x_levels, some, plain.shape)
    y_share, x_share = seen.sum(axis=1), seen.sum(axis=0)
    total = max(float(seen.sum()), 1e-9)
    chance = y_share[:, None] * x_share[None, :] / total
    # The channel counts as so many rows more of every level, so that rare levels keep to it.
    prior = PRIOR / np.maximum(np.minimum(y_share[:, None], x_share[None, :]), 1e-9)
    ratios: Float = (seen + prior * chance * plain) / np.maximum((1 + prior) * chance, 1e-12)
    return np.where(chance > 0, np.maximum(ratios, LEAST), plain)


def _rescored(
    listed: CandidateLists,
    levels: tuple[Int32, Int32],
    half: Bool,
    before: Sequence[Float],
    after: Sequence[Float],
) -> CandidateLists:
    scores = listed.scores.copy()
    for some, old, new in zip((half, ~half), before, after, strict=True):
        pair_sums.add_table(listed.rows, scores, *levels, some, np.log(new) - np.log(old))
    return listed._replace(scores=scores)
