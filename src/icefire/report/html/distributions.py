"""Small pictures of distributions: the original as wide pale bars, the release as narrow bars before them."""

from __future__ import annotations

from markupsafe import Markup

from icefire.core.formatting import percent
from icefire.core.scorecard.distributions import ColumnDistribution
from icefire.words import said, t

HEIGHT = 72
LONGEST = 18
"""Letters of a label below a picture."""


def small_picture(column: ColumnDistribution) -> Markup:
    """Draw the distribution of one column before and after; the highest bar fills the height."""
    highest = max((max(one.original, one.released) for one in column.bins), default=0.0) or 1.0
    width = 100 / max(len(column.bins), 1)
    drawn = Markup("").join(
        _bar("calm", place * width + 0.04 * width, 0.92 * width, one.original / highest)
        + _bar("ice", place * width + 0.27 * width, 0.46 * width, one.released / highest)
        for place, one in enumerate(column.bins)
    )
    base = Markup('<line class="grid" x1="0" x2="100%" y1="{}" y2="{}"></line>').format(HEIGHT, HEIGHT)
    return Markup(
        '<svg class="bar" role="img" height="{}" focusable="false"><title>{}</title><desc>{}</desc>{}{}</svg>'
    ).format(HEIGHT + 1, t("pictures.distribution", column=column.column), in_words(column), drawn, base)


def in_words(column: ColumnDistribution) -> str:
    """List the shares of the bars before and after."""
    return "; ".join(f"{said(one.label)}: {percent(one.original)} → {percent(one.released)}" for one in column.bins)


def ends(column: ColumnDistribution) -> str:
    """Name the first and the last bar."""
    labels = [_short(said(one.label)) for one in column.bins]
    return labels[0] if len(labels) == 1 else f"{labels[0]} … {labels[-1]}"


def _bar(tone: str, x: float, width: float, share: float) -> Markup:
    if share <= 0:
        return Markup("")
    height = max(HEIGHT * share, 1.0)
    return Markup('<rect class="{}" x="{:.4g}%" y="{:.4g}" width="{:.4g}%" height="{:.4g}"></rect>').format(
        tone, x, HEIGHT - height, width, height
    )


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"
