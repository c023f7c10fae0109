"""The parts of each release's total."""

from __future__ import annotations

from icefire.arena.boards.rankings import IceBoard, IceRow
from icefire.arena.charts import bars, drawing, reading, scales
from icefire.arena.charts.bars import Bar, BarRow
from icefire.arena.charts.chart import Chart, missing
from icefire.arena.charts.words import ChartWords
from icefire.contests.common.game import SECURITY

MOST = 12


def places(board: IceBoard, say: ChartWords) -> Chart | None:
    """Draw the total of the first releases, part by part; left out where the security alone decides."""
    if not board.utilities:
        return None
    ranked = [row for row in board.rows if row.rank is not None and row.total is not None]
    rows = ranked[:MOST]
    title = say("places.title")
    if not rows:
        return missing("places", title, say(f"nothing.{'rank' if board.rows else 'release'}"))
    parts = [name for name in (*board.utilities, SECURITY) if name in rows[0].normalised]
    caption = say("places.told", first=reading.release(rows[0], say), total=_sum(rows[0]))
    caption += reading.part(len(rows), len(ranked), say)
    scale = scales.linear(row.total or 0.0 for row in rows)
    drawn = bars.draw(title, caption, [_row(row, parts, say) for row in rows], scale, say("places.across"))
    codes = ", ".join(reading.code(name) for name in parts if name != SECURITY)
    entries = [("square", "one", say("places.utility", names=codes)), ("square", "two", say("places.security"))]
    if any(row.by_aya for row in rows):
        entries.append(("square", "three", say("places.aya")))
    legend = drawing.legend(entries)
    return Chart("places", title, legend + drawn, caption)


def _row(row: IceRow, parts: list[str], say: ChartWords) -> BarRow:
    pieces, end = [], 0.0
    for name in parts:
        size = row.normalised.get(name, 0.0)
        tooltip = say("places.part", name=_name(row, name, say), value=f"{size:.2f}")
        if size > 0:
            pieces.append(Bar(_tone(row, name), end, end + size, tooltip))
        end += size
    return BarRow(reading.ranked(row, say), _sum(row), (tuple(pieces),))


def _tone(row: IceRow, part: str) -> str:
    if part != SECURITY:
        return "one"
    return "three" if row.by_aya else "two"


def _name(row: IceRow, part: str, say: ChartWords) -> str:
    if part != SECURITY:
        return reading.code(part)
    return say("places.aya" if row.by_aya else "places.security")


def _sum(row: IceRow) -> str:
    return f"{row.total or 0.0:.2f}"
