"""The order of released rows: the place of a row may tell whose it is."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.audit import judge
from icefire.audit.obstacles.distinct_values import PROBED, distinct_originals
from icefire.audit.obstacles.single_columns import most_by_chance
from icefire.core import formatting
from icefire.core.release import Case, Comparison
from icefire.core.scorecard import Reason
from icefire.kernels.types import Int
from icefire.words import t

GROUP_SIZE = 10
"""Smaller groups, on average, have too many rows in place by chance."""


ORIGINAL = "the original"


def telling_order(comparison: Comparison, limit: float) -> list[Reason]:
    """Refuse rows whose places in the file tell who they are: moved too little, or sorted by a column of the original.

    People are found by one distance between the place of a row and that of its person, forwards or backwards, or by
    their places within the groups that the file is divided into. Rows in the very order of the original are not
    refused: tables are compared row by row that way, and the report says that they are to be shuffled.
    """
    rows, originals = comparison.truth.rows, comparison.original.height
    if bool((np.diff(rows) >= 0).all()):
        return []
    places = np.arange(len(rows)) * originals // len(rows)
    orders = {ORIGINAL: np.arange(originals)} | _orders_of_values(comparison.case)
    counts = {name: _most_in_place(order[rows], places) for name, order in orders.items()}
    for group in _groups(comparison.released.frame):
        if not _same_order_in_groups(group, rows):
            for name in orders.keys() - {ORIGINAL}:
                counts[t("verdict.further.order_within", column=name, group=group.name)] = _in_place_within(
                    group, orders[name][rows]
                )
    name = max(counts, key=lambda each: counts[each])
    count = counts[name]
    if count <= most_by_chance(4 * originals * len(orders)) or judge.wilson(count, len(rows))[0] <= limit:
        return []
    share = count / len(rows)
    order = t("verdict.further.original") if name == ORIGINAL else name
    text = t("verdict.further.order", order=order, share=formatting.percent(share))
    return [Reason("identifier", text, {"rows": count, "share": share, "order": name, "limit": limit})]


def _orders_of_values(case: Case) -> dict[str, Int]:
    """Return the place of every person if people are sorted by a column in which most values differ."""
    table = case.known.frame
    names = [name for name in table.columns if 2 * distinct_originals(case, name) > table.height]
    return {name: table[name].rank("ordinal").fill_null(1).to_numpy().astype(np.int64) - 1 for name in names}


def _most_in_place(order: Int, places: Int) -> int:
    """Return how many rows are at one distance from the place of their person."""
    distances = (order - places, order - places[::-1])
    return max(int(np.bincount(each - each.min()).max()) for each in distances)


def _groups(released: pl.DataFrame) -> list[pl.Series]:
    """Return the columns by whose values the file is divided into few groups, one after the other."""
    # Where values return, they mostly do so soon.
    return [column for column in released if _is_grouped(column.head(PROBED)) and _divides_into_groups(column)]


def _divides_into_groups(column: pl.Series) -> bool:
    return 1 < column.n_unique() <= len(column) // GROUP_SIZE and _is_grouped(column)


def _is_grouped(column: pl.Series) -> bool:
    """Tell whether equal values stand one after the other."""
    return len(column.rle()) == column.n_unique()


def _same_order_in_groups(group: pl.Series, rows: Int) -> bool:
    later = np.diff(rows) >= 0
    same_group = (group == group.shift(1)).fill_null(False).to_numpy()[1:]
    return bool(later[same_group].all())


def _in_place_within(group: pl.Series, order: Int) -> int:
    """Return how many rows have the place in their group that this order gives, less those expected by chance."""
    table = pl.DataFrame({"group": group, "order": order}).with_row_index("place")
    ranks = table.select(
        place=pl.col("place").rank("ordinal").over("group"),
        forwards=pl.col("order").rank("ordinal").over("group"),
        backwards=pl.col("order").rank("ordinal", descending=True).over("group"),
    )
    equal = max(int((ranks["place"] == ranks[name]).sum()) for name in ("forwards", "backwards"))
    return max(0, equal - group.n_unique())
