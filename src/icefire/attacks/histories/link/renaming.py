"""Goods whose new names cannot be read: which label each good has got is learned from who bought what."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.attacks.histories.link.learning import LearnedRates, chosen_pairs
from icefire.attacks.histories.link.prepared import Prepared
from icefire.attacks.histories.link.reading import ColumnReading, overlap
from icefire.attacks.histories.link.refinement import DEPTHS, colours_of_goods
from icefire.kernels.types import Int

MOST_CELLS = 64
"""Rows of a pair that cannot be told apart otherwise are left out if there are more of them than this on a side."""
MOST_ROWS = 2_000_000
"""Pairs of rows compared at most."""
UNCERTAIN = 0.2
"""Pairs of a customer and a pseudonym that are less likely than this teach nothing."""


def by_frequency(goods: Int, own: pl.DataFrame, shown: pl.DataFrame) -> ColumnReading:
    """Give goods the labels that occur as often, with as many buyers, in as many pieces, for as much money.

    Or, where more goods are found so, those bought by the like of their buyers, whatever the numbers and prices are.

    Args:
        goods: The good of every own row, before any were merged.
        own: Own rows with subject, good, and as far as they are there number and price.
        shown: Released rows with subject, label, and the same.

    Returns:
        The labels of both sides; goods whose figures are not those of one label have numbers of their own.
    """
    readings = [_equally_frequent(goods, own, shown)]
    readings += [_equally_coloured(goods, own, shown, depth) for depth in DEPTHS]
    return max(readings, key=lambda reading: reading.fit)


def _equally_frequent(goods: Int, own: pl.DataFrame, shown: pl.DataFrame) -> ColumnReading:
    """Give goods the labels with the same numbers of rows, buyers and pieces, and the same sum of prices."""
    figures = [pl.len().alias("rows"), pl.col("subject").n_unique().alias("buyers")]
    figures += [
        (pl.col(name).sum() * 100).round().cast(pl.Int64).alias(name)
        for name in ("number", "price")
        if name in own.columns and name in shown.columns
    ]
    keys = [figure.meta.output_name() for figure in figures]
    return _matched(goods, shown, own.group_by("good").agg(figures), shown.group_by("label").agg(figures), keys)


def _equally_coloured(goods: Int, own: pl.DataFrame, shown: pl.DataFrame, depth: int) -> ColumnReading:
    """Give goods the labels that were bought by the like of their buyers."""
    known, labels = (_colours(rows, name, depth) for rows, name in ((own, "good"), (shown, "label")))
    return _matched(goods, shown, known, labels, ["colour"])


def _colours(rows: pl.DataFrame, name: str, depth: int) -> pl.DataFrame:
    values = rows[name].to_numpy()
    colours = colours_of_goods(rows["subject"].to_numpy().astype(np.int64), values.astype(np.int64), depth)
    there = np.unique(values)
    return pl.DataFrame({name: there, "colour": colours[there]})


def _matched(
    goods: Int, shown: pl.DataFrame, known: pl.DataFrame, labels: pl.DataFrame, keys: list[str]
) -> ColumnReading:
    """Give goods the labels of equal figures, where one good and one label only have them."""
    both = known.filter(pl.struct(keys).is_unique()).join(labels.filter(pl.struct(keys).is_unique()), on=keys)
    return _renamed(goods, shown, both["good"].to_numpy(), both["label"].to_numpy(), "given other names")


def by_company(goods: Int, prepared: Prepared, learned: LearnedRates) -> ColumnReading:
    """Give each good the label that its buyers' pseudonyms have more often than others, in rows that agree otherwise.

    Args:
        goods: The good of every own row, before any were merged.
        prepared: The rows and their other columns.
        learned: Which pseudonym is which customer, as far as that is known.

    Returns:
        The labels of both sides.
    """
    own, shown = prepared.own, prepared.shown
    units, pseudonyms, weights = chosen_pairs(learned.pairs, learned.weights)
    sure = weights > UNCERTAIN
    cells = [columns[-1] for columns in (prepared.dates, *prepared.amounts.values()) if columns]
    names = [f"cell {place}" for place in range(len(cells))]
    x = pl.DataFrame(
        {"unit": prepared.owners.own, "good": own["good"], **{n: c.own for n, c in zip(names, cells, strict=True)}}
    )
    y = pl.DataFrame(
        {
            "pseudonym": prepared.owners.shown,
            "label": shown["label"],
            **{n: c.shown for n, c in zip(names, cells, strict=True)},
        }
    )
    matched = pl.DataFrame({"unit": units[sure], "pseudonym": pseudonyms[sure]})
    x = x.unique(maintain_order=True).join(matched, on="unit", maintain_order="left")
    y = y.unique(maintain_order=True).join(matched, on="pseudonym", maintain_order="left")
    keys = ["unit", *names]
    small = pl.len().over(keys) <= MOST_CELLS
    pairs = x.filter(small).head(MOST_ROWS // 8).join(y.filter(small), on=keys).head(MOST_ROWS)
    counts = pairs.group_by("good", "label").len("both")
    totals = counts.with_columns(
        goods=pl.col("both").sum().over("good"),
        labels=pl.col("both").sum().over("label") / max(pairs.height, 1),
    )
    chance = pl.col("goods") * pl.col("labels")
    ranked = totals.with_columns(lift=(pl.col("both") - chance) / (chance * (1 - pl.col("labels")) + 1).sqrt())
    best = ranked.sort("good", "lift", "label", descending=[False, True, False]).unique(
        "good", keep="first", maintain_order=True
    )
    best = best.filter(pl.col("lift") > 0)
    return _renamed(
        goods, shown, best["good"].to_numpy(), best["label"].to_numpy(), "given other names, which were learned"
    )


def _renamed(goods: Int, shown: pl.DataFrame, named: Int, labels: Int, words: str) -> ColumnReading:
    """Return the labels of all own rows: the goods found have theirs, the others numbers of their own."""
    released = shown["label"].to_numpy()
    count = int(released.max(initial=-1)) + 1
    # A good without label keeps a number that no label has.
    label_of = count + np.arange(int(goods.max(initial=-1)) + 1)
    label_of[named] = labels
    renamed = label_of[goods]
    return ColumnReading(renamed, released, words, overlap(renamed, released))
