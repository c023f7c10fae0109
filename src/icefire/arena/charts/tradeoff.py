"""Information lost against people identified (figure 10 of the paper)."""

from __future__ import annotations

from markupsafe import Markup

from icefire.arena.boards.rankings import IceBoard, IceRow
from icefire.arena.charts import drawing, reading, scales, scatter
from icefire.arena.charts.chart import Chart, missing
from icefire.arena.charts.scales import AxisScale
from icefire.arena.charts.scatter import Axis, Spot
from icefire.arena.charts.words import ChartWords
from icefire.core import formatting

USUAL = "U5"
"""The measure that speaks for all in the paper, since it looks at every value."""


def tradeoff(board: IceBoard, say: ChartWords, measure: str | None = None) -> Chart | None:
    """Draw every release with its rank, and the original for comparison; left out where nothing useful is measured."""
    chosen = measure or _usual(board)
    if chosen is None:
        return None
    title = say("tradeoff.title")
    known = [(row, lost, row.security) for row, lost in reading.having(board, chosen) if row.security is not None]
    if not known:
        hidden = "security" if reading.having(board, chosen) else "measure" if board.rows else "release"
        return missing("tradeoff", title, say(f"nothing.{hidden}"))
    first = [_spot(row, lost, rate, chosen, say) for row, lost, rate in known if reading.in_front(row)]
    rest = [_spot(row, lost, rate, chosen, say) for row, lost, rate in known if not reading.in_front(row)]
    original = _original(board, chosen, say)
    spots = [*first, *original, *rest]
    scale = scales.fitting(spot.x for spot in spots)
    x = Axis(scale, say(f"tradeoff.across_{scale.steps}", name=reading.code(chosen)))
    caption = f"{_told(board, chosen, say)} {_told_of_scale(scale, chosen, say)}"
    caption += reading.told_of_aya([row for row, _, _ in known], say)
    drawn = scatter.draw(title, caption, spots, x, Axis(scales.PERCENT, say("identified")))
    return Chart("tradeoff", title, _legend(known, bool(original), say) + drawn, caption)


def _usual(board: IceBoard) -> str | None:
    named = reading.named(board, USUAL)
    return named if named in board.utilities else board.utilities[-1] if board.utilities else None


def _spot(row: IceRow, lost: float, rate: float, measure: str, say: ChartWords) -> Spot:
    tooltip = say(
        "tradeoff.spot_aya" if row.by_aya else "tradeoff.spot",
        release=reading.ranked(row, say),
        name=reading.code(measure),
        value=formatting.number(lost, 3),
        rate=reading.percent(rate),
        identified=reading.percent(row.identified or 0.0),
    )
    shape, tone = reading.mark_of(row)
    if reading.in_front(row):
        return Spot(lost, rate, tooltip, shape, tone, 7, reading.texts(row), led=True)
    return Spot(lost, rate, tooltip, shape, tone, 5, (reading.rank(row),) if row.rank is not None else ())


def _original(board: IceBoard, measure: str, say: ChartWords) -> list[Spot]:
    row = board.reference
    lost = reading.value(row, measure) if row else None
    if row is None or lost is None or row.security is None:
        return []
    tooltip = say(
        "tradeoff.spot",
        release=say("tradeoff.original"),
        name=reading.code(measure),
        value=formatting.number(lost, 3),
        rate=reading.percent(row.security),
    )
    return [Spot(lost, row.security, tooltip, "diamond", "ink", 5, (row.release.label,), led=True)]


def _told(board: IceBoard, measure: str, say: ChartWords) -> str:
    first = reading.first(board)
    lost = reading.value(first, measure) if first else None
    if first is None or lost is None or first.security is None:
        return say("tradeoff.unranked")
    return say(
        "tradeoff.told",
        first=reading.release(first, say),
        name=reading.code(measure),
        value=formatting.number(lost, 3),
        rate=reading.percent(first.security),
    )


def _told_of_scale(scale: AxisScale, measure: str, say: ChartWords) -> str:
    """Say how the horizontal axis is divided."""
    bend = "" if scale.bend is None else formatting.number(scale.bend, 2)
    return say(f"tradeoff.scale_{scale.steps}", name=reading.code(measure), bend=bend)


def _legend(known: list[tuple[IceRow, float, float]], original: bool, say: ChartWords) -> Markup:
    ranks = [row.rank for row, _, _ in known]
    entries = [
        ("circle", "two", say("tradeoff.top"), any(reading.in_front(row) for row, _, _ in known)),
        ("circle", "one", say("tradeoff.other"), any(rank is not None and rank > 5 for rank in ranks)),
        ("cross", "faint", say("tradeoff.out"), any(row.rank is None and not row.by_aya for row, _, _ in known)),
        ("triangle", "three", say("by_aya"), any(row.by_aya for row, _, _ in known)),
        ("diamond", "ink", say("tradeoff.original"), original),
    ]
    return drawing.legend([(shape, tone, words) for shape, tone, words, there in entries if there])
