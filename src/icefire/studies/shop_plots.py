"""Pictures for the studies of purchase histories; a method has the same colour and mark in all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from icefire.kernels.types import Int
from icefire.studies.plots import COLOURS, GREY, PURPLE, YELLOW, Marks, blank
from icefire.studies.shop import METHODS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS: dict[str, Marks] = {
    "euclidean": {"color": GREY, "marker": "x"},
    "simple": {"color": PURPLE, "marker": "D"},
    "tfidf": {"color": COLOURS[0], "marker": "o"},
    "balanced": {"color": COLOURS[1], "marker": "s"},
    "smallest_first": {"color": YELLOW, "marker": "v"},
    "minimal": {"color": COLOURS[2], "marker": "^"},
}
PRINTED: Marks = {"marker": "*", "markersize": 9, "linestyle": "none", "color": "black", "zorder": 4}
THOUSAND = 1_000


def histograms(frame: pl.DataFrame, title: str) -> Figure:
    """Draw, method below method, how many clusters there are by size, in classes that double."""
    methods = [method for method in METHODS if method in frame["method"]]
    classes = _size_class(frame["size"].to_numpy())
    figure = blank(6.4, 0.8 + 1.15 * len(methods))
    axes: Any = figure.subplots(len(methods), 1, sharex=True)
    for method, one in zip(methods, axes, strict=True):
        chosen = (frame["method"] == method).to_numpy()
        clusters = np.bincount(classes[chosen], frame["clusters"].to_numpy()[chosen], classes.max() + 1)
        bars = one.bar(range(len(clusters)), clusters, width=0.85, color=LOOKS[method]["color"])
        one.bar_label(bars, [f"{count:.1f}" if count else "" for count in clusters], fontsize=8, padding=1)
        one.set(title=METHODS[method], ylabel="clusters", ylim=(0, 1.25 * clusters.max()))
        one.title.set_fontsize(9)
        one.grid(visible=False, axis="x")
    axes[-1].set_xticks(range(len(clusters)), [_class_name(number) for number in range(len(clusters))], fontsize=8)
    axes[-1].set(xlabel="customers in the cluster")
    figure.suptitle(title, x=0.02, ha="left", weight="bold", fontsize=10)
    return figure


def _size_class(sizes: Int) -> Int:
    """Classes 1, 2, 3 to 4, 5 to 8, 9 to 16, …, numbered from 0."""
    classes: Int = np.ceil(np.log2(sizes)).astype(np.int64)
    return classes


def _class_name(number: int) -> str:
    low, high = (1 << number >> 1) + 1, 1 << number
    return str(high) if number < 2 else f"{low}–{high}"


def dummies(frame: pl.DataFrame, customers: int) -> Figure:
    """Draw Figures 10 and 11, Δm by c, and 13, the Jaccard rate by c."""
    figure = blank(11.4, 3.3)
    first, second, third = (figure.add_subplot(1, 3, place) for place in (1, 2, 3))
    _dummy_lines(first, frame, ("euclidean", "simple", "minimal"))
    _dummy_lines(second, frame, ("tfidf", "balanced", "smallest_first", "minimal"))
    _lines(third, frame, ("tfidf", "balanced", "minimal"), "jaccard")
    clusters = frame["c"].unique().sort()
    third.plot(clusters, clusters / customers, color="black", linewidth=1, linestyle=":", label="c / n, the most")
    _printed(third, frame, ("tfidf", "balanced"), "jaccard_printed")
    third.set(ylabel="Jaccard rate (expectation)")
    titles = "Figure 10: dummies, simple methods", "Figure 11: dummies", "Figure 13: who is found"
    for axes, title in zip((first, second, third), titles, strict=True):
        axes.set(title=title, xlabel="clusters, c")
        axes.set_ylim(0)
        axes.legend(fontsize=8)
    return figure


def _dummy_lines(axes: Axes, frame: pl.DataFrame, methods: Sequence[str]) -> None:
    thousands = frame.with_columns(pl.col("dummies", "dummies_low", "dummies_high", "dummies_printed") / THOUSAND)
    _lines(axes, thousands, methods, "dummies")
    for method in methods:
        part = thousands.filter(method=method)
        low, high = part["dummies_low"], part["dummies_high"]
        axes.fill_between(part["c"], low, high, color=LOOKS[method]["color"], alpha=0.15, linewidth=0)
    _printed(axes, thousands, methods, "dummies_printed")
    axes.set(ylabel="Δm, thousand rows")


def _lines(axes: Axes, frame: pl.DataFrame, methods: Sequence[str], value: str) -> None:
    for method in methods:
        part = frame.filter(method=method)
        axes.plot(part["c"], part[value], **LOOKS[method], markersize=4, label=METHODS[method])


def _printed(axes: Axes, frame: pl.DataFrame, methods: Sequence[str], value: str) -> None:
    """Mark what the paper prints, where it does."""
    part = frame.filter(pl.col("method").is_in(methods), pl.col(value).is_not_null())
    if part.height:
        axes.plot(part["c"], part[value], **PRINTED, label="printed")


def optimum(curves: pl.DataFrame, measured: pl.DataFrame) -> Figure:
    """Draw Figures 12 and 14: E(Δm) and the total by c, with measured points; of the totals the best c is marked."""
    figure = blank(9.4, 3.5)
    for place, value in enumerate(("dummies", "total"), 1):
        axes = figure.add_subplot(1, 2, place)
        for name, look in CURVES.items():
            _curve(axes, curves.filter(curve=name), value, look)
        for method in measured["method"].unique(maintain_order=True):
            look = LOOKS[method] | {"label": METHODS[method], "markersize": 3.5, "linewidth": 1.2}
            _curve(axes, measured.filter(method=method), value, look)
        axes.set_ylim(0)
        axes.legend(fontsize=8, loc="upper right" if value == "dummies" else "lower right")
    left, right = figure.axes
    left.set(title="Figure 12: dummies", xlabel="clusters, c", ylabel="Δm, thousand rows")
    right.set(title="Figure 14: cost and risk", xlabel="clusters, c", ylabel="Δm / E(Δm at c = 1) + c/n")
    return figure


CURVES: Mapping[str, Marks] = {
    "paper": {"color": GREY, "linestyle": "--", "label": "theory, paper's counts"},
    "history": {"color": "black", "linewidth": 1.4, "label": "theory, this history"},
}


def _curve(axes: Axes, part: pl.DataFrame, value: str, look: Marks) -> None:
    """Draw one line; the smallest total gets a ring, and its c is told with the line's name."""
    clusters, values = part["c"].to_numpy(), part[value].to_numpy()
    if value == "dummies":
        axes.plot(clusters, values / THOUSAND, **look)
        return
    best = int(np.argmin(values))
    axes.plot(clusters, values, **look | {"label": f"{look['label']}: best c = {clusters[best]}"})
    ring: Marks = {"marker": "o", "markersize": 10, "fillstyle": "none", "linestyle": "none"}
    axes.plot(clusters[best], values[best], **ring, color=look["color"])


def correlations(frame: pl.DataFrame, names: Sequence[str]) -> Figure:
    """Draw two lower triangles of correlations side by side: ours and the printed one."""
    figure = blank(9.6, 4.0)
    for place, (column, title) in enumerate(
        (("here", "Table 7: measured, means by c"), ("printed", "Table 7: printed")), 1
    ):
        axes = figure.add_subplot(1, 2, place)
        cells = {(a, b): value for a, b, value in frame.select("figure", "with", column).iter_rows()}
        values = np.array([[cells.get((a, b), np.nan) for b in names] for a in names], np.float64)
        axes.imshow(values, cmap="RdBu_r", vmin=-2, vmax=2)
        for y, x in np.argwhere(np.isfinite(values)):
            axes.text(x, y, f"{values[y, x]:.2f}".replace("-", "−"), ha="center", va="center", fontsize=8)
        axes.grid(False)
        axes.set_xticks(range(len(names)), names)
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(length=0)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.set_title(title)
    return figure


def losses(releases: pl.DataFrame, measures: Sequence[str]) -> Figure:
    """Draw Figure 9, U1 by Δm, and the same for the other measures."""
    figure = blank(3.7 * len(measures), 3.2)
    for place, measure in enumerate(measures, 1):
        axes = figure.add_subplot(1, len(measures), place)
        for method in releases["method"].unique(maintain_order=True):
            part = releases.filter(method=method)
            axes.plot(
                part["Δm"] / THOUSAND,
                part[measure],
                **LOOKS[method],
                linestyle="none",
                markersize=4.5,
                alpha=0.8,
                label=METHODS[method],
            )
        title = f"Figure 9: {measure} by dummies" if measure == "U1" else f"{measure} by dummies"
        axes.set(title=title, xlabel="Δm, thousand rows", ylabel=f"{measure} (loss; 0 is best)")
        axes.set_xlim(0)
        axes.set_ylim(0)
    axes.legend(fontsize=8)
    return figure
