"""The best sample attack, AYA and the best team on each release (figure 14 of the paper)."""

from __future__ import annotations

from icefire.arena.boards.rankings import IceBoard, IceRow
from icefire.arena.charts import bars, drawing, reading, scales
from icefire.arena.charts.bars import Bar, BarRow
from icefire.arena.charts.chart import Chart, missing
from icefire.arena.charts.words import ChartWords

MOST = 40
TONES = {"samples": "one", "aya": "three", "players": "two"}


def methods(board: IceBoard, say: ChartWords) -> Chart | None:
    """Draw the three shares of every release end to end."""
    title = say("methods.title")
    known = reading.secured(board)
    rows = [_row(row, say) for row, _ in known[:MOST]]
    if not rows:
        return missing("methods", title, say(f"nothing.{'security' if board.rows else 'release'}"))
    caption = say("methods.told") + reading.part(len(rows), len(known), say)
    shown = [name for name in TONES if any(getattr(row, name) is not None for row in board.rows)]
    legend = drawing.legend([("square", TONES[name], say(f"methods.{name}")) for name in shown])
    scale = scales.linear((bar.stop for row in rows for lane in row.lanes for bar in lane), "percent")
    drawn = bars.draw(title, caption, rows, scale, say("methods.across"))
    return Chart("methods", title, legend + drawn, caption)


def _row(row: IceRow, say: ChartWords) -> BarRow:
    """Lay the shares of a release end to end; one that is 0 or unknown takes no room."""
    rates: dict[str, float | None] = {"samples": row.samples, "aya": row.aya, "players": row.players}
    pieces, start = [], 0.0
    for name, rate in rates.items():
        if rate:
            tooltip = say("methods.value", name=say(f"methods.{name}"), rate=reading.percent(rate))
            pieces.append(Bar(TONES[name], start, start + rate, tooltip))
            start += rate
    return BarRow(reading.ranked(row, say), reading.percent(row.security or 0.0), (tuple(pieces),))
