"""Full-domain generalisation: every value of a column at the same level, small classes left out."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire import hierarchy
from icefire.dataset import Dataset
from icefire.errors import ParameterError
from icefire.hierarchy import Fitted, Hierarchy, Unseen
from icefire.kernels.lattice_classes import Table
from icefire.kernels.lattice_layout import Codes, Column
from icefire.kernels.lattice_search import Allowed, Best, Search


def full_domain(
    data: Dataset,
    names: Sequence[str],
    *,
    k: int,
    max_suppressed: float = 0.0,
    hierarchies: str | None = None,
    unseen: Unseen = "error",
    allowed: Sequence[Allowed] = (),
) -> Dataset:
    """Generalise each column to the one level that loses least overall, and leave rows of small classes out.

    A class is kept if it has at least k rows and every function in `allowed` says so.
    """
    if not names:
        raise ParameterError("k_anonymize: qi is empty; name at least one column to generalise")
    found = fitted(data, names, hierarchies, unseen)
    best, kept = _search(found, k, data.height, max_suppressed, allowed)
    return _released(data, found, best, kept).noted(
        levels=dict(zip(names, best.levels, strict=True)),
        suppressed=best.suppressed,
        loss=best.loss,
        optimal=best.optimal,
    )


def _search(
    found: Sequence[Fitted], k: int, rows: int, max_suppressed: float, allowed: Sequence[Allowed]
) -> tuple[Best, NDArray[np.bool_]]:
    """Find the best levels and the rows they keep; what the search held is let go before the release is made."""
    columns, codes = zip(*map(_coded, found), strict=True)
    limit = math.floor(max_suppressed * rows + 1e-9)
    search = Search(Table(columns, codes, rows), k, limit, allowed)
    best = search.run()
    if best is None or best.suppressed == rows:
        raise ParameterError(_impossible(found, search, max_suppressed))
    return best, search.kept(best.levels)


def fitted(data: Dataset, names: Sequence[str], folder: str | None, unseen: Unseen) -> list[Fitted]:
    """Lay over each column the hierarchy from its file in the folder or, without a folder, an inferred one."""
    if folder is None:
        return [hierarchy.fit(_inferred(data.frame[name]), data.frame[name]) for name in names]
    known = hierarchy.read_folder(folder, names)
    return [hierarchy.fit(known[name], data.frame[name], unseen) for name in names]


def _inferred(column: pl.Series) -> Hierarchy:
    # A column that is missing in every row has nothing to infer from, and nothing to hide.
    return hierarchy.infer(column if column.null_count() < len(column) else pl.Series(column.name, [""]))


def _coded(column: Fitted) -> tuple[Column, Codes]:
    """Number only the values that occur, at every level, so that keys stay short."""
    known = column.hierarchy
    present, values = np.unique(column.places, return_inverse=True)
    maps, leaves = [], []
    for level in range(known.levels):
        codes, renumbered = np.unique(known.codes[level][present], return_inverse=True)
        maps.append(renumbered.astype(np.int32))
        leaves.append(known.leaves[level][codes])
    return Column(tuple(maps), tuple(leaves), known.size), values.astype(np.int32)[column.numbers]


def _released(data: Dataset, found: Sequence[Fitted], best: Best, kept: NDArray[np.bool_]) -> Dataset:
    """Put the labels in and leave the suppressed rows out; a column at level 0 stays as it is."""
    rows: NDArray[np.bool_] | slice = kept if best.suppressed else slice(None)
    new = {c.name: c.released(level, rows) for c, level in zip(found, best.levels, strict=True) if level}
    rest = data.frame.drop(list(new))
    rest = rest.filter(pl.Series(kept)) if best.suppressed else rest
    return data.with_frame(pl.DataFrame([new[n] if n in new else rest[n] for n in data.frame.columns]))


def _impossible(found: Sequence[Fitted], search: Search, max_suppressed: float) -> str:
    said = (
        f"k_anonymize: no levels of the hierarchies reach k = {search.k} with at most {search.limit:,} of "
        f"{search.table.rows:,} rows suppressed (max_suppressed = {max_suppressed:g})"
    )
    if search.allowed:
        said += " and keep the other models"
    open_ended = [column.name for column in found if not column.hierarchy.closed]
    if open_ended:
        return f"{said}; give the hierarchy of {open_ended[0]!r} a last level with one value, *, or allow more"
    return f"{said}; lower k or the models, or raise max_suppressed"
