"""Labels of effects, so that measured numbers can be compared with P0's predictions.

Every number is first made relative to the original, then labelled; the study `p0-methods` explains the rules. The
thresholds are our own: the paper gives none.
"""

from __future__ import annotations

import numpy as np

from icefire.core.dataset import Dataset
from icefire.measures.tables.correlation import pearson
from icefire.measures.tables.cross_tables import CROSSED

UNCHANGED, SLIGHT = 1e-9, 0.05
SAME_CLASSES = 0.01
VULNERABLE, RESISTANT = 0.9, 0.1

NOTHING, SLIGHTLY, NEGATIVE, POSITIVE, OPEN = "-", "slightly", "negative", "positive", "vulnerable"


def label(code: str, relative: float | None, slight: float = SLIGHT) -> str | None:
    """Name an effect by the code of its measure or attack; None where there is nothing to compare with."""
    if relative is None:
        return None
    if code.startswith("U"):
        return error_label(relative, slight)
    return classes_label(relative) if code.startswith("S") else rate_label(relative)


def error_label(relative: float, slight: float = SLIGHT) -> str:
    """Name a loss of utility, given as a share of the original's scale."""
    if relative <= UNCHANGED:
        return NOTHING
    return SLIGHTLY if relative < slight else NEGATIVE


def classes_label(relative: float) -> str:
    """Name a change of class size, given as a multiple of the original's."""
    if abs(relative - 1) <= SAME_CLASSES:
        return NOTHING
    return POSITIVE if relative > 1 else NEGATIVE


def rate_label(relative: float) -> str:
    """Name what a release does to an attack, given as a share of its rate on the original."""
    if relative >= VULNERABLE:
        return OPEN
    return POSITIVE if relative <= RESISTANT else SLIGHTLY


def scales(original: Dataset) -> dict[str, float]:
    """Return, by code, what an error of 1 would be: the size of the thing that the measure compares."""
    table = original.matrix(original.numeric_sa)
    average = float(np.abs(table.mean(axis=0)).mean())
    cells = original.frame.select(original.qi[:CROSSED]).n_unique()
    return {
        "U1": average,
        "U2": average,
        "U3": original.height / cells,
        "U4": float(np.nanmean(np.abs(pearson(table)[np.triu_indices(table.shape[1], 1)]))),
        "U5": stranger_loss(table),
        "U6": float(original.height),
    }


def stranger_loss(table: np.ndarray) -> float:
    """Mean distance between two rows drawn at random, per column as a share of its range (constant columns: 0)."""
    rows = len(table)
    weights = 2 * np.arange(1, rows + 1) - rows - 1
    distance = 2 * (weights[:, None] * np.sort(table, axis=0)).sum(axis=0) / (rows * (rows - 1))
    spread = np.ptp(table, axis=0)
    return float(np.divide(distance, spread, out=np.zeros_like(distance), where=spread > 0).mean())
