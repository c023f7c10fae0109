"""The result of a study: parts to write and to show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Part:
    """One table of a study, with the picture and the terminal view that belong to it."""

    name: str
    """Stem of its files."""
    description: str
    """What the table holds, for the list of files."""
    table: pl.DataFrame
    conclusion: str = ""
    """What follows from it, in a sentence or two with the numbers."""
    view: Callable[[], Table] | None = None
    """How the terminal shows it; parts without a view are only written."""
    figure: Callable[[], Figure] | None = None
    as_json: bool = False
    """Is written as JSON too."""
    timed: bool = False
    """Holds times, and so differs from run to run."""


@dataclass(frozen=True, slots=True)
class StudyResult:
    """A finished study: its parts, and the files they were written to."""

    name: str
    folder: Path
    parts: Sequence[Part]
    files: Sequence[str]

    def show(self, console: Console) -> None:
        """Print the tables, what they say, and where the files are."""
        for part in self.parts:
            if part.view is not None:
                console.print(part.view())
            if part.conclusion:
                console.print(part.conclusion, markup=False)
            if part.view is not None or part.conclusion:
                console.print()
        console.print(f"written to {self.folder}:", markup=False)
        for file in self.files:
            console.print(f"  {file}", markup=False)


def text_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> Table:
    """Lay out a plain table; the first `left` columns are words, the others numbers.

    In a narrow terminal words are broken first, so that numbers stay whole.
    """
    table = Table(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 1, 0, 0))
    for place, name in enumerate(columns):
        words = place < left
        table.add_column(name, justify="left" if words else "right", no_wrap=not words, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
