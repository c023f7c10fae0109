"""Pictures for the studies of the health survey; a pipeline has the same colour and mark in all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from icefire.studies.plots import COLOURS, GREY, PURPLE, Marks, blank, names_only
from icefire.studies.survey import BEST_LARGEST, BEST_MEAN, KEPT, STRONGEST

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS: dict[str, Marks] = {
    "swap-delete": {"color": COLOURS[1], "marker": "s", "label": "swap, delete (P3)"},
    "ours": {"color": COLOURS[2], "marker": "^", "label": "ours"},
}
BARS = {
    "delete-swap 6": "#f3c19d",
    "delete-swap 4": "#e58f54",
    "swap-delete 4": COLOURS[1],
    "ours 6": "#8fd3be",
    "ours 4": COLOURS[2],
}
WORDS = {
    KEPT: "rows kept (half)",
    "iloss": "iloss",
    "uniqrt": "uniqrt",
    "rate_max": "rate",
    "or_max": "odds ratio",
    "cor_max": "correlation",
}
FIGURES: dict[str, Marks] = {
    KEPT: {"color": GREY, "marker": "x"},
    "uniqrt": {"color": PURPLE, "marker": "D"},
    "rate_max": {"color": COLOURS[0], "marker": "o"},
    "or_max": {"color": COLOURS[1], "marker": "s"},
    "cor_max": {"color": COLOURS[2], "marker": "^"},
}
DARK = 0.075
"""From this danger on a cell is so dark that it is written in white."""


def shares(used: pl.DataFrame) -> Figure:
    """Draw how much of each limit every release uses; beyond the line the limit is broken."""
    releases = used["release"].unique(maintain_order=True).to_list()
    figure = blank(7.6, 4.4)
    axes = figure.add_subplot()
    height = 0.84 / len(releases)
    for place, name in enumerate(releases):
        part = used.filter(release=name)
        y = np.arange(part.height) + (place - (len(releases) - 1) / 2) * height
        width = part["used"].fill_null(0).to_numpy()
        axes.barh(y, width, 0.9 * height, color=BARS[name], label=name)
        for at, value, kept in zip(y, width, part["within"], strict=True):
            text = "" if kept else "over" if value else "no value"
            axes.text(value + 0.015, at, text, va="center", fontsize=7.5)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(range(len(WORDS)), [WORDS[name] for name in used["figure"].unique(maintain_order=True)])
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    axes.set(title="How much of each limit a release uses", xlabel="share of the limit (1: just within)")
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def dangers(summed: pl.DataFrame) -> Figure:
    """Draw mean (large) and largest danger (small) by attack and release; the worst attack of a release is framed."""
    releases, attacks = (summed[name].unique(maintain_order=True).to_list() for name in ("release", "attack"))
    cells = {(line["attack"], line["release"]): line for line in summed.to_dicts()}
    means = np.array([[cells[attack, name]["mean"] for name in releases] for attack in attacks], np.float64)
    figure = blank(2.2 + 1.12 * len(releases), 1.3 + 0.42 * len(attacks))
    axes = figure.add_subplot()
    axes.pcolormesh(means, cmap="Blues", vmin=0, vmax=0.12, edgecolors="white", linewidth=1)
    for y, attack in enumerate(attacks):
        for x, name in enumerate(releases):
            _danger_cell(axes, x, y, cells[attack, name])
    axes.axhline(attacks.index(STRONGEST), color="white", linewidth=5)
    names_only(axes, releases, attacks)
    axes.invert_yaxis()
    axes.set_title("Danger: mean and (largest) of ten draws", pad=12)
    axes.set_xlabel(
        f"framed: the worst attack on average. Best of the contest's final: {BEST_MEAN} ({BEST_LARGEST})", fontsize=8
    )
    return figure


def _danger_cell(axes: Axes, x: int, y: int, line: Mapping[str, Any]) -> None:
    from matplotlib.patches import Rectangle

    if line["mean"] is None:
        return
    colour = "white" if line["mean"] > DARK else "black"
    bold = "bold" if line["worst"] else "normal"
    middle: Marks = {"ha": "center", "va": "center", "color": colour}
    axes.text(x + 0.5, y + 0.36, f"{line['mean']:.3f}", fontsize=9, weight=bold, **middle)
    axes.text(x + 0.5, y + 0.74, f"({line['largest']:.3f})", fontsize=7, **middle)
    if line["worst"]:
        frame = Rectangle((x + 0.03, y + 0.05), 0.94, 0.9, fill=False, edgecolor=COLOURS[1], linewidth=1.6, zorder=3)
        axes.add_patch(frame)


def scores(curve: pl.DataFrame, table: pl.DataFrame, claims: pl.DataFrame) -> Figure:
    """Draw the slide's table as curves over p, and when to call only the likelier half members."""
    figure = blank(9.4, 3.4)
    left, right = (figure.add_subplot(1, 2, place) for place in (1, 2))
    left.plot(curve["p"], curve["included"], color=COLOURS[0], label="called a member")
    left.plot(curve["p"], curve["left_out"], color=COLOURS[1], linestyle="--", label="left out")
    dots: Marks = {"marker": "*", "markersize": 9, "linestyle": "none", "color": "black", "zorder": 4}
    left.plot(table["p"], table["included_printed"], **dots, label="printed")
    left.plot(table["p"], table["left_out_printed"], **dots)
    left.set_xscale("log")
    left.set_xticks(table["p"].to_list(), [f"{p:g}" for p in table["p"]])
    left.minorticks_off()
    left.set(title="One more record", xlabel="chance p that its row is found", ylabel="expected score")
    left.legend(fontsize=8, loc="upper left")
    right.plot(claims["told"], claims["all"], color=COLOURS[0], label="all called members")
    right.plot(claims["told"], claims["half"], color=COLOURS[2], linestyle="-.", label="only the likelier half")
    turn = claims.filter(pl.col("half") > pl.col("all"))["told"].to_numpy().min()
    right.axvline(turn, color=GREY, linewidth=1, linestyle=":")
    right.annotate(f"{turn:.3f}", (turn, 0.02), (4, 0), textcoords="offset points", fontsize=8, color=GREY)
    right.set(title="All of them", xlabel="chance to tell a member from others", ylabel="expected score")
    right.set_ylim(0)
    right.legend(fontsize=8, loc="upper left")
    return figure


def candidates(counted: Mapping[int, np.ndarray], bars: Mapping[int, pl.DataFrame], few: int) -> Figure:
    """Draw how many rows have how many candidates, limit beside limit; lines mark what is few, and the median."""
    figure = blank(9.4, 3.3)
    for place, (limit, frame) in enumerate(bars.items(), 1):
        axes = figure.add_subplot(1, len(bars), place)
        least, most, rows = (frame[name].to_numpy() for name in ("least", "most", "rows"))
        axes.bar(least - 0.5, rows, most - least + 1, align="edge", color=COLOURS[0], edgecolor="white", linewidth=0.3)
        axes.set(title=f"Candidates within iloss {limit}", xlabel="candidates", ylabel="rows")
        axes.set_ylim(0, 1.32 * rows.max())
        _mark_counts(axes, counted[limit], few)
    return figure


def _mark_counts(axes: Axes, counts: np.ndarray, few: int) -> None:
    inside: Marks = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "va": "top", "fontsize": 8}
    text = f"at most {few}:\n{(counts <= few).sum():,} rows\n({(counts == 0).sum():,} have none)"
    axes.axvline(few + 0.5, color=COLOURS[1], linewidth=1.2)
    axes.annotate(text, (few + 0.5, 0.99), (4, 0), color=COLOURS[1], **inside)
    median = float(np.median(counts))
    axes.axvline(median, color="black", linewidth=0.9, linestyle=":")
    axes.annotate(f"median {median:g}", (median, 0.99), (4, 0), **inside)


def sweep(frame: pl.DataFrame, varied: str) -> Figure:
    """Draw the danger of both pipelines, and of each the shares of the limits that it uses."""
    figure = blank(11.6, 3.6)
    first, second, third = (figure.add_subplot(1, 3, place) for place in (1, 2, 3))
    word = "limit of iloss" if varied == "limit" else "deleted: at most so many candidates"
    _danger_lines(first, frame, varied)
    for axes, pipeline in ((second, "swap-delete"), (third, "ours")):
        _used_lines(axes, frame.filter(pipeline=pipeline), varied)
        axes.set(
            title=f"Utility: {LOOKS[pipeline]['label']}",
            ylabel=f"share of the limit used (at most {USED_SHOWN:g} shown)",
        )
    second.legend(fontsize=8)
    for axes in (first, second, third):
        axes.set(xlabel=word)
    return figure


def _danger_lines(axes: Axes, frame: pl.DataFrame, varied: str) -> None:
    for pipeline, look in LOOKS.items():
        part = frame.filter(pipeline=pipeline).drop_nulls("danger_mean")
        axes.plot(part[varied], part["danger_mean"], markersize=5, **look)
        axes.plot(part[varied], part["danger_largest"], linewidth=0.9, linestyle=":", color=look["color"])
    for mark, text, dash in ((BEST_MEAN, "mean", "--"), (BEST_LARGEST, "largest", "-.")):
        axes.axhline(mark, color=GREY, linewidth=0.9, linestyle=dash, label=f"best of the final: {text} {mark}")
    axes.set(title="Danger: mean, and largest (dotted)", ylabel="danger of the worst attack")
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.minorticks_off()
    axes.set_ylim(low, 2 * high)
    axes.legend(fontsize=8, loc="upper right")


TICKS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)
USED_SHOWN = 3.0
"""Shares of a limit beyond this are drawn at the upper edge."""


def _used_lines(axes: Axes, part: pl.DataFrame, varied: str) -> None:
    for name, look in FIGURES.items():
        share = part[f"{name}_used"].cast(pl.Float64).clip(upper_bound=USED_SHOWN)
        axes.plot(part[varied], share.fill_null(np.nan), markersize=4, label=WORDS[name], **look)
    axes.axhline(1, color="black", linewidth=1)
    axes.set_ylim(0, min(USED_SHOWN, max(axes.get_ylim()[1], 1.2)) * 1.02)
