"""Curves as inline SVG: the lines stretch with the page, their width and the text beside them do not."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

HEIGHT = 200
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)

Points = Sequence[tuple[float, float]]


def curves(
    title: str, description: str, lines: Sequence[tuple[str, Points]], dots: Sequence[tuple[str, float, float]]
) -> Markup:
    """Draw lines through points, and single dots, on a square from 0 to 1 both ways; the tone is a CSS class."""
    grid = Markup("").join(_level(tick) for tick in TICKS)
    drawn = Markup("").join(_line(tone, points) for tone, points in lines)
    marked = Markup("").join(_dot(tone, x, y) for tone, x, y in dots)
    stretched = Markup('<svg width="100%" height="{}" viewBox="0 0 100 100" preserveAspectRatio="none">{}</svg>')
    inside = grid + stretched.format(HEIGHT, drawn) + marked
    return Markup(
        '<svg class="bar curves" role="img" height="{}" focusable="false"><title>{}</title><desc>{}</desc>{}</svg>'
    ).format(HEIGHT, title, description, inside)


def labels(ticks: Sequence[tuple[float, str]]) -> Markup:
    """Write labels below a drawing at these places; hidden from screen readers, as the numbers stand in the table."""
    written = Markup("").join(
        Markup('<text class="{}" x="{:.4g}%" y="13">{}</text>').format(_anchor(place), 100 * place, text)
        for place, text in ticks
    )
    return Markup('<svg class="axis" height="18" aria-hidden="true" focusable="false">{}</svg>').format(written)


def _level(tick: float) -> Markup:
    y = HEIGHT * (1 - tick)
    line = Markup('<line class="grid" x1="0" x2="100%" y1="{:.4g}" y2="{:.4g}"></line>').format(y, y)
    return line + Markup('<text class="level" x="4" y="{:.4g}">{}</text>').format(
        y + (14 if tick == 1 else -4), f"{100 * tick:g} %"
    )


def _line(tone: str, points: Points) -> Markup:
    text = " ".join(f"{100 * x:.4g},{100 * (1 - y):.4g}" for x, y in points)
    return Markup('<polyline class="line {}" points="{}" vector-effect="non-scaling-stroke"></polyline>').format(
        tone, text
    )


def _dot(tone: str, x: float, y: float) -> Markup:
    return Markup('<circle class="{}" cx="{:.4g}%" cy="{:.4g}" r="5"></circle>').format(tone, 100 * x, HEIGHT * (1 - y))


def _anchor(place: float) -> str:
    return "first" if place == 0 else "last" if place == 1 else "middle"
