"""Bars as inline SVG.

Horizontal positions are percentages, so that a bar fits any width and text is never scaled; colours are CSS classes, so
that bars follow light, dark and print.
"""

from __future__ import annotations

from markupsafe import Markup

from icefire.core import formatting
from icefire.core.scorecard import LearnedColumn
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.distances import ColumnDistance
from icefire.core.scorecard.membership import MembershipResult
from icefire.core.scorecard.scores import Membership
from icefire.risk import SpecialColumn
from icefire.words import said, t

TICKS = (0, 25, 50, 75, 100)


def attack_bar(name: str, attack: AttackResult) -> Markup:
    """Draw a rate from 0 to 100 % with its interval as a whisker and the random guess as a tick."""
    low, high = attack.ci
    parts = [
        *(_vertical("grid", tick / 100, 0, 30) for tick in TICKS),
        _bar("fire", 0, attack.rate, 8, 14),
        _whisker(low, high),
        _vertical("chance", attack.baseline, 2, 28),
    ]
    title = f"{name}: {formatting.percent(attack.rate)}"
    description = t(
        "pictures.rate", interval=formatting.interval(attack.ci), baseline=formatting.percent(attack.baseline)
    )
    return _svg(30, Markup("").join(parts), title, description)


def recognition_bar(name: str, result: MembershipResult) -> Markup:
    """Draw the members recognised at 1 % of the others from 0 to 100 %, with the interval and blind guessing."""
    share, (low, high) = result.tpr_at_fpr["0.01"], result.tpr_at_fpr_ci["0.01"]
    grid = (_vertical("grid", tick / 100, 0, 30) for tick in TICKS)
    parts = [*grid, _bar("fire", 0, share, 8, 14), _whisker(low, high), _vertical("chance", 0.01, 2, 28)]
    description = t("pictures.rate", interval=formatting.interval((low, high)), baseline=formatting.percent(0.01))
    return _svg(30, Markup("").join(parts), f"{name}: {formatting.percent(share)}", description)


def advantage_bar(name: str, score: Membership) -> Markup:
    """Draw an advantage from 0 to 100 points with its interval; worse than a coin is drawn as nothing."""
    low, high = score.advantage_ci
    grid = (_vertical("grid", tick / 100, 0, 30) for tick in TICKS)
    parts = [*grid, _bar("fire", 0, max(0.0, score.advantage), 8, 14), _whisker(max(0.0, low), max(0.0, high))]
    description = t("pictures.interval", interval=formatting.interval(score.advantage_ci))
    title = t("pictures.advantage", name=name, points=formatting.points(score.advantage))
    return _svg(30, Markup("").join(parts), title, description)


def axis() -> Markup:
    """Draw the labels of the percentage axis; hidden from screen readers, as the numbers stand beside the bars."""
    labels = Markup("").join(
        Markup('<text class="{}" x="{}%" y="13">{} %</text>').format(_anchor(tick), tick, tick) for tick in TICKS
    )
    return Markup('<svg class="axis" height="18" aria-hidden="true" focusable="false">{}</svg>').format(labels)


def share_bar(part: int, whole: int, label: str, tone: str = "ice") -> Markup:
    """Draw a count as its share of the whole."""
    share = part / whole if whole else 0.0
    drawn = _bar("rest", 0, 1, 3, 10) + _bar(tone, 0, share, 3, 10)
    return _svg(
        16, drawn, said(label), t("pictures.share_of_rows", part=part, whole=whole, share=formatting.percent(share))
    )


def bits_bar(column: LearnedColumn, most: float) -> Markup:
    """Draw what a column tells as a share of what the most telling one does."""
    share = max(0.0, column.bits) / most if most > 0 else 0.0
    drawn = _bar("rest", 0, 1, 3, 10) + _bar("fire", 0, share, 3, 10)
    return _svg(
        16, drawn, t("pictures.telling", column=column.column), t("pictures.bits", bits=formatting.bits(column.bits))
    )


def distance_bar(column: ColumnDistance) -> Markup:
    """Draw how far the distribution of a column moved, from 0 to 100 %."""
    drawn = _bar("rest", 0, 1, 3, 10) + _bar("ice", 0, column.distance, 3, 10)
    return _svg(16, drawn, t("pictures.distance", column=column.column), formatting.percent(column.distance))


def score_bar(column: SpecialColumn) -> Markup:
    """Draw the share of the score that a column has a part in."""
    drawn = _bar("rest", 0, 1, 3, 10) + _bar("fire", 0, column.share, 3, 10)
    share = formatting.percent(column.share)
    return _svg(16, drawn, t("pictures.score", column=column.column), t("pictures.share_of_score", share=share))


def _svg(height: int, drawn: Markup, title: str, description: str) -> Markup:
    return Markup(
        '<svg class="bar" role="img" height="{}" focusable="false"><title>{}</title><desc>{}</desc>{}</svg>'
    ).format(height, title, description, drawn)


def _bar(tone: str, start: float, stop: float, top: int, height: int) -> Markup:
    """Draw a bar; nothing where it has no length."""
    if _inside(stop) <= _inside(start):
        return Markup("")
    return Markup('<rect class="{}" x="{}%" y="{}" width="{}%" height="{}" rx="1.5"></rect>').format(
        tone, _place(start), top, _place(_inside(stop) - _inside(start)), height
    )


def _vertical(tone: str, at: float, top: int, bottom: int) -> Markup:
    x = _place(at)
    return Markup('<line class="{}" x1="{}%" x2="{}%" y1="{}" y2="{}"></line>').format(tone, x, x, top, bottom)


def _whisker(low: float, high: float) -> Markup:
    across = Markup('<line class="whisker" x1="{}%" x2="{}%" y1="15" y2="15"></line>').format(_place(low), _place(high))
    return across + _vertical("whisker", low, 11, 19) + _vertical("whisker", high, 11, 19)


def _inside(share: float) -> float:
    return min(1.0, max(0.0, share))


def _place(share: float) -> str:
    return f"{100 * _inside(share):.4g}"


def _anchor(tick: int) -> str:
    return "first" if tick == 0 else "last" if tick == 100 else "middle"
