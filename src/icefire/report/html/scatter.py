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
LINE, APART = 13, 0.3
"""Names need so much room: pixels upwards, or a share of the width."""
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
        for share, y in ((share, _height(share)) for share in (0.25, 0.5, 0.75, 1.0))
    )
    bound = Markup("")
    if limit is not None:
        y = _height(limit)
        bound = Markup('<line class="bound" x1="0" x2="100%" y1="{:.4g}" y2="{:.4g}"></line>').format(y, y)
    drawn = Markup("").join(map(_point, _without_overlaps(dots)))
    return Markup(
        '<svg class="bar scatter" role="img" height="{}" focusable="false"><title>{}</title><desc>{}</desc>{}</svg>'
    ).format(HEIGHT + 8, title, description, grid + bound + drawn)


def _label_place(line: float, limit: float | None) -> float:
    """Return where the label of a line is written: below it, or above it where the limit would cross the label."""
    below = limit is None or not 0 <= _height(limit) - line < LABEL
    return line + 14 if below or line < LABEL else line - 4


def _without_overlaps(dots: Sequence[Dot]) -> list[Dot]:
    """Leave names out that would be written over others; the first of them stays."""
    placed: list[Dot] = []
    for dot in dots:
        free = all(
            abs(_height(one.y) - _height(dot.y)) >= LINE or abs(one.x - dot.x) >= APART
            for one in placed
            if one.labelled
        )
        placed.append(replace(dot, labelled=dot.labelled and free))
    return placed


def _point(dot: Dot) -> Markup:
    x, y = START + (END - START) * min(max(dot.x, 0.0), 1.0), _height(dot.y)
    circle = Markup('<circle class="{}" cx="{:.4g}%" cy="{:.4g}" r="5"></circle>').format(dot.tone, x, y)
    if not dot.labelled:
        return circle
    left = x > 60
    name = dot.name if len(dot.name) <= LONGEST else f"{dot.name[: LONGEST - 1]}…"
    return circle + Markup('<text class="{}" x="{:.4g}%" y="{:.4g}" dx="{}">{}</text>').format(
        "last" if left else "first", x, min(max(y + 4, 12), HEIGHT), -9 if left else 9, name
    )


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
