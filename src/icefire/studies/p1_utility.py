"""P1 Table 7 and Figure 9: how well the number of dummies predicts the loss of utility.

Releases with dummies are made for every clustering and c = 25, 50, …, 200 (s_min = ⌊n/c⌋ for `balanced` and `minimal`),
and for each the contest's three losses are measured: U1 and U2, the change of the mean price and of the mean number
bought by sex and country of the customer, and U3, the share of customers who change places among the ranks of recency,
frequency and money. The rates are exact expectations: Jaccard is Algorithm 1, random draws lots inside the cluster.

Table 7 correlates all of them. It is repeated for the paper's two methods, `tfidf` and `balanced`, with the means over
ten releases of each c, as the paper runs everything ten times, and once more with the single releases, where chance
shows. Three releases of `simple` and one of `minimal` for each c are in the table of releases and in the picture.

The paper prints the same figures for U1 and U2, and speaks of a negative correlation where its table has +0.98. How the
contest scaled its losses is not published; U1 and U2 are in the units of price and number here.

Without --data the shop is synthetic (400 customers unless you ask for another number; c is scaled with it); what is
printed is for the contest's data.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from rich.table import Table

from icefire.core.history import History
from icefire.core.types import Progress
from icefire.kernels.types import Float
from icefire.studies import printed, shop, shop_plots
from icefire.studies.result import Part, text_table
from icefire.studies.shop import ClusterSetting

CLUSTERS = (25, 50, 75, 100, 125, 150, 175, 200)
RUNS = {"simple": 3, "tfidf": 10, "balanced": 10, "minimal": 1}
CORRELATED = ("tfidf", "balanced")
"""The methods of the paper."""


def parts(rows: int | None, seed: int, progress: Progress, data: Path | None = None) -> list[Part]:
    """Make the releases, measure them and correlate."""
    history = shop.history(rows, seed, data)
    releases = pl.DataFrame(list(_releases(history, seed, progress)))
    return [shop.data_part(history, data), _correlations(releases), _released(releases)]


def _releases(history: History, seed: int, progress: Progress) -> Iterator[dict[str, object]]:
    for method, runs in RUNS.items():
        for clusters in (shop.scaled_clusters(count, history.subjects) for count in CLUSTERS):
            setting = ClusterSetting(method, clusters, shop.largest_least(method, clusters, history.subjects))
            for number in range(runs):
                progress(f"{setting}: release {number + 1} of {runs}")
                figures = shop.release_figures(history, setting, seed + number)
                yield {"method": method, "c": clusters, "run": number, **figures}


def correlations(releases: pl.DataFrame) -> Float:
    """Correlate the figures of Table 7 over the rows; without any spread there is no correlation (nan)."""
    values = releases.select(printed.P1_FIGURES).to_numpy().astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        matrix: Float = np.corrcoef(values, rowvar=False)
    return matrix


def _correlations(releases: pl.DataFrame) -> Part:
    names = printed.P1_FIGURES
    single = releases.filter(pl.col("method").is_in(CORRELATED))
    over_means = correlations(single.group_by("method", "c", maintain_order=True).agg(pl.exclude("run").mean()))
    over_single = correlations(single)
    lines = []
    for (row, column), value in printed.P1_TABLE_7.items():
        at = names.index(row), names.index(column)
        lines.append((row, column, over_means[at], over_single[at], value))
    frame = pl.DataFrame(lines, ["figure", "with", "here", "here_single", "printed"], orient="row").fill_nan(None)
    return Part(
        "table7",
        "the correlation of every two figures of tfidf and balanced: over means and over single releases; printed.",
        frame,
        conclusion=_conclusion(frame),
        view=lambda: _view(frame),
        figure=lambda: shop_plots.correlations(frame, names),
    )


def _released(releases: pl.DataFrame) -> Part:
    return Part(
        "releases",
        "Δm, the losses U1, U2, U3 and both rates of every release.",
        releases,
        figure=lambda: shop_plots.losses(releases, list(shop.UTILITIES)),
    )


def _conclusion(frame: pl.DataFrame) -> str:
    with_dummies = frame.filter(pl.col("with") == "Δm", pl.col("figure") != "Δm")
    shown = shop.formatted
    listed = ", ".join(
        f"{line['figure']} {shown(line['here'], 3)} ({shown(line['here_single'], 3)}; {line['printed']:.3f})"
        for line in with_dummies.to_dicts()
    )
    return f"Correlation with Δm (in brackets over single releases; printed): {listed}."


def _view(frame: pl.DataFrame) -> Table:
    """The lower triangle, ours and below it the printed one."""
    names = printed.P1_FIGURES
    rows = []
    for column, title in (("here", ""), ("printed", " printed")):
        cells = {(a, b): value for a, b, value in frame.select("figure", "with", column).iter_rows()}
        for at, row in enumerate(names):
            known = [shop.formatted(cells[row, name], 4) for name in names[: at + 1]]
            rows.append([f"{row}{title}", *known, *[""] * (len(names) - at - 1)])
    return text_table("Correlations over c, tfidf and balanced", ["", *names], rows)
