"""TraceFigures of rows left out: whether they were rare, and whether all rare ones are gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from icefire.audit.fingerprint.class_signs import NONE, excess_share
from icefire.audit.fingerprint.column_signs import TraceFigures
from icefire.audit.fingerprint.matching import RowMatching
from icefire.audit.fingerprint.pairs import ColumnPair, TablePair
from icefire.kernels.types import Float, Int

FEW, MANY = 1, 5
"""Sizes of rare combinations, and of frequent ones."""
SMALLEST = range(2, 7)
"""Sizes below which a class may have been left out."""


def survivor_figures(pair: TablePair) -> TraceFigures:
    """Return which share of the rows of rare and of frequent combinations is still there."""
    if not pair.qi:
        return {}
    x, y = pair.keys
    count = int(max(x.max(), y.max())) + 1
    x_sizes, y_sizes = np.bincount(x, minlength=count), np.bincount(y, minlength=count)
    kept = np.minimum(x_sizes, y_sizes)
    rare, frequent = x_sizes == FEW, x_sizes >= MANY
    lost = (kept < x_sizes) & (x_sizes >= 2)
    cut = lost & (kept > 0)
    return {
        "rare_left": float(kept[rare].sum() / rare.sum()) if rare.any() else float("nan"),
        "frequent_left": float(kept[frequent].sum() / x_sizes[frequent].sum()) if frequent.any() else float("nan"),
        "classes_cut": float(cut.sum() / lost.sum()) if lost.any() else float("nan"),
    }


def left_out_rarity(pair: TablePair, matching: RowMatching) -> float:
    """Return how much rarer the quasi-identifiers of rows left out are than those of the others, in standard errors."""
    if not pair.qi or pair.released >= pair.originals or len(matching.y) < pair.released:
        return 0.0
    rarity = np.zeros(pair.originals)
    for column in pair.qi:
        shares = np.append(column.x_counts, (column.x < 0).sum()) / pair.originals
        rarity -= np.log(np.maximum(shares[column.x], 1e-9))
    gone = np.ones(pair.originals, np.bool_)
    gone[matching.x] = False
    if not gone.any() or gone.all():
        return 0.0
    error = float(rarity.std()) * np.sqrt(1 / gone.sum() + 1 / (~gone).sum())
    return float(np.clip((rarity[gone].mean() - rarity[~gone].mean()) / max(error, 1e-9), -5.0, 30.0))


def rare_fit_figures(pair: TablePair, matching: RowMatching) -> TraceFigures:
    """Return how well "rows of small classes are gone, all others are there" describes the rows left out.

    The figures are correlations between being gone and being in a class of fewer than k rows, the largest over k and
    over sets of quasi-identifiers: 1 where exactly such rows are gone, about 0 where rows were left out at random. The
    first compares sizes of classes in both tables over columns that were not changed, the second matched rows.
    """
    if not pair.qi or pair.released >= pair.originals:
        return {"rare_gone": 0.0, "rare_gone_matched": 0.0}
    unchanged = [c for c in pair.qi if (c.y_counts > 0).sum() > 1 and excess_share(c.x, c.y, pair) < NONE]
    by_counts = [_counted_fit(*pair.combined(some)) for some in _sets(unchanged)]
    fits = []
    if len(matching.y) == pair.released:
        gone = np.ones(pair.originals)
        gone[matching.x] = 0.0
        fits = [_best_fit(pair.combined(some)[0], gone) for some in _sets(pair.qi)]
    return {"rare_gone": max([0.0, *by_counts]), "rare_gone_matched": max([0.0, *fits])}


def _sets(columns: Sequence[ColumnPair]) -> Iterator[list[ColumnPair]]:
    """Yield sets of columns: those with the fewest values, more and more of them, and all but one."""
    ordered = sorted(columns, key=lambda column: int((column.x_counts > 0).sum()))
    yield from (ordered[:count] for count in range(1, len(ordered) + 1))
    yield from ([*ordered[:place], *ordered[place + 1 :]] for place in range(len(ordered) - 1))


def _counted_fit(x: Int, y: Int) -> float:
    """Return the best fit where the rows gone are known by the sizes of classes alone."""
    count = int(max(x.max(), y.max())) + 1
    before, after = np.bincount(x, minlength=count), np.bincount(y, minlength=count)
    gone: Float = np.maximum(before - after, 0).astype(np.float64)
    return _fit_of_classes(before, gone)


def _best_fit(classes: Int, gone: Float) -> float:
    """Return the best fit where it is known of each original row whether it is gone."""
    lost: Float = np.bincount(classes, gone).astype(np.float64)
    return _fit_of_classes(np.bincount(classes), lost)


def _fit_of_classes(sizes: Int, gone: Float) -> float:
    """Return the largest correlation over k between being gone and being in a class of fewer than k rows."""
    rows, lost = float(sizes.sum()), float(gone.sum())
    best = 0.0
    for k in SMALLEST:
        rare = sizes < k
        small, both = float(sizes[rare].sum()), float(gone[rare].sum())
        spread = small * (rows - small) * lost * (rows - lost)
        if spread > 0:
            best = max(best, (rows * both - small * lost) / np.sqrt(spread))
    return float(best)
