"""The charts of a round as inline SVG: those of the first contest's paper (figures 4 to 14), and each total's parts.

They show what the board shows and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

from icefire.arena.boards.rankings import FireBoard, IceBoard
from icefire.arena.charts import attackers, classes, methods, places, spread, tradeoff, words
from icefire.arena.charts.chart import Chart
from icefire.arena.charts.words import ChartWords

__all__ = ["Chart", "round_charts"]

OF_RELEASES: tuple[Callable[[IceBoard, ChartWords], Chart | None], ...] = (
    places.places,
    tradeoff.tradeoff,
    methods.methods,
    spread.spread,
    spread.together,
    classes.crowds,
    classes.classes,
)


def round_charts(ice: IceBoard, fire: FireBoard | None, language: str = "en") -> list[Chart]:
    """Draw every picture a round has; one that does not fit the contest is left out, one that is not to be seen yet
    says so."""
    say = words.chart_words(language)
    drawn = [draw(ice, say) for draw in OF_RELEASES]
    shown = [picture for picture in drawn if picture is not None]
    return [*shown[:3], attackers.attackers(fire, say), *shown[3:]]
