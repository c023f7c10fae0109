"""Released histories that equal one customer's in every column, and what histories have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.attacks.histories.link.prepared import prepare
from icefire.core.align import as_text
from icefire.core.history import History, HistoryComparison
from icefire.kernels.types import Bool, Int

FEW_ROWS = 3
"""Shorter histories may equal another customer's by coincidence; they count only if they are the person's own."""


@dataclass(frozen=True)
class EqualHistories:
    """Which released histories equal exactly one customer's in all columns, and whose."""

    verbatim: Bool
    customers: Int
    """The customer; -1 where there is none, or several."""
    comparison: HistoryComparison

    def in_common(self, subjects: Int, customers: Int) -> list[float]:
        """Return the share of the rows of released subjects that customers have, too.

        By the good alone, and by all columns, after the original was coarsened as the release was.

        Args:
            subjects: Released subjects.
            customers: A customer for each.
        """
        prepared = prepare(self.comparison.case)
        steps = (prepared.dates, *prepared.amounts.values())
        columns = [prepared.goods, *(columns[-1] for columns in steps if columns)]
        names = [str(place) for place in range(len(columns))]
        own = pl.DataFrame({"customer": prepared.own["subject"]}).with_columns(
            pl.Series(name, column.own) for name, column in zip(names, columns, strict=True)
        )
        shown = pl.DataFrame({"subject": prepared.owners.shown}).with_columns(
            pl.Series(name, column.shown) for name, column in zip(names, columns, strict=True)
        )
        pairs = pl.DataFrame({"subject": subjects, "customer": customers})
        rows = shown.join(pairs, on="subject")
        return [
            rows.join(own, on=["customer", *used], how="semi").height / max(rows.height, 1)
            for used in (names[:1], names)
        ]


def equal_histories(comparison: HistoryComparison) -> EqualHistories:
    """Find the released histories that equal exactly one customer's in all columns that both have.

    Names of subjects and receipts may have been replaced; they are not compared.
    """
    original, released = comparison.original, comparison.released
    names = [name for name in released.frame.columns if name in original.frame.columns]
    known, shown = (_sums(side, names) for side in (original, released))
    keys = ["rows", "one", "other"]
    single = known.filter(pl.col("rows") > 0).filter(pl.struct(keys).is_unique())
    joined = shown.join(single, on=keys, how="left", maintain_order="left", suffix=" known")
    customers = joined["subject known"].fill_null(-1).to_numpy().astype(np.int64)
    long = joined["rows"].to_numpy() >= FEW_ROWS
    verbatim = (customers >= 0) & (long | (customers == comparison.truth.rows))
    return EqualHistories(verbatim, np.where(verbatim, customers, -1), comparison)


def _sums(side: History, names: list[str]) -> pl.DataFrame:
    """For each subject the number of its rows and two sums of hashes over them, which depend on no order."""
    present = side.fields.present
    columns: dict[str, object] = {}
    for name in names:
        meaning = next((meaning for meaning, column in present.items() if column == name), "")
        if meaning in ("subject", "receipt", "time") and not (meaning == "time" and not side.has("date")):
            continue
        if meaning == "date":
            columns[name] = side.when
        elif meaning in ("number", "price"):
            columns[name] = side.numbers if meaning == "number" else side.prices
        else:
            columns[name] = as_text(side.frame[name])
    rows = pl.DataFrame(columns)
    hashes = [rows.hash_rows(seed) for seed in (11, 77)]
    sums = [np.zeros(side.subjects, np.uint64), np.zeros(side.subjects, np.uint64)]
    for total, hashed in zip(sums, hashes, strict=True):
        np.add.at(total, side.codes, hashed.to_numpy())
    counts = np.bincount(side.codes, minlength=side.subjects)
    return pl.DataFrame({"subject": np.arange(side.subjects), "rows": counts, "one": sums[0], "other": sums[1]})
