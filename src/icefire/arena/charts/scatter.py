"""Points between two axes, the important ones with their names beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from icefire.arena.charts import drawing, labels
from icefire.arena.charts.labels import Label, Point
from icefire.arena.charts.scales import AxisScale

HEIGHT = 320.0
MOST_NAMED = 40
"""More names than this are a thicket."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One point: its values, what it looks like, what is told when it is pointed at, and what may stand beside it."""

    x: float
    y: float
    tooltip: str
    shape: str = "circle"
    tone: str = "calm"
    radius: float = 5.0
    texts: tuple[str, ...] = ()
    led: bool = False
    """Whether the text may stand farther off, with a line leading to it."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale and its name."""

    scale: AxisScale
    name: str


@dataclass(frozen=True, slots=True)
class AverageLine:
    """A dashed line at one height over the whole width, and what is told when it is pointed at."""

    y: float
    tooltip: str


def draw(
    title: str, caption: str, spots: Sequence[Spot], x: Axis, y: Axis, lines: Sequence[AverageLine] = ()
) -> Markup:
    """Draw points, the first ones named first and drawn on top, and lines behind them."""
    points = [_point(spot, x, y, named=place < MOST_NAMED) for place, spot in enumerate(spots)]
    named = labels.place(points, HEIGHT)
    pieces = [
        drawing.up_axis(y.scale, y.name, HEIGHT),
        drawing.across_axis(x.scale, x.name, HEIGHT),
        *(_level_line(line, y) for line in lines),
        *(_mark(spot, point) for spot, point in reversed(list(zip(spots, points, strict=True)))),
        *(_label(label, point) for label, point in zip(named, points, strict=True) if label),
    ]
    return drawing.picture("plot", HEIGHT, title, caption, drawing.joined(pieces))


def _point(spot: Spot, x: Axis, y: Axis, named: bool) -> Point:
    texts = tuple(dict.fromkeys(labels.shorten(text) for text in spot.texts)) if named else ()
    return Point(x.scale.at(spot.x), HEIGHT * (1 - y.scale.at(spot.y)), spot.radius, texts, spot.led)


def _level_line(line: AverageLine, y: Axis) -> Markup:
    drawn = drawing.level("average", HEIGHT * (1 - y.scale.at(line.y)))
    return Markup("<g><title>{}</title>{}</g>").format(line.tooltip, drawn)


def _mark(spot: Spot, point: Point) -> Markup:
    return drawing.mark(spot.shape, spot.tone, point.across, point.down, spot.radius, spot.tooltip)


def _label(label: Label, point: Point) -> Markup:
    written = Markup('<text class="label {}" x="{}" y="{}">{}</text>').format(
        label.anchor, drawing.px(label.dx), drawing.px(label.dy), label.text
    )
    if not label.led:
        return drawing.at(point.across, point.down, written)
    short = -4 if label.anchor == "last" else 4
    line = Markup('<line class="leader" x1="0" y1="0" x2="{}" y2="{}"></line>').format(
        drawing.px(label.dx - short), drawing.px(label.dy - 4)
    )
    return drawing.at(point.across, point.down, line + written)
