"""Names beside points, placed so that they cover neither each other nor a point, however wide the chart is shown.

Horizontal places are shares of a width that is not known in advance, while letters keep their size. So a place is taken
only if it is free at every one of a few widths, from a phone to a desktop.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

WIDTHS = (270.0, 330.0, 480.0, 700.0, 900.0)
"""Of the area between the axes, in pixels."""
LETTER, WIDE_LETTER, LINE = 8.0, 13.0, 15.0
NEAR, FAR = 10.0, 26.0
AWAY = (-12, 20, -30, 38, -48, 56)
MOST = 150.0
"""Longer names are cut, in pixels."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point that may get a name: its place across as a share, down in pixels, and its radius."""

    across: float
    down: float
    radius: float
    texts: tuple[str, ...] = ()
    """What to write, the best first; shorter ones are tried where it does not fit."""
    led: bool = False
    """Whether a text farther off, with a line leading to it, is better than none."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text beside its point: the offset of its anchor in pixels, and which end of it is there."""

    text: str
    dx: float
    dy: float
    anchor: str
    led: bool
    """Whether a line should lead to it from the point."""


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    right: float
    top: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def shorten(text: str, most: float = MOST) -> str:
    """Cut a name that is wider than this."""
    if width(text) <= most:
        return text
    while text and width(text) + LETTER > most:
        text = text[:-1]
    return f"{text.rstrip()}…"


def width(text: str) -> float:
    """Estimate how wide a text is drawn."""
    return sum(WIDE_LETTER if unicodedata.east_asian_width(letter) in "WF" else LETTER for letter in text)


def place(points: Sequence[Point], height: float, widths: Sequence[float] = WIDTHS) -> list[Label | None]:
    """Return a label for each point, or None where nothing it could say has a free place."""
    taken = {across: [_dot(point, across) for point in points] for across in widths}
    labels: list[Label | None] = []
    for point in points:
        label = next((one for one in _tries(point) if _free(one, point, taken, height)), None)
        if label is not None:
            for across, boxes in taken.items():
                boxes.append(_box(label, point, across))
        labels.append(label)
    return labels


def _tries(point: Point) -> list[Label]:
    near, far = point.radius + NEAR - 4, point.radius + FAR
    places = []
    for text in point.texts:
        places += [
            Label(text, near, 4, "first", False),
            Label(text, -near, 4, "last", False),
            Label(text, 0, -near - 1, "middle", False),
            Label(text, 0, near + 10, "middle", False),
        ]
        if point.led:
            places += [Label(text, far, dy, "first", True) for dy in AWAY]
            places += [Label(text, -far, dy, "last", True) for dy in AWAY]
    return places


def _free(label: Label, point: Point, taken: dict[float, list[_Box]], height: float) -> bool:
    for across, boxes in taken.items():
        box = _box(label, point, across)
        if box.left < -8 or box.right > across + 8 or box.top < 0 or box.bottom > height:
            return False
        if any(box.meets(other) for other in boxes):
            return False
    return True


def _box(label: Label, point: Point, across: float) -> _Box:
    wide = width(label.text)
    start = point.across * across + label.dx - {"first": 0.0, "middle": wide / 2, "last": wide}[label.anchor]
    base = point.down + label.dy
    return _Box(start, start + wide, base - LINE + 3, base + 3)


def _dot(point: Point, across: float) -> _Box:
    x = point.across * across
    return _Box(x - point.radius, x + point.radius, point.down - point.radius, point.down + point.radius)
