"""TraceFigures of whole rows: how many there are, how many are unchanged, and how well they match."""

from __future__ import annotations

import numpy as np

from icefire.audit.fingerprint.column_signs import TraceFigures
from icefire.audit.fingerprint.matching import RowMatching
from icefire.audit.fingerprint.pairs import TablePair
from icefire.kernels.types import Float


def row_figures(pair: TablePair, matching: RowMatching) -> TraceFigures:
    """Return the figures of whole rows."""
    x, y = pair.combined(pair.columns)
    present = np.zeros(int(max(x.max(), y.max())) + 1, np.bool_)
    present[x] = True
    return {
        "rows": pair.released / pair.originals,
        "size": float(np.log10(pair.originals)),
        "unchanged_rows": float(present[y].mean()),
        "certainty": matching.certainty,
        "credit": matching.credit,
        "exchanged": float(matching.exchanged),
        "columns_left_out": float(len(pair.left_out)),
        "people_reused": 1.0 - len(np.unique(matching.x)) / max(1, len(matching.x)),
        "changed_cells": _mean_changed(pair, matching),
    }


def _mean_changed(pair: TablePair, matching: RowMatching) -> float:
    """Return the share of matched cells that changed, blank ones left out."""
    shares = []
    for column in pair.columns:
        x, y = column.x[matching.x], column.y[matching.y]
        filled = (x >= 0) & (y >= 0)
        shares.append(float((x != y)[filled].mean()) if filled.any() else 0.0)
    return float(np.mean(shares))


def holds_the_original_rows(pair: TablePair) -> bool:
    """Tell whether the release holds exactly the rows of the original, in whatever order."""
    if pair.released != pair.originals or pair.left_out:
        return False
    x, y = pair.combined(pair.columns)
    return bool((np.sort(x) == np.sort(y)).all())


def residual_correlation(pair: TablePair, matching: RowMatching) -> float:
    """Return how strongly changes of different numbers go together, on average over pairs of columns."""
    numeric = [(c.x_numbers, c.y_numbers) for c in pair.columns]
    changes = [_ranked_changes(x[matching.x], y[matching.y]) for x, y in numeric if x is not None and y is not None]
    moves = [change for change in changes if change is not None]
    if len(moves) < 2:
        return 0.0
    correlations = np.abs(np.corrcoef(np.stack(moves)))
    above = np.triu_indices(len(moves), 1)
    return float(correlations[above].mean())


def _ranked_changes(x: Float, y: Float) -> Float | None:
    """Return the changes of a column as ranks; None where most cells are unchanged."""
    moves = np.nan_to_num(y - x)
    if not len(moves) or (moves != 0).mean() < 0.5:
        return None
    ranks: Float = np.argsort(np.argsort(moves, kind="stable"), kind="stable").astype(float)
    return ranks
