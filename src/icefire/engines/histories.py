"""The engine `partitioned` for histories: item sets of consecutive subjects, in pieces on disk."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from icefire.core.codes import same_spelling
from icefire.core.errors import OutputError, ParameterError
from icefire.core.history.baskets import make_baskets
from icefire.core.history.parts import BasketPiece
from icefire.core.parts import Side
from icefire.engines.bucket_files import check_room, told_where_full
from icefire.engines.memory import LEAST_WORKING, PROCESS
from icefire.engines.raw_histories import RawHistory
from icefire.kernels.baskets.missing_goods import missing_counts
from icefire.kernels.types import Int

PER_SUBJECT = 200
"""Bytes kept for each subject of either history: its name, its number, answers and those who are as similar."""
PER_ENTRY = 100
"""Bytes for each good of a subject while two pieces are compared."""
PER_READ_ROW = 300
"""Bytes for each row while a batch is read and numbered."""
LEAST_ROWS, MOST_ROWS = 20_000, 30_000_000
SIDES: tuple[Side, Side] = ("original", "released")


@dataclass(frozen=True, slots=True)
class HistoryMemory:
    """Rows that are read, and rows whose subjects make up one piece."""

    batch_rows: int
    piece_rows: int


def plan_history_memory(limit: int, subjects: int, rows: int) -> HistoryMemory:
    """Divide the memory among what is kept for every subject and what is worked on.

    Args:
        limit: Bytes that the process may use.
        subjects: Subjects of both histories.
        rows: Rows of both histories.

    Raises:
        ParameterError: If the limit is too small for histories of this size.
    """
    kept = PROCESS + PER_SUBJECT * subjects
    if limit - kept < LEAST_WORKING:
        least = -(-(kept + LEAST_WORKING) // 10**8) / 10
        raise ParameterError(
            f"--memory-limit: {limit / 1e9:.1f} GB are too little for {subjects:,} subjects and {rows:,} rows; give at "
            f"least {least:.1f}GB, or audit a random sample of the people"
        )
    working = limit - kept
    piece = min(max(working // (2 * PER_ENTRY), LEAST_ROWS), MOST_ROWS)
    return HistoryMemory(min(max(working // PER_READ_ROW, LEAST_ROWS), MOST_ROWS // 10), int(piece))


class PartitionedHistories:
    """The item sets of two histories in pieces on disk; memory is bounded by the plan."""

    def __init__(
        self,
        original: RawHistory,
        released: RawHistory,
        memory: HistoryMemory,
        scratch: str | Path | None = None,
    ) -> None:
        """Number subjects and items and write the item sets.

        Args:
            original: The original history.
            released: The released history.
            memory: Rows that are taken at a time.
            scratch: New or empty folder for the pieces, kept afterwards. Default: a temporary folder.
        """
        self._sources: Mapping[Side, RawHistory] = {"original": original, "released": released}
        self._memory, self._is_temporary = memory, scratch is None
        self._codes, self.goods = _item_codes(original.items, released.items)
        self.folder = Path(tempfile.mkdtemp(prefix="icefire-")) if scratch is None else _empty_folder(Path(scratch))
        try:
            check_room(self.folder, 8 * (original.height + released.height))
            with told_where_full(self.folder):
                for side in SIDES:
                    self._write(side)
        except BaseException:
            self.close()
            raise

    @property
    def choices(self) -> int:
        """Number of original subjects."""
        return len(self._sources["original"].names)

    @property
    def targets(self) -> int:
        """Number of released subjects."""
        return len(self._sources["released"].names)

    def pieces(self, side: Side) -> Iterator[BasketPiece]:
        """Give the item sets of all subjects of one history, piece by piece."""
        edges = self._edges(side)
        for number, (first, last) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
            keys = pl.read_parquet(self.folder / side / f"*-{number}.parquet") if last > first else None
            if keys is None:
                continue
            subjects, items = (keys[name].to_numpy().astype(np.int64) for name in ("subject", "item"))
            yield BasketPiece(first, make_baskets(subjects - first, items, last - first, self.goods))

    def piece_count(self, side: Side) -> int:
        """Return how many pieces one history has."""
        return len(self._edges(side)) - 1

    def mean_basket(self, side: Side) -> float:
        """Return how many different items a subject has on average."""
        total = sum(len(piece.baskets.items) for piece in self.pieces(side))
        return total / max(len(self._sources[side].names), 1)

    def dummy_rows(self, clusters: Int) -> int:
        """Return how many rows `dummies` adds to the original where the clusters are given.

        Args:
            clusters: Cluster of each original subject, from 0; negative: in no cluster, who gets no rows.

        Returns:
            The sum over all subjects of the goods that somebody in the cluster has and they have not.

        Raises:
            ParameterError: If there is not one cluster for each subject.
        """
        if len(clusters) != self.choices:
            raise ParameterError(
                f"there are {len(clusters):,} clusters for {self.choices:,} subjects; give one for each subject"
            )
        return missing_counts(self._clustered(clusters), clusters, self.goods)

    def _clustered(self, clusters: Int) -> Iterator[tuple[Int, Int]]:
        """Give cluster and item of every entry, piece by piece."""
        for piece in self.pieces("original"):
            owners = np.repeat(np.arange(piece.baskets.subjects), piece.baskets.sizes) + piece.first
            yield clusters[owners], piece.baskets.items.astype(np.int64)

    def close(self) -> None:
        """Delete the pieces unless they are in a folder of the user's."""
        if self._is_temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _edges(self, side: Side) -> Int:
        """Return where the pieces begin, and the number of subjects."""
        source = self._sources[side]
        pieces = max(1, -(-source.height // self._memory.piece_rows))
        count = len(source.names)
        return np.unique(np.arange(pieces + 1) * count // pieces)

    def _write(self, side: Side) -> None:
        """Write subject and item of each row as numbers, once in each batch, a file for every piece."""
        source, edges = self._sources[side], self._edges(side)
        (self.folder / side).mkdir()
        numbers = pl.DataFrame({"subject name": source.names}).with_row_index("subject")
        codes = self._codes[side]
        empty = pl.DataFrame(schema={"subject": pl.Int32, "item": pl.Int32})
        for number in range(len(edges) - 1):
            empty.write_parquet(self.folder / side / f"none-{number}.parquet")
        for batch, frame in enumerate(source.batches(self._memory.batch_rows)):
            coded = frame.join(numbers, on="subject name", how="left").join(codes, on="item name", how="left")
            source.check_known(coded)
            rows = coded.select(pl.col("subject", "item").cast(pl.Int32)).unique()
            piece = np.searchsorted(edges, rows["subject"].to_numpy(), side="right") - 1
            for number in np.unique(piece).tolist():
                part = rows.filter(pl.Series(piece == number))
                part.write_parquet(self.folder / side / f"{batch}-{number}.parquet", compression="lz4")


def _item_codes(original: pl.Series, released: pl.Series) -> tuple[dict[Side, pl.DataFrame], int]:
    """Number the items of both histories; those written alike have one number."""
    alike = same_spelling(original, released)
    every = pl.concat([side.rename("spelled") for side in alike]).unique().sort().to_frame().with_row_index("item")
    codes: dict[Side, pl.DataFrame] = {}
    for side, names, spelled in zip(SIDES, (original, released), alike, strict=True):
        pairs = pl.DataFrame({"item name": names, "spelled": spelled})
        codes[side] = pairs.join(every, on="spelled", how="left").select("item name", "item")
    return codes, every.height


def _empty_folder(folder: Path) -> Path:
    """Make a folder for the pieces; refuse one that holds something."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise OutputError(f"cannot write {str(folder)!r} ({error.strerror}); choose another folder") from None
    if os.listdir(folder):
        raise ParameterError(f"--scratch: {str(folder)!r} is not empty; name a new or an empty folder")
    return folder
