"""Attackers: how many people each team identified, and how surely (figure 11 of the paper)."""

from __future__ import annotations

from icefire.arena.boards.rankings import FireBoard, FireRow, average_ratio
from icefire.arena.charts import reading, scales, scatter
from icefire.arena.charts.chart import Chart, missing
from icefire.arena.charts.scatter import AverageLine, Axis, Spot
from icefire.arena.charts.words import ChartWords
from icefire.core import formatting


def attackers(board: FireBoard | None, say: ChartWords) -> Chart:
    """Draw every team that attacked."""
    title = say("attackers.title")
    if board is None:
        return missing("attackers", title, say("nothing.fire"))
    rows = [row for row in board.rows if row.trials]
    if not rows:
        return missing("attackers", title, say("nothing.attacker"))
    most = max(rows, key=lambda row: row.identified)
    average = average_ratio(board)
    caption = say("attackers.told", first=most.team, **_figures(most))
    lines = []
    if average is not None:
        rate = reading.percent(average / 100)
        caption = f"{caption} {say('attackers.average_told', rate=rate)}"
        lines.append(AverageLine(average / 100, say("attackers.average", rate=rate)))
    x = Axis(scales.linear((row.identified for row in rows), "count"), say("attackers.across"))
    y = Axis(scales.linear((row.ratio / 100 for row in rows), "percent"), say("attackers.up"))
    drawn = scatter.draw(title, caption, [_spot(row, say) for row in rows], x, y, lines)
    return Chart("attackers", title, drawn, caption)


def _spot(row: FireRow, say: ChartWords) -> Spot:
    name = row.team if row.rank is None else f"{row.rank} {row.team}"
    tooltip = say("attackers.spot", team=row.team, trials=row.trials, **_figures(row))
    tone = "faint" if row.rank is None else "two" if row.rank <= 3 else "one"
    return Spot(row.identified, row.ratio / 100, tooltip, "circle", tone, 6, (name, name.partition(" ")[0]), led=True)


def _figures(row: FireRow) -> dict[str, str]:
    return {
        "hits": formatting.count(row.identified),
        "tests": formatting.count(row.tests),
        "rate": reading.percent(row.ratio / 100),
    }
