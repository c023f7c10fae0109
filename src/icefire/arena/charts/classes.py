"""Identified people against the mean and the smallest k of each release (figures 12 and 13 of the paper)."""

from __future__ import annotations

from collections import defaultdict

from icefire.arena.boards.rankings import IceBoard, IceRow
from icefire.arena.charts import bars, reading, scales, scatter
from icefire.arena.charts.bars import Bar, BarRow
from icefire.arena.charts.chart import Chart, missing
from icefire.arena.charts.scatter import Axis, Spot
from icefire.arena.charts.words import ChartWords
from icefire.core import formatting

MEAN, LEAST = "S2", "S1"


def crowds(board: IceBoard, say: ChartWords) -> Chart | None:
    """Draw every release by the mean size of its classes; left out where the contest does not measure it."""
    measure, title = reading.named(board, MEAN), say("crowds.title")
    if measure is None:
        return None
    known = _known(board, measure)
    if not known:
        return missing("crowds", title, say(_why(board)))
    spots = [_spot(row, size, rate, say) for row, size, rate in known]
    x = Axis(scales.growing((size for _, size, _ in known), low=1.0), say("crowds.across"))
    caption = say("crowds.told") + reading.told_of_aya([row for row, _, _ in known], say)
    return Chart(
        "crowds", title, scatter.draw(title, caption, spots, x, Axis(scales.PERCENT, say("identified"))), caption
    )


def _spot(row: IceRow, size: float, rate: float, say: ChartWords) -> Spot:
    tooltip = say(
        "crowds.spot_aya" if row.by_aya else "crowds.spot",
        release=reading.ranked(row, say),
        value=formatting.number(size),
        rate=reading.percent(rate),
        identified=reading.percent(row.identified or 0.0),
    )
    shape, tone = reading.mark_of(row)
    if reading.in_front(row):
        return Spot(max(1.0, size), rate, tooltip, shape, tone, 7, reading.texts(row), led=True)
    return Spot(max(1.0, size), rate, tooltip, shape, tone, 5, (reading.rank(row) or row.release.label,))


def classes(board: IceBoard, say: ChartWords) -> Chart | None:
    """Draw the mean share of people identified for every smallest k; left out where it is not measured."""
    measure, title = reading.named(board, LEAST), say("classes.title")
    if measure is None:
        return None
    rates: dict[float, list[float]] = defaultdict(list)
    for _, least, rate in _known(board, measure):
        rates[least].append(rate)
    if not rates:
        return missing("classes", title, say(_why(board)))
    caption = say("classes.told")
    rows = [_row(least, some, say) for least, some in sorted(rates.items())]
    return Chart("classes", title, bars.draw(title, caption, rows, scales.PERCENT, say("worst")), caption)


def _row(least: float, rates: list[float], say: ChartWords) -> BarRow:
    mean = sum(rates) / len(rates)
    name = say("classes.row", k=f"{least:g}")
    tooltip = say("classes.many", rate=reading.percent(mean), count=len(rates))
    return BarRow(name, tooltip, ((Bar("two", 0.0, mean, tooltip),),))


def _known(board: IceBoard, measure: str) -> list[tuple[IceRow, float, float]]:
    return [(row, value, row.security) for row, value in reading.having(board, measure) if row.security is not None]


def _why(board: IceBoard) -> str:
    return "nothing.security" if board.rows else "nothing.release"
