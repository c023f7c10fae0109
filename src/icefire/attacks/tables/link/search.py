"""Candidates of all released rows; in large tables most original rows are left out after a few telling columns."""

from __future__ import annotations

import numpy as np

from icefire.attacks.tables.link.matching import KEPT, Scorer
from icefire.kernels.linkage.best_candidates import CandidateLists
from icefire.kernels.types import Float, Int

PAIRS = 200_000_000
"""Up to so many pairs all columns are scored."""
PILOT = 400
"""Released rows that are scored in full first."""
RECOGNISED = 0.5
FEWEST = 50
LOST = 0.005
"""Share of the recognised pilot rows that may lose their original."""


def is_large(scorer: Scorer) -> bool:
    """Tell whether scoring all columns of all pairs would take long."""
    return scorer.originals * len(scorer.y_rows) > PAIRS


def search(scorer: Scorer, rng: np.random.Generator) -> tuple[Scorer, CandidateLists]:
    """Return the candidates of every released row, and the scorer with the most telling columns first."""
    if not is_large(scorer):
        return scorer, scorer.candidates(scorer.y_rows, KEPT)
    rows = np.sort(rng.permutation(len(scorer.y_rows))[:PILOT])
    pilot = scorer.candidates(scorer.y_rows[rows], KEPT)
    best = pilot.rows[:, 0].astype(np.int64)
    gap = np.exp(pilot.scores - pilot.scores[:, :1]).sum(axis=1) + np.exp(pilot.rest - pilot.scores[:, 0])
    known = 1.0 / gap > RECOGNISED
    scorer = scorer.part(_most_telling_first(scorer, rows[known], best[known]))
    if known.sum() < FEWEST:
        return scorer, scorer.candidates(scorer.y_rows, KEPT)
    lead = max(1, (len(scorer.columns) + 2) // 3)
    leading = scorer.part(np.arange(lead))
    peak = leading.candidates(leading.y_rows[rows[known]], 1).scores[:, 0]
    behind = peak - _scores(leading, rows[known], best[known]).sum(axis=1)
    margin = float(np.quantile(behind, 1 - LOST)) + 0.5
    return scorer, scorer.candidates(scorer.y_rows, KEPT, lead, margin)


def _scores(scorer: Scorer, y_rows: Int, x_rows: Int) -> Float:
    """Return the log ratio of each pair in each column."""
    pairs = zip(scorer.ratios, scorer.y_rows[y_rows].T, scorer.x_levels[:, x_rows], strict=True)
    return np.stack([np.log(table[y, x]) for table, y, x in pairs], axis=1)


def _most_telling_first(scorer: Scorer, y_rows: Int, x_rows: Int) -> Int:
    if not len(y_rows):
        return np.arange(len(scorer.columns))
    return np.argsort(-_scores(scorer, y_rows, x_rows).mean(axis=0), kind="stable")
