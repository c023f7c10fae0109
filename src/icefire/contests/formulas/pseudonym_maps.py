"""Maps of customers and months to pseudonyms: the true one, those of the sample attacks, and how many are all right.

A map has a line per customer and twelve cells, of December to November; a cell holds a pseudonym or DEL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.contests.formulas.item_losses import DELETED, read_dates
from icefire.core import seeds
from icefire.core.errors import UndefinedError

MONTHS = 12
GOODS_SHOWN = 2
"""Attackers know so many first characters of a good."""
LEVELS = (25, 50, 75, 100)
"""Shares of the original that are known, in per cent."""
KEYS: Mapping[str, tuple[str, ...]] = {
    "date_number": ("date", "number"),
    "goods_price": ("goods", "price"),
    "goods_number": ("goods", "number"),
    "date_goods": ("date", "goods"),
    "goods_price_number": ("goods", "price", "number"),
    "goods_date_number": ("goods", "date", "number"),
}
"""Sample attacks: the columns by which each recognises a row."""
PseudonymMap = NDArray[np.object_]


def true_map(known: pl.DataFrame, shown: pl.DataFrame, customers: Sequence[str]) -> PseudonymMap:
    """Return the map of a release; the last row of a customer and month tells its pseudonym.

    Raises:
        UndefinedError: If the tables have not the same rows, or a date of the original is none.
    """
    if known.height != shown.height:
        raise UndefinedError(f"T has {known.height:,} rows and A(T) {shown.height:,}; rows cannot be compared")
    cells = known.select("customer").with_columns(month=months(known["date"]), pseudonym=shown["customer"])
    return _filled(cells.filter(pl.col("pseudonym") != DELETED), customers)


def sorted_customers(customers: pl.Series) -> list[str]:
    """Return customers ascending as numbers."""
    order = customers.unique().to_frame("customer").sort(pl.col("customer").cast(pl.Int64, strict=False), "customer")
    return order["customer"].to_list()


def months(dates: pl.Series) -> pl.Series:
    """Return the months of days, December 0 to November 11."""
    return read_dates(dates, "T").dt.month().cast(pl.Int64) % MONTHS


def known_part(known: pl.DataFrame, level: int, seed: int) -> pl.DataFrame:
    """Return what is known at a level: so many per cent of the rows, the others deleted, and goods cut short."""
    rows = int(np.floor(known.height * level / 100 + 0.5))
    drawn = np.zeros(known.height, bool)
    drawn[seeds.generator(seed, "level", str(level)).permutation(known.height)[:rows]] = True
    cut = known.with_columns(pl.col("goods").str.slice(0, GOODS_SHOWN))
    empty = [pl.lit(DELETED if name == "customer" else "").alias(name) for name in known.columns]
    chosen = pl.Series("drawn", drawn)
    return cut.with_columns(
        pl.when(chosen).then(pl.col(name)).otherwise(other).alias(name)
        for name, other in zip(known.columns, empty, strict=True)
    )


def guessed_map(published: pl.DataFrame, part: pl.DataFrame, key: str, customers: Sequence[str]) -> PseudonymMap:
    """Return the map of a sample attack.

    It notes for each key the pseudonym of the last published row with it, and writes it into the customer and month of
    every known row with that key; later rows overwrite.
    """
    columns = KEYS[key]
    noted = _keyed(published, columns).unique("key", keep="last", maintain_order=True)
    rows = part.filter(pl.col("customer") != DELETED)
    cells = _keyed(rows, columns).select("key", "customer").with_columns(month=months(rows["date"]))
    noted = noted.select("key", pl.col("customer").alias("pseudonym"))
    return _filled(cells.join(noted, on="key", how="inner", maintain_order="left"), customers)


def _keyed(rows: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    parts = [pl.col(name).str.slice(0, GOODS_SHOWN) if name == "goods" else pl.col(name) for name in columns]
    return rows.with_columns(key=pl.concat_str(parts, separator="\x1f"))


def _filled(cells: pl.DataFrame, customers: Sequence[str]) -> PseudonymMap:
    """Return a map whose cells, in order, hold the last pseudonym written into them."""
    table = np.full((len(customers), MONTHS), DELETED, dtype=object)
    last = cells.unique(["customer", "month"], keep="last", maintain_order=True)
    places = pl.DataFrame({"customer": list(customers)}, schema={"customer": pl.String}).with_row_index("place")
    placed = last.join(places, on="customer", how="inner")
    table[placed["place"].to_numpy(), placed["month"].to_numpy()] = placed["pseudonym"].to_list()
    return table


def count_right(truth: PseudonymMap, guess: PseudonymMap) -> int:
    """Count the customers whose twelve cells are all right."""
    return int((truth == guess).all(axis=1).sum())
