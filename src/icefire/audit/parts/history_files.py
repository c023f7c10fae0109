"""Open a history that is to be anonymised in partitions, and plan its memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from icefire.audit.parts.histories import described_history, raw_original
from icefire.core.errors import InputError
from icefire.core.history import History
from icefire.engines.basket_files import HistoryMemory
from icefire.engines.histories import plan_history_memory
from icefire.engines.raw_histories import RawHistory
from icefire.io.histories import NAMES, read
from icefire.io.scanned_files import scanned_files

LOOKED_AT = 100_000
"""First rows, on which columns are recognised and the recipe is checked before any work."""
CELL_BYTES = 120
"""Memory for each cell of a partition while rows are added to it."""


@dataclass(frozen=True, slots=True)
class OpenedHistory:
    """A history on disk, and its first rows as one process would read them."""

    raw: RawHistory
    head: History

    @property
    def cells(self) -> int:
        """Cells of a row, the numbers that are added included."""
        return len(self.head.frame.columns) + 1


def open_history(source: Any, options: Mapping[str, Any]) -> OpenedHistory:
    """Open the files, and read some rows as one process would.

    Args:
        source: Parquet or Arrow files.
        options: Keywords of `read`.

    Raises:
        InputError: If it is no such history, rows cannot be used, or one process would rewrite columns on reading.
    """
    scanned, described = scanned_files(source), described_history(source, options)
    if scanned is None or described is None:
        raise InputError(
            "the engine partitioned anonymises histories in Parquet and Arrow files, or folders of them; store the "
            "history so, or use the engine local"
        )
    head = read(scanned.frame.head(LOOKED_AT).collect(), described.meanings, **described.files)
    raw = raw_original(source, described)
    raw = replace(raw, fields=replace(raw.fields, date=head.fields.date, time=head.fields.time))
    _check_stored(raw, head)
    raw.check()
    return OpenedHistory(raw, head)


def _check_stored(raw: RawHistory, head: History) -> None:
    """Refuse columns that one process would rewrite on reading."""
    for meaning, name in raw.fields.present.items():
        stored = raw.source.collect_schema()[name]
        is_rewritten = stored != head.frame[name].dtype or (meaning == "date" and head.date_order is not None)
        if meaning not in NAMES and is_rewritten:
            raise InputError(
                f"{meaning} column {name!r} of {raw.name!r} is stored as {stored} and rewritten on reading, which only "
                "the engine local does; store numbers as numbers and dates year first"
            )


def plan_partitions(opened: OpenedHistory, limit: int) -> tuple[HistoryMemory, int]:
    """Return how many rows are read at a time, and how many a partition should have when rows were added.

    Args:
        opened: The history.
        limit: Bytes that the process may use.

    Raises:
        ParameterError: If the limit is too small.
    """
    raw = opened.raw
    memory = plan_history_memory(limit, len(raw.names), raw.height)
    room = memory.working // (CELL_BYTES * opened.cells)
    return HistoryMemory(min(memory.batch_rows, max(room, 1)), memory.piece_rows, memory.working), max(room, 1)
