"""Inline SVG elements. Horizontal places are percentages, so a chart fits any width while its text keeps its size.

Colours and sizes are CSS classes (web/static/pictures.css): no style attribute, no script. The plot is the whole
`<svg>`; numbers and names of the axes are written outside it, in the margin its class keeps free.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from icefire.arena.charts.labels import LETTER, WIDTHS, width
from icefire.arena.charts.scales import AxisScale

EMPTY = Markup("")


def joined(parts: Iterable[Markup]) -> Markup:
    """Put pieces one after the other."""
    return EMPTY.join(parts)


def picture(kind: str, height: float, title: str, caption: str, drawn: Markup) -> Markup:
    """Return a whole drawing with its name and description for those who cannot see it."""
    return Markup(
        '<svg class="picture {}" role="img" height="{}" focusable="false"><title>{}</title><desc>{}</desc>{}</svg>'
    ).format(kind, px(height), title, caption, drawn)


def text(words: str, across: float, down: float, tone: str, dx: float = 0, dy: float = 0) -> Markup:
    """Write words at a place."""
    return Markup('<text class="{}" x="{}%" y="{}" dx="{}" dy="{}">{}</text>').format(
        tone, share(across), px(down), px(dx), px(dy), words
    )


def bar(tone: str, start: float, stop: float, top: float, height: float) -> Markup:
    """Draw a bar from one share of the width to another."""
    return Markup('<rect class="{}" x="{}%" y="{}" width="{}%" height="{}"></rect>').format(
        tone, share(start), px(top), share(max(0.0, stop - start)), px(height)
    )


def upright(tone: str, across: float, top: float, bottom: float) -> Markup:
    """Draw a vertical line."""
    return Markup('<line class="{}" x1="{}%" x2="{}%" y1="{}" y2="{}"></line>').format(
        tone, share(across), share(across), px(top), px(bottom)
    )


def level(tone: str, down: float) -> Markup:
    """Draw a horizontal line over the whole width."""
    return Markup('<line class="{}" x1="0" x2="100%" y1="{}" y2="{}"></line>').format(tone, px(down), px(down))


def mark(shape: str, tone: str, across: float, down: float, radius: float, tooltip: str) -> Markup:
    """Draw a point: a circle, square, diamond, triangle or cross; the words appear when it is pointed at."""
    drawn = Markup('<path class="mark {}" d="{}"><title>{}</title></path>').format(tone, _path(shape, radius), tooltip)
    return at(across, down, drawn)


def at(across: float, down: float, drawn: Markup) -> Markup:
    """Draw something in pixels around a place."""
    return Markup('<svg class="at" x="{}%" y="{}">{}</svg>').format(share(across), px(down), drawn)


def line(tone: str, places: Sequence[tuple[float, float]], height: float) -> Markup:
    """Draw a line through places (shares both ways, upwards); it stretches with the page, its width does not."""
    points = " ".join(f"{share(x)},{share(1 - y)}" for x, y in places)
    return Markup(
        '<svg width="100%" height="{}" viewBox="0 0 100 100" preserveAspectRatio="none">'
        '<polyline class="line {}" points="{}" vector-effect="non-scaling-stroke"></polyline></svg>'
    ).format(px(height), tone, points)


def across_axis(scale: AxisScale, name: str, height: float) -> Markup:
    """Draw the ticks of the horizontal axis below the plot, and its name below them."""
    lines = (upright("grid", scale.at(tick), 0, height) for tick in scale.ticks)
    ticks = (
        text(scale.write(tick), scale.at(tick), height, f"tick {_anchor(scale, tick)}", dy=16)
        for tick in _with_room(scale)
    )
    return joined(lines) + joined(ticks) + text(name, 0.5, height, "axis-name middle", dy=36)


def _anchor(scale: AxisScale, tick: float) -> str:
    return {scale.ticks[0]: "first", scale.ticks[-1]: "last"}.get(tick, "middle")


def _with_room(scale: AxisScale) -> tuple[float, ...]:
    """The ticks that are written: every one, or every other one where two would meet on a phone."""
    edges = [_edges(scale, tick) for tick in scale.ticks]
    meet = any(right + LETTER / 2 > left for (_, right), (left, _) in itertools.pairwise(edges))
    return scale.ticks[::2] if meet else scale.ticks


def _edges(scale: AxisScale, tick: float) -> tuple[float, float]:
    """Where the number of a tick begins and ends on a phone."""
    wide, place = width(scale.write(tick)), WIDTHS[0] * scale.at(tick)
    left = place - {"first": 0.0, "middle": wide / 2, "last": wide}[_anchor(scale, tick)]
    return left, left + wide


def up_axis(scale: AxisScale, name: str, height: float) -> Markup:
    """Draw the ticks of the vertical axis left of the plot, and its name above it, where it can be read."""
    ticks = (
        level("grid", height * (1 - scale.at(tick)))
        + text(scale.write(tick), 0, height * (1 - scale.at(tick)), "tick last", dx=-8, dy=4)
        for tick in scale.ticks
    )
    return joined(ticks) + text(name, 0, 0, "axis-name up", dy=-12)


def legend(entries: Sequence[tuple[str, str, str]]) -> Markup:
    """Explain shapes and tones: (shape, tone, words)."""
    items = (
        Markup(
            '<li><svg class="swatch" width="16" height="16" aria-hidden="true" focusable="false">'
            '<svg class="at" x="8" y="8"><path class="mark {}" d="{}"></path></svg></svg>{}</li>'
        ).format(tone, _path(shape, 5.5), words)
        for shape, tone, words in entries
    )
    return Markup('<ul class="picture-legend">{}</ul>').format(joined(items))


def nothing(words: str) -> Markup:
    """Say why there is no picture."""
    return Markup('<p class="picture-nothing">{}</p>').format(words)


def share(value: float) -> str:
    """Write a share as the number of a percentage."""
    return f"{100 * value:.2f}".rstrip("0").rstrip(".")


def px(value: float) -> str:
    """Write pixels."""
    return f"{value:.1f}".removesuffix(".0")


def _path(shape: str, radius: float) -> str:
    r = radius
    if shape == "square":
        r *= 0.9
        return f"M{-r:g},{-r:g}h{2 * r:g}v{2 * r:g}h{-2 * r:g}z"
    if shape == "diamond":
        r *= 1.25
        return f"M0,{-r:g}L{r:g},0L0,{r:g}L{-r:g},0z"
    if shape == "cross":
        return f"M{-r:g},{-r:g}L{r:g},{r:g}M{-r:g},{r:g}L{r:g},{-r:g}"
    if shape == "triangle":
        r *= 1.2
        return f"M0,{-r:g}L{r:g},{0.8 * r:g}L{-r:g},{0.8 * r:g}z"
    return f"M{-r:g},0a{r:g},{r:g} 0 1 0 {2 * r:g},0a{r:g},{r:g} 0 1 0 {-2 * r:g},0z"
