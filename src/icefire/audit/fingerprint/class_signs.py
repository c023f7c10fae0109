"""TraceFigures of the classes of equal quasi-identifiers, of rows left out, and of groups with equal numbers."""

from __future__ import annotations

import numpy as np

from icefire.audit.fingerprint.column_signs import TraceFigures
from icefire.audit.fingerprint.matching import RowMatching
from icefire.audit.fingerprint.pairs import ColumnPair, TablePair
from icefire.kernels.types import Bool, Int

NONE = 1e-9
FEW, MANY = 1, 5
"""Sizes of rare combinations, and of frequent ones."""


def class_figures(pair: TablePair) -> TraceFigures:
    """Return the sizes of the classes of equal quasi-identifiers in both tables."""
    if not pair.qi:
        return {}
    x, y = pair.keys
    count = int(max(x.max(), y.max())) + 1
    x_sizes, y_sizes = np.bincount(x, minlength=count), np.bincount(y, minlength=count)
    present = y_sizes[y_sizes > 0]
    figures = {
        "smallest_class": float(min(present.min(), 20)),
        "smallest_class_before": float(min(x_sizes[x_sizes > 0].min(), 20)),
        "alone": float((y_sizes[y] == 1).mean()),
        "alone_before": float((x_sizes[x] == 1).mean()),
        "pairs": float((y_sizes[y] == 2).mean()),
        "class_growth": float(np.log2(len(y) / len(present) / (len(x) / (x_sizes > 0).sum()))),
        "known_classes": float((x_sizes[y] > 0).mean()),
        "class_excess": float(np.maximum(y_sizes - x_sizes, 0).sum() / len(y)),
    }
    return figures | _survivors(x_sizes, y_sizes)


def _survivors(x_sizes: Int, y_sizes: Int) -> TraceFigures:
    """Return which share of the rows of rare and of frequent combinations is still there."""
    kept = np.minimum(x_sizes, y_sizes)
    rare, frequent = x_sizes == FEW, x_sizes >= MANY
    lost = (kept < x_sizes) & (x_sizes >= 2)
    cut = lost & (kept > 0)
    return {
        "rare_left": float(kept[rare].sum() / rare.sum()) if rare.any() else float("nan"),
        "frequent_left": float(kept[frequent].sum() / x_sizes[frequent].sum()) if frequent.any() else float("nan"),
        "classes_cut": float(cut.sum() / lost.sum()) if lost.any() else float("nan"),
    }


def varying_class_figures(pair: TablePair) -> TraceFigures:
    """Return the smallest class over the quasi-identifiers that still vary, and who was alone over them before.

    Columns made constant merge classes by themselves; what was done to the others shows without them.
    """
    varying = [column for column in pair.qi if (column.y_counts > 0).sum() > 1]
    if not varying:
        return {"smallest": 0.0, "alone_before": 0.0}
    x, y = pair.combined(varying)
    x_sizes, y_sizes = np.bincount(x), np.bincount(y)
    return {"smallest": float(y_sizes[y].min()), "alone_before": float((x_sizes[x] == 1).mean())}


def pair_excess(pair: TablePair, column: ColumnPair) -> TraceFigures:
    """Return how many pairs of a column's value with a quasi-identifier's are new, over the unchanged ones.

    Values exchanged among rows with equal quasi-identifiers leave none; exchanged otherwise, they leave many.
    """
    kept = [
        c for c in pair.qi if c.name != column.name and (c.y_counts > 0).sum() > 1 and _excess(c.x, c.y, pair) < NONE
    ]
    if not kept:
        return {"pairs_new_least": float("nan"), "pairs_new": float("nan")}
    shares = [_excess(*pair.combined([column, other]), pair) for other in kept]
    return {"pairs_new_least": min(shares), "pairs_new": float(np.mean(shares))}


def _excess(x: Int, y: Int, pair: TablePair) -> float:
    """Return the share of released values that occur more often than in the original."""
    count = int(max(x.max(), y.max())) + 2
    before, after = np.bincount(x + 1, minlength=count), np.bincount(y + 1, minlength=count)
    return float(np.maximum(after - before, 0).sum() / pair.released)


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


def key_exchange(pair: TablePair, column: ColumnPair) -> float:
    """Return the share of released rows in classes, equal in both tables, that hold the same values of a column."""
    if not pair.qi or column.is_qi:
        return float("nan")
    x, y = pair.keys
    count = int(max(x.max(), y.max())) + 1
    sizes = np.bincount(x, minlength=count), np.bincount(y, minlength=count)
    equal = (sizes[0] == sizes[1]) & (sizes[0] > 1)
    if not equal.any():
        return float("nan")
    old, new = (_sorted_values(codes, keys, equal) for codes, keys in ((column.x, x), (column.y, y)))
    of_place = np.sort(y[equal[y]])
    differing = np.bincount(of_place, old != new, count)
    return float((differing[of_place] == 0).mean())


def _sorted_values(codes: Int, keys: Int, equal: Bool) -> Int:
    some = equal[keys]
    values: Int = codes[some][np.lexsort((codes[some], keys[some]))]
    return values


def group_figures(pair: TablePair) -> TraceFigures:
    """Return the groups of rows that are equal in all numbers with new values: means of groups leave them."""
    changed = [c for c in pair.columns if c.numeric and not c.is_qi and ((c.x_counts == 0) & (c.y_counts > 0)).any()]
    changed = changed or [c for c in pair.columns if c.numeric and ((c.x_counts == 0) & (c.y_counts > 0)).any()]
    if not changed:
        return {
            "grouped": 0.0,
            "group_size": 0.0,
            "group_least": 0.0,
            "groups_of_a_class": 0.0,
            "grouped_before": 0.0,
            "groups_share_qi": 0.0,
        }
    x, y = pair.combined(changed)
    sizes, before = np.bincount(y), np.bincount(x)
    several = sizes[y] > 1
    return {
        "grouped": float(several.mean()),
        "grouped_before": float((before[x] > 1).mean()),
        "group_size": float(np.log2(np.median(sizes[y]))),
        "group_least": float(min(sizes[sizes > 0].min(), 10)),
        "groups_of_a_class": _within_class(pair.keys[1], y, several) if pair.qi else 0.0,
        "groups_share_qi": max(
            [0.0, *(_within_class(c.y, y, several) - (c.y_counts.max() / pair.released) for c in pair.qi)]
        ),
    }


def _within_class(keys: Int, groups: Int, several: Bool) -> float:
    """Return the share of grouped rows whose group has one key."""
    if not several.any():
        return 0.0
    low, high = np.full(groups.max() + 1, np.iinfo(np.int64).max), np.full(groups.max() + 1, -2)
    np.minimum.at(low, groups, keys)
    np.maximum.at(high, groups, keys)
    return float((low == high)[groups[several]].mean())


def blank_figures(pair: TablePair, matching: RowMatching) -> TraceFigures:
    """Return where blank cells lie: evenly over columns and rows, or in rare combinations."""
    columns = [c for c in pair.columns if (c.y < 0).mean() > (c.x < 0).mean() and (c.y < 0).any()]
    if not columns:
        return {"blank_even": 0.0, "blank_rows": 0.0, "blank_spread": 0.0, "blank_rarity": 0.0, "blank_qi": 0.0}
    blanks = np.column_stack([c.y < 0 for c in columns])
    shares = blanks.mean(axis=0)
    rows = float(blanks.any(axis=1).mean())
    return {
        "blank_even": float(shares.min() / shares.max()),
        "blank_rows": rows,
        "blank_spread": rows / max(1e-9, 1.0 - float(np.prod(1.0 - shares))),
        "blank_rarity": _rarity(pair, matching, np.asarray(blanks.any(axis=1))),
        "blank_qi": float(np.mean([c.is_qi for c in columns])),
    }


def _rarity(pair: TablePair, matching: RowMatching, blank: Bool) -> float:
    """Return how much smaller the original classes of rows with blanks are, in powers of two."""
    if not pair.qi or not len(matching.y):
        return 0.0
    x, _ = pair.keys
    sizes = np.log2(np.bincount(x)[x])[matching.x]
    some = blank[matching.y]
    return float(sizes[~some].mean() - sizes[some].mean()) if some.any() and not some.all() else 0.0
