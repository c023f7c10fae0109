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
    """Draw three bars for every release."""
    title = say("methods.title")
    known = reading.secured(board)
    rows = [_row(row, say) for row, _ in known[:MOST]]
    if not rows:
        return missing("methods", title, say(f"nothing.{'security' if board.rows else 'release'}"))
    caption = say("methods.told") + reading.part(len(rows), len(known), say)
    shown = [name for name in TONES if any(getattr(row, name) is not None for row in board.rows)]
    legend = drawing.legend([("square", TONES[name], say(f"methods.{name}")) for name in shown])
    drawn = bars.draw(title, caption, rows, scales.PERCENT, say("worst"), thick=9.0)
    return Chart("methods", title, legend + drawn, caption)


def _row(row: IceRow, say: ChartWords) -> BarRow:
    rates: dict[str, float | None] = {"samples": row.samples, "aya": row.aya, "players": row.players}
    lanes = tuple(
        (Bar(TONES[name], 0.0, rate, say("methods.value", name=say(f"methods.{name}"), rate=reading.percent(rate))),)
        for name, rate in rates.items()
        if rate is not None
    )
    return BarRow(reading.ranked(row, say), reading.percent(row.security or 0.0), lanes)
