"""The item sets of one history in files: written from batches of rows, read as pieces or as one array on disk."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from icefire.core.history.baskets import Baskets, make_baskets
from icefire.core.history.parts import BasketPiece
from icefire.engines.raw_histories import RawHistory
from icefire.kernels.common.ranges import offsets
from icefire.kernels.types import Int, Int32

ITEMS = "items.i4"


@dataclass(frozen=True, slots=True)
class HistoryMemory:
    """Rows that are read, and rows whose subjects make up one piece."""

    batch_rows: int
    piece_rows: int
    working: int = 0
    """Bytes for what is worked on."""


class BasketFiles:
    """The item sets of the subjects of one history. In memory are where each begins; the items are on disk."""

    def __init__(
        self, folder: Path, source: RawHistory, codes: pl.DataFrame, goods: int, memory: HistoryMemory
    ) -> None:
        """Number the rows batch by batch, and collect the items of each subject piece by piece.

        Args:
            folder: New folder for the files.
            source: The history.
            codes: "item name", and the number of the "item".
            goods: Number of different items.
            memory: Rows that are taken at a time.
        """
        self.goods = goods
        self._items = folder / ITEMS
        pieces = max(1, -(-source.height // memory.piece_rows))
        self._edges = np.unique(np.arange(pieces + 1) * len(source.names) // pieces)
        rows = folder / "rows"
        rows.mkdir(parents=True)
        _write_rows(rows, source, codes, self._edges, memory.batch_rows)
        self._start = self._collect(rows)
        shutil.rmtree(rows)

    @property
    def subjects(self) -> int:
        """Number of subjects."""
        return len(self._start) - 1

    @property
    def piece_count(self) -> int:
        """Number of pieces."""
        return len(self._edges) - 1

    @property
    def entries(self) -> int:
        """Number of items of all subjects."""
        return int(self._start[-1])

    @property
    def baskets(self) -> Baskets:
        """All item sets; the items are pages of the file that the system reads, and gives back when memory is short."""
        return Baskets(self._start, self._mapped(), self.goods)

    def pieces(self) -> Iterator[BasketPiece]:
        """Give the item sets of all subjects, piece by piece."""
        for first, last in zip(self._edges[:-1].tolist(), self._edges[1:].tolist(), strict=True):
            start = self._start[first : last + 1]
            items = np.array(self._mapped()[start[0] : start[-1]])
            yield BasketPiece(first, Baskets(start - start[0], items, self.goods))

    def _mapped(self) -> Int32:
        if not self.entries:
            return np.empty(0, np.int32)
        # Compiled functions know plain arrays that may be written; what would be written stays in memory.
        return np.memmap(self._items, np.int32, "c").view(np.ndarray)

    def _collect(self, rows: Path) -> Int:
        """Write the items of all subjects in ascending order; returns where each subject begins."""
        sizes = [np.empty(0, np.int64)]
        with self._items.open("wb") as file:
            for number, (first, last) in enumerate(zip(self._edges[:-1], self._edges[1:], strict=True)):
                keys = pl.read_parquet(rows / f"*-{number}.parquet")
                subjects, items = (keys[name].to_numpy().astype(np.int64) for name in ("subject", "item"))
                baskets = make_baskets(subjects - first, items, int(last - first), self.goods)
                baskets.items.tofile(file)
                sizes.append(baskets.sizes)
        return offsets(np.concatenate(sizes))


def _write_rows(folder: Path, source: RawHistory, codes: pl.DataFrame, edges: Int, batch_rows: int) -> None:
    """Write subject and item of each row as numbers, once in each batch, a file for every piece."""
    numbers = pl.DataFrame({"subject name": source.names}).with_row_index("subject")
    empty = pl.DataFrame(schema={"subject": pl.Int32, "item": pl.Int32})
    for number in range(len(edges) - 1):
        empty.write_parquet(folder / f"none-{number}.parquet")
    for batch, frame in enumerate(source.batches(batch_rows)):
        coded = frame.join(numbers, on="subject name", how="left").join(codes, on="item name", how="left")
        source.check_known(coded)
        rows = coded.select(pl.col("subject", "item").cast(pl.Int32)).unique()
        piece = np.searchsorted(edges, rows["subject"].to_numpy(), side="right") - 1
        for number in np.unique(piece).tolist():
            part = rows.filter(pl.Series(piece == number))
            part.write_parquet(folder / f"{batch}-{number}.parquet", compression="lz4")
