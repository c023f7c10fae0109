"""Rows of bars, each with its name on the line above it, so that long names fit a narrow screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from icefire.arena.charts import drawing
from icefire.arena.charts.labels import shorten
from icefire.arena.charts.scales import AxisScale

WORDS, GAP = 19.0, 12.0
MOST_NAME = 250.0


@dataclass(frozen=True, slots=True)
class Bar:
    """From one value to another, in a tone, and what is told when it is pointed at."""

    tone: str
    start: float
    stop: float
    tooltip: str


@dataclass(frozen=True, slots=True)
class BarRow:
    """A name, what stands at the other end of its line, and bars below each other."""

    name: str
    value: str
    lanes: tuple[tuple[Bar, ...], ...]
    """Each lane is one line of bars, end to end."""


def draw(title: str, caption: str, rows: Sequence[BarRow], scale: AxisScale, name: str, thick: float = 14.0) -> Markup:
    """Draw rows over one axis."""
    pieces, down = [], 0.0
    for row in rows:
        pieces.append(_row(row, scale, down, thick))
        down += WORDS + thick * len(row.lanes) + GAP
    axis = drawing.across_axis(scale, name, down)
    return drawing.picture("bars", down, title, caption, axis + drawing.joined(pieces))


def _row(row: BarRow, scale: AxisScale, down: float, thick: float) -> Markup:
    words = drawing.text(shorten(row.name, MOST_NAME), 0, down, "row-name", dy=13)
    value = drawing.text(row.value, 1, down, "row-value last", dy=13)
    bars = (
        _bar(bar, scale, down + WORDS + thick * lane, thick)
        for lane, several in enumerate(row.lanes)
        for bar in several
    )
    return words + value + drawing.joined(bars)


def _bar(bar: Bar, scale: AxisScale, top: float, thick: float) -> Markup:
    drawn = drawing.bar(f"{bar.tone} piece", scale.at(bar.start), scale.at(bar.stop), top, thick - 1.5)
    return Markup("<g><title>{}</title>{}</g>").format(bar.tooltip, drawn)
