"""Sensitive values that the release writes otherwise: codes for words, other numbers, other units.

Whoever gets a release learns sooner or later what its codes stand for, so the judge reads them as what they stand for.
A code book is found where the cells do not hold the values of the people they come from, and yet tell them, with hardly
an exception.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.audit.attributes.secret_column import covers_everything
from icefire.core.dataset import numbers
from icefire.hierarchy.coverage import read_labels
from icefire.kernels.types import Bool, Float, Int

READABLE = 0.5
"""Share of the cells that may be the value of their person, from which on the cells are read as they are."""
TOLD = 0.95
"""Share of the rows, at least, for which one side of a code book tells the other."""
LEAST_ROWS, LEAST_ORDERED = 6, 10
"""Rows from which a code book, and an order that was kept, are no coincidence."""
ROWS_EACH = 2
"""Rows to a code, or to a value, on average at least: of single rows anything tells anything."""

MANY, PART = 10_000, 8
"""Of so many rows a part of the values, about one in eight, mostly shows that there are too many exceptions."""
PROBED = 1_000
"""Rows that are looked at first."""


def in_original_values(people: pl.Series, released: pl.Series, origin: Int, reach: float) -> pl.Series | None:
    """Return the released cells as values of the original; None where they are to be read as they are.

    Args:
        people: The values of the people.
        released: The released cells.
        origin: For each cell the person it was made from, -1 for nobody.
        reach: How far a number may be off and still be the number.
    """
    rows = rows_compared(people, released, origin)
    if len(rows) < LEAST_ROWS or _readable(people, released, origin, rows, reach) >= READABLE:
        return None
    own, cells = people[origin[rows]], released[rows]
    both = pl.DataFrame({"cell": cells, "value": own})
    meanings = commonest(both, "cell", "value")
    if meanings is None and people.dtype == pl.String:
        codes = commonest(both, "value", "cell")
        meanings = None if codes is None else _sets(codes)
    if meanings is None:
        meanings = _ordered(people, cells, own)
    if meanings is None:
        return None
    return released.replace_strict(meanings, default=None, return_dtype=people.dtype)


def rows_compared(people: pl.Series, released: pl.Series, origin: Int) -> Int:
    """Return the released rows whose cell is not missing, nor the value of the person they come from."""
    compared = origin >= 0
    if released.null_count():
        compared &= released.is_not_null().to_numpy()
    if people.null_count():
        compared &= people.is_not_null().to_numpy()[origin]
    return np.flatnonzero(compared)


def _readable(people: pl.Series, released: pl.Series, origin: Int, rows: Int, reach: float) -> float:
    """Return the share of the cells that may be the value of the person they come from."""
    if people.dtype.is_numeric() and released.dtype.is_numeric():
        known, cells = numbers(people), numbers(released)
        if len(rows) < len(origin):
            origin, cells = origin[rows], cells[rows]
        near: Bool = np.abs(known[origin] - cells) <= reach
        return float(near.mean())
    covered = read_labels(people, released)
    labels = covered.labels[rows]
    # A word that nobody has may be any value: it is not read, and neither is a cell left blank.
    return float((covered.covers(labels, covered.places[origin[rows]]) & ~covers_everything(covered)[labels]).mean())


def commonest(both: pl.DataFrame, by: str, of: str) -> dict[object, object] | None:
    """Return for each value of one side the commonest of the other, if that is right for nearly all rows."""
    rows = both.height
    if rows - _least_exceptions(both, by) < TOLD * rows:
        return None
    pairs = both.group_by("cell", "value").len("rows")
    best = pairs.sort("rows", of, descending=[True, False]).group_by(by, maintain_order=True).first()
    if ROWS_EACH * best.height > rows or int(best["rows"].sum()) < TOLD * rows:
        return None
    return dict(zip(best[by].to_list(), best[of].to_list(), strict=True))


def _least_exceptions(both: pl.DataFrame, by: str) -> int:
    """Return a lower bound on the rows that do not hold the commonest: one for each further pair of some values."""
    if both.height < MANY:
        return 0
    some = both.filter(pl.col(by).hash() % PART == 0)
    return int(some.n_unique()) - int(some[by].n_unique())


def _sets(codes: dict[object, object]) -> dict[object, object]:
    """Return for each code the set of the values that it stands for, written as released sets are."""
    values: dict[object, list[str]] = {}
    for value, code in codes.items():
        values.setdefault(code, []).append(str(value))
    return {code: "{" + ", ".join(sorted(each)) + "}" if len(each) > 1 else each[0] for code, each in values.items()}


def _ordered(people: pl.Series, cells: pl.Series, own: pl.Series) -> dict[object, object] | None:
    """Read numbers whose order was kept, or reversed, and whose values were not: another unit or scale."""
    if not (people.dtype.is_numeric() and cells.dtype.is_numeric()) or len(cells) < LEAST_ORDERED:
        return None
    known, shown = numbers(own), numbers(cells)
    # What is true of all rows is true of some, which are soon sorted.
    if not (_kept_order(known[:PROBED], shown[:PROBED]) and _kept_order(known, shown)):
        return None
    if len(np.unique(known)) < 2:
        return None
    return dict(zip(cells.to_list(), own.to_list(), strict=True))


def _kept_order(known: Float, shown: Float) -> bool:
    """Tell whether larger numbers are shown for larger ones, or smaller ones, and equal ones for equal ones alone."""
    order = np.lexsort((shown, known))
    steps, seen = np.sign(np.diff(known[order])), np.diff(shown[order])
    return bool((steps == np.sign(seen)).all() or (steps == -np.sign(seen)).all())
