"""Learned tables: channels of columns with few levels, estimated from the posterior weights of the candidates.

Each half of the released rows is scored by tables learned from the other half. A table is kept only where it explains
the rows it was not learned from better than the channel did.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icefire.attacks.tables.link.matching import Scorer, posterior
from icefire.kernels.linkage import pair_sums
from icefire.kernels.linkage.best_candidates import CandidateLists
from icefire.kernels.types import Bool, Float, Float32, Int32

ROUNDS = 2
LEARNED_FROM = 1 << 16
"""Released rows that tables are learned from, at most."""
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
    In large releases tables are learned from some of the rows.
    """
    if (scorer.alike > 1).mean() > ALIKE:
        return scorer, listed
    step = -(-len(scorer.y_rows) // LEARNED_FROM)
    half = np.arange(len(scorer.y_rows)) // step % 2 == 0
    some = np.arange(0, len(half), step)
    tables, by_half = _learned(scorer, listed.part(some), scorer.y_rows[some], half[some])
    if not tables:
        return scorer, listed
    changed = listed._replace(scores=listed.scores.copy())
    for place, fitted in by_half.items():
        plain = scorer.ratios[place]
        levels = scorer.y_rows[:, place].copy(), scorer.columns[place].x.codes
        _rescore(changed, levels, half, (plain, plain), fitted)
    return scorer.with_ratios([tables.get(place, plain) for place, plain in enumerate(scorer.ratios)]), changed


def _learned(
    scorer: Scorer, listed: CandidateLists, y_rows: Int32, half: Bool
) -> tuple[dict[int, Float], dict[int, Sequence[Float]]]:
    """Return the tables of the columns that they help, learned from all rows, and for each half from the other."""
    tables: dict[int, Float] = {}
    by_half: dict[int, Sequence[Float]] = {}
    weights = posterior(listed, scorer.originals).weights
    if weights.max(axis=1).mean() < KNOWN:
        return tables, by_half
    for turn in range(ROUNDS):
        if turn:
            weights = posterior(listed, scorer.originals).weights
        for place, column in enumerate(scorer.columns):
            plain = scorer.ratios[place]
            if plain.size > CELLS or ROWS * max(plain.shape) > len(half) or scorer.channels[place].swapped:
                continue
            levels = y_rows[:, place].copy(), column.x.codes
            fitted = [_fitted(listed.rows, weights, *levels, some, plain) for some in (~half, half)]
            changed = listed._replace(scores=listed.scores.copy())
            _rescore(changed, levels, half, by_half.get(place, (plain, plain)), fitted)
            if float((pair_sums.evidence(*changed) - pair_sums.evidence(*listed)).mean()) > GAIN:
                listed, by_half[place] = changed, fitted
                tables[place] = _fitted(listed.rows, weights, *levels, np.ones_like(half), plain)
    return tables, by_half


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


def _rescore(
    listed: CandidateLists,
    levels: tuple[Int32, Int32],
    half: Bool,
    before: Sequence[Float],
    after: Sequence[Float],
) -> None:
    """Exchange the tables of a column in the scores of both halves, in place."""
    for some, old, new in zip((half, ~half), before, after, strict=True):
        pair_sums.add_table(listed.rows, listed.scores, *levels, some, np.log(new) - np.log(old))
