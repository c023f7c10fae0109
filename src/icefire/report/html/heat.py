"""The change of the association of every two columns as a picture: a square for each pair."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from icefire.core.scorecard.distributions import Association
from icefire.words import t

SIDE = 20
NAMES = 32
"""Per cent of the width for the names."""
FULL = 0.3
"""A change of so much has the full colour."""
LONGEST = 16
LEAST = 0.005
"""Smaller changes are drawn as none."""


def association_picture(pairs: Sequence[Association]) -> Markup:
    """Draw a square for each pair: stronger in the release, weaker, or as before."""
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    change = {(pair.first, pair.second): pair.released - pair.original for pair in pairs}
    width = (100 - NAMES) / max(len(names) - 1, 1)
    rows = [_row(names, place, change, width) for place in range(len(names))]
    height = SIDE * (len(names) + 1)
    return Markup(
        '<svg class="bar heat" role="img" height="{}" focusable="false"><title>{}</title><desc>{}</desc>{}{}</svg>'
    ).format(height, t("pictures.associations"), in_words(pairs), Markup("").join(rows), _numbers(names, width))


def largest(pairs: Sequence[Association], most: int = 8) -> list[Association]:
    """Return the pairs whose association changed most, and visibly."""
    ranked = sorted(pairs, key=lambda pair: -abs(pair.released - pair.original))[:most]
    return [pair for pair in ranked if abs(pair.released - pair.original) >= LEAST]


def in_words(pairs: Sequence[Association]) -> str:
    """List the pairs that changed most."""
    listed = [f"{pair.first} – {pair.second}: {pair.original:.2f} → {pair.released:.2f}" for pair in largest(pairs)]
    return "; ".join(listed) or t("pictures.no_change")


def _row(names: list[str], place: int, change: dict[tuple[str, str], float], width: float) -> Markup:
    top = SIDE * place
    label = f"{place + 1} {names[place]}"
    text = Markup('<text class="last" x="{}%" y="{}">{}</text>').format(
        NAMES - 1, top + 14, label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"
    )
    cells = [
        _cell(NAMES + width * other, top, width, change.get((names[other], names[place]), 0.0))
        for other in range(place)
    ]
    return text + Markup("").join(cells)


def _cell(x: float, top: int, width: float, change: float) -> Markup:
    tone = "rest" if abs(change) < LEAST else "fire" if change > 0 else "ice"
    opacity = 1.0 if tone == "rest" else max(0.15, min(1.0, abs(change) / FULL))
    return Markup(
        '<rect class="{}" x="{:.4g}%" y="{}" width="{:.4g}%" height="{}" fill-opacity="{:.2g}"></rect>'
    ).format(tone, x + 0.02 * width, top + 1, 0.96 * width, SIDE - 2, opacity)


def _numbers(names: list[str], width: float) -> Markup:
    """Number the columns below the squares, as the names beside them are numbered."""
    y = SIDE * len(names) + 14
    return Markup("").join(
        Markup('<text class="middle" x="{:.4g}%" y="{}">{}</text>').format(NAMES + width * (place + 0.5), y, place + 1)
        for place in range(len(names) - 1)
    )
