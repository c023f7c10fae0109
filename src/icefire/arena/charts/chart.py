"""One chart with its title and text, ready for a page."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from icefire.arena.charts import drawing


@dataclass(frozen=True, slots=True)
class Chart:
    """What a page shows: an anchor, a heading, the drawing with its legend, and a sentence or two about it."""

    name: str
    title: str
    svg: Markup
    caption: str = ""


def missing(name: str, title: str, why: str) -> Chart:
    """Return a chart that says why there is nothing to see."""
    return Chart(name, title, drawing.nothing(why))
