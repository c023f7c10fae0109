"""TraceFigures of the classes of equal quasi-identifiers, of blank cells, and of groups with equal numbers."""

from __future__ import annotations

import numpy as np

from icefire.audit.fingerprint.column_signs import TraceFigures
from icefire.audit.fingerprint.matching import RowMatching
from icefire.audit.fingerprint.pairs import ColumnPair, TablePair
from icefire.kernels.types import Bool, Int

NONE = 1e-9


def class_figures(pair: TablePair) -> TraceFigures:
    """Return the sizes of the classes of equal quasi-identifiers in both tables."""
    if not pair.qi:
        return {}
    x, y = pair.keys
    count = int(max(x.max(), y.max())) + 1
    x_sizes, y_sizes = np.bincount(x, minlength=count), np.bincount(y, minlength=count)
    present = y_sizes[y_sizes > 0]
    return {
        "smallest_class": float(min(present.min(), 20)),
        "smallest_class_before": float(min(x_sizes[x_sizes > 0].min(), 20)),
        "alone": float((y_sizes[y] == 1).mean()),
        "alone_before": float((x_sizes[x] == 1).mean()),
        "pairs": float((y_sizes[y] == 2).mean()),
        "class_growth": float(np.log2(len(y) / len(present) / (len(x) / (x_sizes > 0).sum()))),
        "known_classes": float((x_sizes[y] > 0).mean()),
        "class_excess": float(np.maximum(y_sizes - x_sizes, 0).sum() / len(y)),
    }


def filled_class_figures(pair: TablePair, matching: RowMatching) -> TraceFigures:
    """Return how classes of equal quasi-identifiers grew among matched rows without blank cells.

    Columns made constant are left out, so that what was done to the others shows in spite of both.
    """
    varying = [column for column in pair.qi if (column.y_counts > 0).sum() > 1]
    blank = np.any([(c.y[matching.y] < 0) & (c.x[matching.x] >= 0) for c in varying], axis=0) if varying else None
    if blank is None or (~blank).sum() < 2:
        return {"filled_growth": float("nan"), "filled_alone": float("nan")}
    x, y = pair.combined(varying)
    before, after = (np.unique(keys, return_counts=True)[1] for keys in (x[matching.x][~blank], y[matching.y][~blank]))
    alone = (after == 1).sum() - (before == 1).sum()
    return {
        "filled_growth": float(np.log2(len(before) / len(after))),
        "filled_alone": float(alone / (~blank).sum()),
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
    others = [c for c in pair.qi if c.name != column.name and (c.y_counts > 0).sum() > 1]
    kept = [c for c in others if excess_share(c.x, c.y, pair) < NONE]
    if not kept:
        return {"pairs_new_least": float("nan"), "pairs_new": float("nan")}
    shares = [excess_share(*pair.combined([column, other]), pair) for other in kept]
    return {"pairs_new_least": min(shares), "pairs_new": float(np.mean(shares))}


def excess_share(x: Int, y: Int, pair: TablePair) -> float:
    """Return the share of released values that occur more often than in the original."""
    count = int(max(x.max(), y.max())) + 2
    before, after = np.bincount(x + 1, minlength=count), np.bincount(y + 1, minlength=count)
    return float(np.maximum(after - before, 0).sum() / pair.released)


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
