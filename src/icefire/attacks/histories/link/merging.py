"""Whether purchases of the same good were merged, and the own rows merged likewise."""

from __future__ import annotations

import polars as pl

from icefire.core.history.dates import DAY

REPEATED = 0.02
"""Rows were merged if fewer than a tenth of this share of the released rows repeat others, and more of the own rows."""


def merge_likewise(own: pl.DataFrame, shown: pl.DataFrame, readable: bool) -> tuple[pl.DataFrame, str]:
    """Merge the own rows if the released ones seem to be merged; say what was merged, "" for nothing.

    Args:
        own: Rows with subject, good, label, and as far as they are there when, receipt, number and price.
        shown: The released rows, likewise.
        readable: Whether the labels of the own rows mean anything; if not, their goods are compared.

    Returns:
        The own rows, number summed up, price as the mean paid, everything else of the latest row; and the words.
    """
    ways = zip(_ways(own, shown, "label" if readable else "good"), _ways(own, shown, "label"), strict=True)
    for (words, keys), (_, released_keys) in ways:
        if _repeats(shown, released_keys) < REPEATED / 10 and _repeats(own, keys) > REPEATED:
            return _merged(own, keys), words
    return own, ""


def _ways(own: pl.DataFrame, shown: pl.DataFrame, good: str) -> list[tuple[str, list[pl.Expr]]]:
    person = [pl.col("subject"), pl.col(good)]
    ways = [("all purchases of a good", person)]
    if "when" in own.columns and "when" in shown.columns:
        ways.append(("purchases of a good on one day", [*person, (pl.col("when") // DAY).alias("day")]))
    if "receipt" in own.columns and "receipt" in shown.columns:
        ways.append(("purchases of a good on one receipt", [*person, pl.col("receipt")]))
    return ways


def _repeats(rows: pl.DataFrame, keys: list[pl.Expr]) -> float:
    """Share of the rows that repeat another in the keys."""
    return 1.0 - int(rows.select(pl.struct(keys).n_unique()).item()) / max(rows.height, 1)


def _merged(own: pl.DataFrame, keys: list[pl.Expr]) -> pl.DataFrame:
    names = [key.meta.output_name() for key in keys]
    others = [name for name in own.columns if name not in (*names, "number", "price")]
    amounts = []
    if "price" in own.columns:
        pieces = pl.col("number") if "number" in own.columns else pl.lit(1.0)
        amounts.append(((pl.col("price") * pieces).sum() / pieces.sum()).alias("price"))
    if "number" in own.columns:
        amounts.append(pl.col("number").sum())
    order = ["when"] if "when" in own.columns else []
    rows = own.with_columns(keys).sort([*names, *order], maintain_order=True)
    return rows.group_by(names, maintain_order=True).agg(*amounts, pl.col(others).last()).select(own.columns)
