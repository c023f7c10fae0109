"""One picture, ready for a page."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from icefire.arena.charts import drawing


@dataclass(frozen=True, slots=True)
class Picture:
    """What a page shows: an anchor, a heading, the drawing with its legend, and a sentence or two about it."""

    name: str
    title: str
    svg: Markup
    told: str = ""


def missing(name: str, title: str, why: str) -> Picture:
    """Return a picture that says why there is nothing to see."""
    return Picture(name, title, drawing.nothing(why))
