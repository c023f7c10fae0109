"""Terminal tables that fit the width: whole columns are left out when there is little room; only names wrap."""

from __future__ import annotations

from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from icefire.report.text.notes import safe
from icefire.words import said

GAP = 2
"""One character of padding and one that the box puts between columns."""
LEAST_NAME = 8
"""A long name is broken into lines of no fewer characters than this; a column is dropped for it before."""


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column of cells; the highest `rank` is dropped first, rank 0 never."""

    title: str
    cells: list[str]
    rank: int
    left: bool = False

    @property
    def width(self) -> int:
        """Characters the widest cell takes."""
        return max(cell_len(safe(text)) for text in (said(self.title), *self.cells))


def table(title: str, columns: list[TextColumn], width: int) -> Table:
    """Draw as many columns as fit; the first one, the name, gives way last."""
    kept = fitting(columns, width)
    drawn = Table(
        title=said(title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    for place, column in enumerate(kept):
        room = _room(kept, width) if place == 0 else column.width
        drawn.add_column(
            said(column.title),
            justify="left" if column.left else "right",
            no_wrap=place > 0,
            overflow="fold",
            width=min(column.width, max(room, 1)),
        )
    for cells in zip(*(column.cells for column in kept), strict=True):
        drawn.add_row(*(Text(safe(cell)) for cell in cells))
    return drawn


def fitting(columns: list[TextColumn], width: int) -> list[TextColumn]:
    """Leave out the least important columns until the rest fits."""
    kept = list(columns)
    while _room(kept, width) < min(LEAST_NAME, kept[0].width) and any(column.rank for column in kept):
        kept.remove(max(kept, key=lambda column: column.rank))
    while _room(kept, width) < kept[0].width and any(column.rank > 2 for column in kept):
        kept.remove(max(kept, key=lambda column: column.rank))
    return kept


def _room(kept: list[TextColumn], width: int) -> int:
    """Characters left for the first column."""
    return width - sum(column.width + GAP for column in kept[1:])
