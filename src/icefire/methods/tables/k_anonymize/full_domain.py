"""Full-domain generalisation: every value of a column at the same level, small classes left out."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from icefire import models
from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.hierarchy import Fitted
from icefire.kernels.lattice.key_layout import LatticeColumn
from icefire.kernels.lattice.nodes import LatticeTable
from icefire.kernels.lattice.packed_table import Levels, PackedTable
from icefire.kernels.lattice.population import LatticePopulation
from icefire.kernels.lattice.search import BestNode, ClassFilter, LatticeSearch
from icefire.kernels.types import Bool, Int, Int32
from icefire.models import Constraint, PopulationBounds


def full_domain(
    data: Dataset,
    fitted: Sequence[Fitted],
    *,
    k: int,
    max_suppressed: float = 0.0,
    constraints: Sequence[Constraint] = (),
    bounds: PopulationBounds | None = None,
) -> Dataset:
    """Generalise each column to the one level that loses least overall, and leave rows of small classes out.

    `fitted` holds the columns under their hierarchies. A class is released if it has at least k rows and keeps all
    `constraints`, and the bounds of the `bounds`, in the table of the rows released.
    """
    room = math.floor(max_suppressed * data.height + 1e-9)
    best, kept = _search(fitted, k, data.height, room, constraints, bounds)
    facts = {
        "levels": {column.name: level for column, level in zip(fitted, best.levels, strict=True)},
        "suppressed": best.suppressed,
        "loss": best.loss,
        "optimal": best.optimal,
    }
    return _released(data, fitted, best, kept).noted(**facts, **_population_notes(fitted, best.levels, kept, bounds))


def _search(
    fitted: Sequence[Fitted],
    k: int,
    rows: int,
    room: int,
    constraints: Sequence[Constraint],
    bounds: PopulationBounds | None,
) -> tuple[BestNode, Bool]:
    """Find the best levels and the rows they keep; what the search held is let go before the release is made."""
    columns, values = zip(*map(_coded, fitted), strict=True)
    people = None
    if bounds is not None:
        everybody = [coded[numbers] for coded, numbers in zip(values, bounds.population.numbers, strict=True)]
        packed = PackedTable(columns, everybody, bounds.population.rows)
        people = LatticePopulation(packed, bounds.k_map or 0, bounds.share)
    codes = [coded[column.numbers] for coded, column in zip(values, fitted, strict=True)]
    table = LatticeTable(PackedTable(columns, codes, rows), people)
    keep = None
    if constraints or (bounds is not None and bounds.delta is not None):
        keep = _keep(table, k, room, constraints, bounds)
    search = LatticeSearch(table, k, room, keep)
    best = search.best_node()
    if best is None or best.suppressed == rows:
        raise ParameterError(_impossible(fitted, search, bool(constraints or bounds)))
    return best, search.released_rows(best.levels)


def best_levels(fitted: Sequence[Fitted], counts: Int32, k: int, max_suppressed: float) -> tuple[BestNode, Bool]:
    """Find the best levels of a table that is given by its distinct rows and how many rows each of them is.

    Args:
        fitted: The columns of the distinct rows under their hierarchies.
        counts: How many rows each distinct row is.
        k: Least number of rows in a class.
        max_suppressed: Largest share of the rows that may be left out.

    Returns:
        The best levels, and for every distinct row whether it is released.

    Raises:
        ParameterError: If no levels will do.
    """
    columns, values = zip(*map(_coded, fitted), strict=True)
    codes = [coded[column.numbers] for coded, column in zip(values, fitted, strict=True)]
    rows = int(counts.sum())
    table = LatticeTable(PackedTable(columns, codes, rows, counts))
    search = LatticeSearch(table, k, math.floor(max_suppressed * rows + 1e-9))
    best = search.best_node()
    if best is None or best.suppressed == rows:
        raise ParameterError(_impossible(fitted, search, False))
    return best, search.released_rows(best.levels)


def _keep(
    table: LatticeTable, k: int, room: int, constraints: Sequence[Constraint], bounds: PopulationBounds | None
) -> ClassFilter:
    """Say which classes of a node stay."""

    def keep(levels: Levels, rows: Int, start: Int) -> Bool:
        stays = np.diff(start) >= k
        if bounds is not None and table.population is not None:
            keys = table.packed.keys[rows[start[:-1]]]
            people = table.population.count_at_keys(keys, table.packed.ground, levels)
            stays &= people >= bounds.needs(np.diff(start))
        return models.lasting_classes(constraints, rows, start, stays, room)

    return keep


def _population_notes(
    fitted: Sequence[Fitted], levels: Levels, kept: Bool, bounds: PopulationBounds | None
) -> dict[str, float]:
    """Say whom of the population released rows may be, and with which chance."""
    if bounds is None:
        return {}
    shown = pl.DataFrame([column.released(level, kept) for column, level in zip(fitted, levels, strict=True)])
    classes = blocks.blocks_of_table(shown, shown.columns)
    first = np.flatnonzero(kept)[classes.x_rows[classes.x_start[:-1]]]
    values = np.column_stack([column.numbers[first] for column in fitted]).astype(np.int32)
    return bounds.reached(classes.x_sizes, values, np.broadcast_to(np.array(levels, np.int32), values.shape))


def _coded(column: Fitted) -> tuple[LatticeColumn, Int32]:
    """Number only the values that occur, at every level, so that keys stay short; returns the number of each value."""
    known = column.hierarchy
    present, values = np.unique(column.places, return_inverse=True)
    maps, leaves = [], []
    for level in range(known.levels):
        codes, renumbered = np.unique(known.codes[level][present], return_inverse=True)
        maps.append(renumbered.astype(np.int32))
        leaves.append(known.leaves[level][codes])
    return LatticeColumn(tuple(maps), tuple(leaves), known.size), values.astype(np.int32)


def _released(data: Dataset, fitted: Sequence[Fitted], best: BestNode, kept: Bool) -> Dataset:
    """Put the labels in and leave the suppressed rows out; a column at level 0 stays as it is."""
    rows: Bool | slice = kept if best.suppressed else slice(None)
    new = {c.name: c.released(level, rows) for c, level in zip(fitted, best.levels, strict=True) if level}
    rest = data.frame.drop(list(new))
    rest = rest.filter(pl.Series(kept)) if best.suppressed else rest
    return data.with_frame(pl.DataFrame([new[n] if n in new else rest[n] for n in data.frame.columns]))


def _impossible(fitted: Sequence[Fitted], search: LatticeSearch, others: bool) -> str:
    said = (
        f"k_anonymize: no levels of the hierarchies reach k = {search.k} with at most {search.limit:,} of "
        f"{search.table.rows:,} rows suppressed"
    )
    if others:
        said += " and keep the other models"
    open_ended = [column.name for column in fitted if not column.hierarchy.closed]
    if open_ended:
        return f"{said}; give the hierarchy of {open_ended[0]!r} a last level with one value, *, or allow more"
    return f"{said}; lower k or the models, or raise max_suppressed"
