"""Points on two axes from 0 to 1: what columns or releases give away against what was lost in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from icefire.core.formatting import percent
from icefire.core.scorecard import Scorecard
from icefire.words import t

HEIGHT = 240
LONGEST = 20
LABEL = 20
"""Pixels that a label takes below its line."""
LINE = 13
"""Names need so many pixels upwards."""
LETTER, BESIDE = 0.018, 0.03
"""Width of a letter, and of the room between a point and its name, as shares of a phone's width."""
LEVELS = (0.25, 0.5, 0.75, 1.0)
START, END = 2, 90
"""Per cent of the width where points of 0 and of 1 stand; the levels are written to the right of them."""
NAMED = 6
"""So many columns are named in the picture: those that give most away, and as many that lost most."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A point with its name; without a label the name is only in the description."""

    name: str
    x: float
    y: float
    tone: str = "ice"
    labelled: bool = True


def trade_off(title: str, description: str, dots: Sequence[Dot], limit: float | None = None) -> Markup:
    """Draw points; a limit on the upward axis is a line across."""
    grid = Markup("").join(
        Markup('<line class="grid" x1="0" x2="100%" y1="{:.4g}" y2="{:.4g}"></line>').format(y, y)
        + Markup('<text class="last" x="100%" y="{:.4g}">{}</text>').format(_label_place(y, limit), percent(share))
        for share, y in ((share, _height(share)) for share in LEVELS)
    )
    bound = Markup("")
    if limit is not None:
        y = _height(limit)
        bound = Markup('<line class="bound" x1="0" x2="100%" y1="{:.4g}" y2="{:.4g}"></line>').format(y, y)
    drawn = Markup("").join(_point(dot, side) for dot, side in _named(dots, limit))
    return Markup(
        '<svg class="bar scatter" role="img" height="{}" focusable="false"><title>{}</title><desc>{}</desc>{}</svg>'
    ).format(HEIGHT + 8, title, description, grid + bound + drawn)


def _label_place(line: float, limit: float | None) -> float:
    """Return where the label of a line is written: below it, or above it where the limit would cross the label."""
    below = limit is None or not 0 <= _height(limit) - line < LABEL
    return line + 14 if below or line < LABEL else line - 4


def _named(dots: Sequence[Dot], limit: float | None) -> list[tuple[Dot, str]]:
    """Choose the side of each name, "left" or "right"; "" where it would be written over another on both sides."""
    taken = [(END / 100, 1.0, _label_place(_height(share), limit)) for share in LEVELS]
    named = []
    for dot in dots:
        sides = {side: box for side in _sides(dot) if dot.labelled and _is_free(box := _box(dot, side), taken)}
        side = next(iter(sides), "")
        taken += [sides[side]] if side else []
        named.append((dot, side))
    return named


def _sides(dot: Dot) -> tuple[str, str]:
    """Return the sides on which a name may stand, the one with more room first."""
    return ("left", "right") if _across(dot) > 60 else ("right", "left")


def _box(dot: Dot, side: str) -> tuple[float, float, float]:
    """Return where a name begins and ends, as shares of the width, and the height of its base line in pixels."""
    at, wide = _across(dot) / 100, BESIDE + LETTER * len(_short(dot.name))
    return (at, at + wide, _base(dot)) if side == "right" else (at - wide, at, _base(dot))


def _is_free(box: tuple[float, float, float], taken: Sequence[tuple[float, float, float]]) -> bool:
    low, high, base = box
    apart = (abs(other[2] - base) >= LINE or high <= other[0] or low >= other[1] for other in taken)
    return low >= 0 and high <= 1 and all(apart)


def _point(dot: Dot, side: str) -> Markup:
    circle = Markup('<circle class="{}" cx="{:.4g}%" cy="{:.4g}" r="5"></circle>').format(
        dot.tone, _across(dot), _height(dot.y)
    )
    if not side:
        return circle
    left = side == "left"
    return circle + Markup('<text class="{}" x="{:.4g}%" y="{:.4g}" dx="{}">{}</text>').format(
        "last" if left else "first", _across(dot), _base(dot), -9 if left else 9, _short(dot.name)
    )


def _across(dot: Dot) -> float:
    return START + (END - START) * min(max(dot.x, 0.0), 1.0)


def _base(dot: Dot) -> float:
    return min(max(_height(dot.y) + 4, 12), HEIGHT)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def ends(first: str, last: str) -> Markup:
    """Write below a picture what its left and its right end mean; hidden from screen readers, which have the words."""
    return Markup(
        '<svg class="axis" height="18" aria-hidden="true" focusable="false"><text class="first" x="0" y="13">{}</text>'
        '<text class="last" x="{}%" y="13">{}</text></svg>'
    ).format(first, END, last)


def _height(share: float) -> float:
    return HEIGHT * (1 - min(max(share, 0.0), 1.0))


def column_dots(card: Scorecard) -> list[Dot]:
    """Place the columns by what they give away and what was lost in them; none where either is not known."""
    loss = {column.column: column.loss for column in card.usefulness.columns} if card.usefulness else {}
    telling = [column for column in card.learned_columns if column.column in loss]
    most = max((column.bits for column in telling), default=0.0)
    if most <= 0 or len(telling) < 2:
        return []
    named = {column.column for column in sorted(telling, key=lambda column: -column.bits)[:NAMED]}
    named |= {column.column for column in sorted(telling, key=lambda column: -loss[column.column])[:NAMED]}
    return [
        Dot(column.column, loss[column.column], max(column.bits, 0.0) / most, labelled=column.column in named)
        for column in telling
    ]


def widest(dots: Sequence[Dot]) -> float:
    """Return the loss at the right end of the picture: a little more than the largest."""
    return min(1.0, 1.15 * max(dot.x for dot in dots)) or 1.0


def column_picture(dots: Sequence[Dot]) -> Markup:
    """Draw the columns."""
    words = "; ".join(f"{dot.name}: {percent(dot.y)}, {percent(dot.x)}" for dot in dots)
    return trade_off(t("pictures.columns"), words, [replace(dot, x=dot.x / widest(dots)) for dot in dots])
