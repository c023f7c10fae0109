"""The engine `partitioned` for histories: item sets of consecutive subjects, in pieces on disk."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from icefire.core.codes import same_spelling
from icefire.core.errors import OutputError, ParameterError
from icefire.core.history.parts import BasketPiece
from icefire.core.parts import Side
from icefire.engines.basket_files import BasketFiles, HistoryMemory
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
    return HistoryMemory(min(max(working // PER_READ_ROW, LEAST_ROWS), MOST_ROWS // 10), int(piece), working)


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
        self._is_temporary = scratch is None
        codes, self.goods = _item_codes(original.items, released.items)
        self.folder = Path(tempfile.mkdtemp(prefix="icefire-")) if scratch is None else _empty_folder(Path(scratch))
        try:
            check_room(self.folder, 8 * (original.height + released.height))
            with told_where_full(self.folder):
                self._files = {
                    side: BasketFiles(self.folder / side, source, codes[side], self.goods, memory)
                    for side, source in zip(SIDES, (original, released), strict=True)
                }
        except BaseException:
            self.close()
            raise

    @property
    def choices(self) -> int:
        """Number of original subjects."""
        return self._files["original"].subjects

    @property
    def targets(self) -> int:
        """Number of released subjects."""
        return self._files["released"].subjects

    def pieces(self, side: Side) -> Iterator[BasketPiece]:
        """Give the item sets of all subjects of one history, piece by piece."""
        return self._files[side].pieces()

    def piece_count(self, side: Side) -> int:
        """Return how many pieces one history has."""
        return self._files[side].piece_count

    def mean_basket(self, side: Side) -> float:
        """Return how many different items a subject has on average."""
        return self._files[side].entries / max(self._files[side].subjects, 1)

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
        baskets = self._files["original"].baskets
        count = int(clusters.max(initial=-1)) + 1
        return int(missing_counts(baskets.start, baskets.items, self.goods, clusters, count).sum())

    def close(self) -> None:
        """Delete the pieces unless they are in a folder of the user's."""
        if self._is_temporary:
            shutil.rmtree(self.folder, ignore_errors=True)


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
