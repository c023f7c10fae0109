"""Hierarchies level by level, and what a release made of each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import polars as pl
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from icefire.hierarchy import Hierarchy
from icefire.report.text.notes import safe

EXAMPLES = 12
"""Groups named per level."""

LevelLine = tuple[str, str, str, str]


def show_levels(hierarchies: Sequence[Hierarchy], console: Console) -> None:
    """Print the levels of all columns; names and groups wrap where the terminal is narrow."""
    lines: list[LevelLine] = []
    for hierarchy in hierarchies:
        for level, labels in enumerate(hierarchy.labels):
            shown = ["(missing)" if label is None else label for label in labels.head(EXAMPLES)]
            groups = ", ".join(shown) + (", …" if len(labels) > EXAMPLES else "")
            lines.append((hierarchy.name if level == 0 else "", str(level), f"{len(labels):,}", groups))
    _print(("column", "level", "groups", "what values become"), lines, 2, console)


def show_mappings(mappings: Mapping[str, pl.DataFrame], console: Console) -> None:
    """Print how many values each column had, has now, and in how many ways one value was released at most."""
    lines: list[LevelLine] = []
    for name, mapping in mappings.items():
        ways = mapping.group_by("value").len()["len"].to_numpy().max()
        lines.append((name, f"{mapping['value'].n_unique():,}", f"{mapping['released'].n_unique():,}", f"{ways:,}"))
    _print(("column", "values", "released", "ways at most"), lines, 3, console)


def _print(titles: LevelLine, lines: Sequence[LevelLine], numbers: int, console: Console) -> None:
    """Print a name, two or three numbers, and texts in the room left."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    widths = [max(cell_len(safe(line[place])) for line in [titles, *lines]) for place in range(4)]
    widths[0] = min(widths[0], max(8, console.width // 4))
    widths[3] = min(widths[3], max(8, console.width - sum(widths[:3]) - 2 * 3))
    for place, (title, width) in enumerate(zip(titles, widths, strict=True)):
        side: Literal["left", "right"] = "right" if 1 <= place <= numbers else "left"
        table.add_column(title, justify=side, no_wrap=side == "right", overflow="fold", width=width)
    for line in lines:
        table.add_row(*(Text(safe(cell)) for cell in line))
    console.print(table)
