"""Pictures for the studies of households: grids of labels, heat maps and curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from icefire.studies import effect_labels
from icefire.studies.plots import COLOURS, blank, frame_cell, names_only

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABEL_COLOURS = {
    effect_labels.NOTHING: "#f4f4f4",
    effect_labels.SLIGHTLY: "#fbe6b0",
    effect_labels.NEGATIVE: "#ee9a63",
    effect_labels.OPEN: "#ee9a63",
    effect_labels.POSITIVE: "#8fc1e3",
}


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a panel over 1, 2, 3, …, perhaps with a band around it."""

    name: str
    middle: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes."""

    title: str
    x: str
    y: str
    series: Sequence[Series]
    top: float | None = None


def label_grid(
    pairs: Mapping[tuple[str, str], tuple[str | None, str | None]],
    columns: Mapping[str, str],
    rows: Sequence[str],
    title: str,
) -> Figure:
    """Draw a grid of labels, coloured by label; a frame and a second line mark what was expected otherwise."""
    figure = blank(1.4 + 0.92 * len(columns), 1.2 + 0.4 * len(rows))
    axes = figure.add_subplot()
    names_only(axes, list(columns.values()), rows)
    for y, row in enumerate(rows):
        for x, column in enumerate(columns):
            _label_cell(axes, x, y, *pairs[row, column])
    axes.set_title(title, pad=34)
    _label_key(axes, len(columns), len(rows))
    return figure


def _label_cell(axes: Axes, x: int, y: int, measured: str | None, expected: str | None) -> None:
    from matplotlib.patches import Rectangle

    differs = None not in (measured, expected) and measured != expected
    axes.add_patch(Rectangle((x, y), 1, 1, facecolor=LABEL_COLOURS.get(measured or "", "white"), edgecolor="white"))
    text = measured or ""
    if differs:
        frame_cell(axes, x, y, "black")
        text += f"\n≠ {expected}"
    quiet = expected is None
    axes.text(
        x + 0.5,
        y + 0.5,
        text,
        ha="center",
        va="center",
        fontsize=7.5,
        linespacing=1.15,
        style="italic" if quiet else "normal",
        color="#333333" if quiet else "black",
    )


def _label_key(axes: Axes, columns: int, rows: int) -> None:
    axes.text(
        0,
        rows + 0.25,
        "framed: not as expected (≠ expected label); italic: nothing expected; out, in: of the cross table\n"
        "orange: utility lost, or open to the attack; yellow: slightly; blue: safer; grey: unchanged",
        va="top",
        fontsize=7.5,
        color="#333333",
    )
    axes.set_ylim(rows + 1.1, 0)
    axes.set_xlim(0, columns)


def heat(values: np.ndarray, columns: Sequence[str], rows: Sequence[str], marks: np.ndarray, title: str) -> Figure:
    """Draw rates between 0 and 1 as a heat map with their numbers; marked ones carry a star and a frame.

    The last column stands a little apart: it is of another kind.
    """
    figure = blank(3.4 + 0.66 * len(columns), 0.9 + 0.31 * len(rows))
    axes = figure.add_subplot()
    names_only(axes, columns, rows)
    axes.pcolormesh(values, cmap="Blues", vmin=0, vmax=1.15, edgecolors="white", linewidth=1)
    for y, x in np.ndindex(values.shape):
        _rate_cell(axes, x, y, float(values[y, x]), bool(marks[y, x]))
    axes.axvline(len(columns) - 1, color="white", linewidth=5)
    axes.invert_yaxis()
    axes.set_title(title, pad=12)
    return figure


def _rate_cell(axes: Axes, x: int, y: int, rate: float, marked: bool) -> None:
    text, weight = (f"*{rate:.3f}", "bold") if marked else (f"{rate:.3f}", "normal")
    colour = "white" if rate > 0.6 else "black"
    axes.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=8, color=colour, weight=weight)
    if marked:
        frame_cell(axes, x, y, COLOURS[1])


def curves(panels: Sequence[Panel]) -> Figure:
    """Draw panels side by side, each with a line per series and a band from its lowest to its highest value."""
    figure = blank(3.9 * len(panels), 2.9)
    for place, panel in enumerate(panels, 1):
        axes = figure.add_subplot(1, len(panels), place)
        _draw_panel(axes, panel)
    return figure


def _draw_panel(axes: Axes, panel: Panel) -> None:
    styles = zip(COLOURS, "os^", ("-", "--", ":"), strict=True)
    for series, (colour, marker, dash) in zip(panel.series, styles, strict=False):
        x = np.arange(1, len(series.middle) + 1)
        axes.plot(x, series.middle, dash, marker=marker, markersize=4, color=colour, label=series.name)
        if series.low is not None and series.high is not None:
            axes.fill_between(x, series.low, series.high, color=colour, alpha=0.15, linewidth=0)
    axes.set(xlabel=panel.x, ylabel=panel.y, title=panel.title, xticks=x)
    axes.set_ylim(0, panel.top)
    axes.legend(fontsize=8)
