"""The information lost by each release: each measure by itself, and three together (figures 4 to 9 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from icefire.arena.boards.rankings import IceBoard, IceRow
from icefire.arena.charts import drawing, labels, reading, scales
from icefire.arena.charts.chart import Chart, missing
from icefire.arena.charts.labels import Point
from icefire.arena.charts.scales import AxisScale
from icefire.arena.charts.words import ChartWords
from icefire.core import formatting

PANEL, WHOLE = 120.0, 260.0
PANEL_WIDTHS = (150.0, 200.0, 270.0, 320.0)
USUAL = ("U1", "U3", "U5")
SHAPES = (("circle", "one"), ("square", "two"), ("triangle", "three"))
MANY = 50
Values = list[tuple[IceRow, float]]


def spread(board: IceBoard, say: ChartWords) -> Chart | None:
    """Draw one small panel for every measure of usefulness; left out where there is none."""
    if not board.utilities:
        return None
    title, caption = say("spread.title"), say("spread.told")
    known = {name: sorted(reading.having(board, name), key=lambda pair: pair[1]) for name in board.utilities}
    if not any(known.values()):
        return missing("spread", title, say(f"nothing.{'measure' if board.rows else 'release'}"))
    standard = {name: scales.standardised([value for _, value in pairs]) for name, pairs in known.items() if pairs}
    scale = scales.linear([z for pairs in standard.values() if pairs for z in pairs], zero=True, most=4)
    panels = (_panel(name, known[name], pairs, scale, say) for name, pairs in standard.items())
    return Chart(
        "spread", title, Markup('<div class="picture-panels">{}</div>').format(drawing.joined(panels)), caption
    )


def _panel(name: str, pairs: Values, standard: list[float] | None, scale: AxisScale, say: ChartWords) -> Markup:
    up = say("spread.up", name=reading.code(name))
    if standard is None:
        inside = Markup('<p class="picture-panel-name">{}</p>{}').format(
            reading.code(name), drawing.nothing(say("nothing.spread"))
        )
        return Markup('<div class="picture-panel">{}</div>').format(inside)
    spots = [((place + 0.5) / len(pairs), scale.at(z)) for place, z in enumerate(standard)]
    points = [
        Point(x, PANEL * (1 - y), _radius(pairs, 3.5), (reading.rank(row),) if reading.in_front(row) else ())
        for (x, y), (row, _) in zip(spots, pairs, strict=True)
    ]
    drawn = drawing.joined(
        [
            drawing.up_axis(scale, reading.code(name), PANEL),
            drawing.level("zero", PANEL * (1 - scale.at(0))),
            drawing.line("one", spots, PANEL),
            *_dots(name, pairs, points, say),
            *_ranks(points),
        ]
    )
    caption = say("spread.panel", name=reading.code(name), releases=len(pairs))
    return Markup('<div class="picture-panel">{}</div>').format(drawing.picture("panel", PANEL, up, caption, drawn))


def _dots(name: str, pairs: Values, points: Sequence[Point], say: ChartWords) -> list[Markup]:
    """Draw every release, the first ones on top."""
    each = sorted(zip(pairs, points, strict=True), key=lambda one: reading.in_front(one[0][0]))
    return [
        drawing.mark(
            "circle",
            "two" if reading.in_front(row) else "one",
            point.across,
            point.down,
            point.radius,
            _told(name, row, value, say),
        )
        for (row, value), point in each
    ]


def _radius(dots: Sequence[object], usual: float) -> float:
    """Points are small where there are many."""
    return usual if len(dots) <= MANY else usual / 2


def _told(name: str, row: IceRow, value: float, say: ChartWords) -> str:
    return say(
        "spread.value", release=reading.ranked(row, say), name=reading.code(name), value=formatting.number(value)
    )


def _ranks(points: list[Point]) -> list[Markup]:
    placed = labels.place(points, PANEL, PANEL_WIDTHS)
    return [
        drawing.text(label.text, point.across, point.down, f"label {label.anchor}", label.dx, label.dy)
        for label, point in zip(placed, points, strict=True)
        if label is not None and not label.led
    ]


def together(board: IceBoard, say: ChartWords) -> Chart | None:
    """Draw three measures in the order of the last of them; left out where there are fewer."""
    names = _three(board)
    if names is None:
        return None
    codes = [reading.code(name) for name in names]
    title = say("together.title", names=", ".join(codes))
    rows = [
        row for row in board.rows if row.release.in_play and all(reading.value(row, name) is not None for name in names)
    ]
    if len(rows) < 2:
        return missing("together", title, say(f"nothing.{'measure' if board.rows and not rows else 'release'}"))
    rows.sort(key=lambda row: reading.value(row, names[-1]) or 0.0)
    lines = {name: scales.standardised([reading.value(row, name) or 0.0 for row in rows]) for name in names}
    caption = say("together.told", order=codes[-1])
    drawn = _lines(title, caption, rows, lines, say)
    legend = drawing.legend([(*look, code) for look, code in zip(SHAPES, codes, strict=True)])
    return Chart("together", title, legend + drawn, caption)


def _three(board: IceBoard) -> list[str] | None:
    usual = [reading.named(board, name) for name in USUAL]
    if all(name in board.utilities for name in usual):
        return [name for name in usual if name is not None]
    return list(board.utilities[:3]) if len(board.utilities) >= 3 else None


def _lines(
    title: str, caption: str, rows: Sequence[IceRow], lines: dict[str, list[float] | None], say: ChartWords
) -> Markup:
    scale = scales.linear([z for values in lines.values() for z in values or [0.0]], zero=True)
    places = [(place + 0.5) / len(rows) for place in range(len(rows))]
    pieces = [
        drawing.up_axis(scale, say("together.up"), WHOLE),
        drawing.level("zero", WHOLE * (1 - scale.at(0))),
        *_order(rows, places),
        drawing.text(
            say("together.across", order=reading.code(list(lines)[-1])), 0.5, WHOLE, "axis-name middle", dy=36
        ),
    ]
    for (name, values), (shape, tone) in zip(lines.items(), SHAPES, strict=True):
        heights = [scale.at(z) for z in values or [0.0] * len(rows)]
        pieces.append(drawing.line(tone, list(zip(places, heights, strict=True)), WHOLE))
        pieces += [
            drawing.mark(
                shape,
                tone,
                x,
                WHOLE * (1 - y),
                _radius(rows, 4.5),
                _told(name, row, reading.value(row, name) or 0.0, say),
            )
            for x, y, row in zip(places, heights, rows, strict=True)
        ]
    return drawing.picture("plot", WHOLE, title, caption, drawing.joined(pieces))


def _order(rows: Sequence[IceRow], places: Sequence[float]) -> list[Markup]:
    """Write below the lines which release stands where: labels where there is room on a phone, numbers otherwise."""
    if len(rows) <= 6:
        names = [row.release.label for row in rows]
    else:
        step = -(-len(rows) // 12)
        names = [str(place + 1) if place % step == 0 else "" for place in range(len(rows))]
    return [drawing.text(name, x, WHOLE, "tick middle", dy=16) for name, x in zip(names, places, strict=True) if name]
