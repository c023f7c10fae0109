"""TraceFigures of one column along the matched rows: which cells changed, how far, and towards what."""

from __future__ import annotations

import numpy as np

from icefire.audit.fingerprint.column_signs import TraceFigures, ranks_in
from icefire.audit.fingerprint.matching import RowMatching
from icefire.audit.fingerprint.pairs import ColumnPair
from icefire.kernels.types import Bool, Float, Int

ALIKE = 1e-9
FEWEST = 3
"""So many cells of a column must have changed before their changes are described."""
MOVES = (
    *("moved", "moved_most", "moved_rank", "moved_rank_most", "moved_gap_most", "to_top", "to_bottom"),
    *("towards_mean", "group_mean", "group_near", "different_moves", "bias", "order"),
)


def cell_figures(column: ColumnPair, matching: RowMatching, classes: Int) -> TraceFigures:
    """Return how the cells of a column changed.

    Args:
        column: The column.
        matching: The matched rows.
        classes: Class of equal quasi-identifiers of each matched released row.
    """
    x, y = column.x[matching.x], column.y[matching.y]
    filled = (x >= 0) & (y >= 0)
    if not filled.any():
        return {}
    changed = filled & (x != y)
    figures = {
        "same": 1.0 - float(changed.sum() / filled.sum()),
        "agreement": _agreement(x[filled], y[filled]),
        "class_exchange": _exchanged_within(x, y, changed, classes),
        "class_constant": _constant_within(y, classes) - _constant_within(x, classes),
    }
    if column.numeric:
        figures |= _moves(column, matching, filled, changed)
    return figures


def _moves(column: ColumnPair, matching: RowMatching, filled: Bool, changed: Bool) -> TraceFigures:
    assert column.x_numbers is not None
    assert column.y_numbers is not None
    known = np.sort(column.x_numbers[~np.isnan(column.x_numbers)])
    x, y = column.x_numbers[matching.x], column.y_numbers[matching.y]
    spread = float(known.std()) or 1.0
    if changed.sum() < FEWEST:
        return dict.fromkeys(MOVES, 0.0) | {"order": 1.0}
    before, after = x[changed], y[changed]
    moves = (after - before) / spread
    far, gap = np.abs(ranks_in(known, after) - ranks_in(known, before)), _rank_gaps(known, before, after)
    return {
        "moved": float(np.median(np.abs(moves))),
        "moved_most": float(np.quantile(np.abs(moves), 0.95) / max(np.median(np.abs(moves)), 1e-9)),
        "moved_rank": float(np.median(far)),
        "moved_rank_most": float(np.quantile(far, 0.98)),
        "moved_gap_most": float(np.quantile(gap, 0.98)),
        "to_top": float((after == np.nanmax(y)).mean()) if np.nanmax(y) < known[-1] else 0.0,
        "to_bottom": float((after == np.nanmin(y)).mean()) if np.nanmin(y) > known[0] else 0.0,
        "towards_mean": _slope(before, moves * spread),
        "group_mean": _group_means(x[filled], column.y[matching.y][filled], y[filled], changed[filled]),
        "group_near": _near_group_means(x[filled], column.y[matching.y][filled], y[filled], changed[filled]),
        "different_moves": len(np.unique(np.round(moves, 9))) / len(moves),
        "bias": float(abs(moves.mean()) / max(moves.std(), 1e-9)),
        "order": _correlation(ranks_in(known, x[filled]), ranks_in(known, y[filled])),
    }


def _agreement(x: Int, y: Int) -> float:
    """Return the share of equal cells beyond chance: 1 if all are equal, 0 if as many as in rows drawn at random."""
    count = int(max(x.max(), y.max())) + 1
    chance = float((np.bincount(x, minlength=count) / len(x) * np.bincount(y, minlength=count) / len(y)).sum())
    return float(((x == y).mean() - chance) / (1.0 - chance)) if chance < 1.0 else 1.0


def _rank_gaps(known: Float, before: Float, after: Float) -> Float:
    """Return how many ranks lie between two values at least, as a share: equal values take a range of ranks."""
    first, last = ([np.searchsorted(known, side, end) for side in (before, after)] for end in ("left", "right"))
    gaps: Float = np.maximum(np.maximum(first[0] - last[1], first[1] - last[0]), 0) / len(known)
    return gaps


def _correlation(x: Float, y: Float) -> float:
    if np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def _slope(before: Float, moves: Float) -> float:
    """Return the slope of the change on the value before: negative where values were drawn to the middle."""
    centred = before - before.mean()
    strength = float((centred**2).sum())
    return float(np.clip((centred * moves).sum() / strength, -2.0, 2.0)) if strength > 0 else 0.0


def _group_means(x: Float, codes: Int, y: Float, changed: Bool) -> float:
    """Return the share of changed cells whose value is the mean of the originals of all rows that hold it."""
    groups = np.unique(codes, return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(groups)
    means = np.bincount(groups, x) / sizes
    whole = bool((y == np.rint(y)).all() and (x == np.rint(x)).all())
    room = 0.5 + ALIKE if whole else ALIKE * max(1.0, float(np.abs(x).max()))
    fits = (np.abs(means[groups] - y) <= room) & (sizes[groups] > 1)
    return float(fits[changed].mean())


def _near_group_means(x: Float, codes: Int, y: Float, changed: Bool) -> float:
    """Return how near changed cells lie to the mean of the originals that share their value: 1 at it, 0 as far as x.

    Means of groups stay near where some cells of the groups were blanked, cut off or rounded later.
    """
    groups = np.unique(codes, return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(groups)
    some = changed & (sizes[groups] > 1)
    if not some.any():
        return 0.0
    means = (np.bincount(groups, x) / sizes)[groups]
    far = float(np.abs(means - y)[some].mean() / max(np.abs(x - y)[some].mean(), 1e-12))
    return max(0.0, 1.0 - far) * float(some.sum() / changed.sum())


def _exchanged_within(x: Int, y: Int, changed: Bool, classes: Int) -> float:
    """Return the share of changed cells in classes that hold the same values as before, in other rows."""
    if not changed.any():
        return 0.0
    old, new = x[np.lexsort((x, classes))], y[np.lexsort((y, classes))]
    of_place = np.sort(classes)
    differing = np.bincount(of_place, old != new, int(classes.max()) + 1)
    return float((differing[classes[changed]] == 0).mean())


def _constant_within(codes: Int, classes: Int) -> float:
    """Return the share of the rows of classes of two or more in which a class holds one value."""
    count = int(classes.max()) + 1
    sizes = np.bincount(classes, minlength=count)
    low, high = np.full(count, np.iinfo(np.int64).max), np.full(count, np.iinfo(np.int64).min)
    np.minimum.at(low, classes, codes)
    np.maximum.at(high, classes, codes)
    several = sizes[classes] > 1
    return float((low == high)[classes[several]].mean()) if several.any() else 0.0
