"""P1 Table 8 and Figures 10, 11, 13: how many dummies clusters need, and how many customers are still identified.

Customers are put into c clusters and get dummies until all of a cluster have the same goods. Δm is the number of dummy
rows. The Jaccard rate is that of Algorithm 1, the exact expectation where several customers fit equally well; the
random rate is that of drawing lots inside the cluster: non-empty clusters over customers. Table 8 has c = 50, 100, 125
with s_min = 2, …, ⌊n/c⌋; the figures have c = 25, 50, …, 200 with s_min = ⌊n/c⌋. `tfidf` is the paper's Method 1,
`balanced` its Method 2, `smallest_first` another reading of that (see below), and `minimal` is ours: it looks for the
fewest dummies. `simple` is k-means with Jaccard similarity, `euclidean` plain k-means, which behaves as the paper's
simple method does (see `p1-clusters`).

Algorithm 4 can be read in two ways. `balanced` looks the largest cluster up before every move, as the text says;
`smallest_first` fills the smallest clusters first and looks the largest up once for each cluster that it fills (again
only when that one is down to s_min itself). The printed figures stand beside both.

Everything is a mean over ten runs; `minimal` has ten in Table 8, and one elsewhere.

A slip in the paper: its Jaccard rates are above c/n. After the dummies all customers of a cluster have one set, so
Algorithm 1 gives all of them the same answer and is right for one of them at most: the rate cannot exceed the number
of clusters over the number of customers, and is lower where a customer of another cluster fits better.

Without --data the shop is synthetic (400 customers unless you ask for another number; c is scaled with it); what is
printed is for the contest's data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from rich.table import Table

from icefire.core.types import Progress
from icefire.studies import printed, shop, shop_plots
from icefire.studies.result import Part, text_table
from icefire.studies.shop import ClusteringResult, ClusterResults, ClusterSetting

IN_TABLE = (50, 100, 125)
IN_FIGURES = (25, 50, 75, 100, 125, 150, 175, 200)
SMALLEST_LEAST = 2
READINGS_OF_METHOD_2 = ("balanced", "smallest_first")
RUNS, RUNS_OF_MINIMAL = 10, 1
"""Runs of `minimal` where the paper prints nothing to compare with."""

SCHEMA = {
    "method": pl.String,
    "c": pl.Int64,
    "s_min": pl.Int64,
    "runs": pl.Int64,
    "dummies": pl.Float64,
    "dummies_low": pl.Int64,
    "dummies_high": pl.Int64,
    "dummies_printed": pl.Int64,
    "jaccard": pl.Float64,
    "jaccard_printed": pl.Float64,
    "random": pl.Float64,
    "random_printed": pl.Float64,
}


def parts(rows: int | None, seed: int, progress: Progress, data: Path | None = None) -> list[Part]:
    """Cluster in every way of the table and of the figures, and count dummies and finds."""
    history = shop.history(rows, seed, data)
    customers = history.subjects
    asked = in_table(customers), in_figures(customers)
    wanted = {setting: max(part.get(setting, 0) for part in asked) for part in asked for setting in part}
    results = shop.run_settings(history.baskets, wanted, seed, progress)
    table8, figures = ({setting: results[setting] for setting in part} for part in asked)
    return [shop.data_part(history, data), _table8(table8, customers), _figures(figures, customers)]


def in_table(customers: int) -> dict[ClusterSetting, int]:
    """Return the settings of Table 8 and how often each is run: Method 1, both readings of 2, then ours."""
    wanted: dict[ClusterSetting, int] = {}
    for clusters in _scaled(IN_TABLE, customers):
        most = customers // clusters
        sized = [
            ClusterSetting(reading, clusters, least)
            for reading in READINGS_OF_METHOD_2
            for least in range(SMALLEST_LEAST, most + 1)
        ]
        wanted |= dict.fromkeys(
            [ClusterSetting("tfidf", clusters), *sized, ClusterSetting("minimal", clusters, most)], RUNS
        )
    return wanted


def in_figures(customers: int) -> dict[ClusterSetting, int]:
    """Return the settings of the figures and how often each is run."""
    settings = [
        ClusterSetting(method, clusters, shop.largest_least(method, clusters, customers))
        for method in shop.METHODS
        for clusters in _scaled(IN_FIGURES, customers)
    ]
    return {setting: RUNS_OF_MINIMAL if setting.method == "minimal" else RUNS for setting in settings}


def _scaled(clusters: Sequence[int], customers: int) -> list[int]:
    return [shop.scaled_clusters(count, customers) for count in clusters]


def table(results: ClusterResults, customers: int) -> pl.DataFrame:
    """Return the means of every setting, with the printed figures beside them."""
    return pl.DataFrame([_line(setting, runs, customers) for setting, runs in results.items()], SCHEMA, orient="row")


def _line(setting: ClusterSetting, runs: Sequence[ClusteringResult], customers: int) -> dict[str, object]:
    dummies = [run.dummies for run in runs]
    paper = shop.if_comparable(customers, _printed(setting)) or (None, None, None)
    return {
        "method": setting.method,
        "c": setting.clusters,
        "s_min": setting.least,
        "runs": len(runs),
        "dummies": np.mean(dummies),
        "dummies_low": min(dummies),
        "dummies_high": max(dummies),
        "dummies_printed": paper[0],
        "jaccard": np.mean([run.jaccard for run in runs]),
        "jaccard_printed": paper[1],
        "random": np.mean([run.drawn for run in runs]),
        "random_printed": paper[2],
    }


def _printed(setting: ClusterSetting) -> tuple[int, float | None, float | None] | None:
    """Table 8, and the one point of Figure 10; `euclidean` stands beside the paper's simple method, as `simple`."""
    method = "balanced" if setting.method in READINGS_OF_METHOD_2 else setting.method
    if setting.method in ("simple", "euclidean") and setting.clusters == printed.P1_FIGURE_10[0]:
        return printed.P1_FIGURE_10[1], None, None
    return printed.P1_TABLE_8.get((method, setting.clusters, setting.least))


def _table8(results: ClusterResults, customers: int) -> Part:
    frame = table(results, customers)
    return Part(
        "table8",
        "Δm (mean, lowest and highest run), Jaccard rate and random rate, with the printed figures beside them.",
        frame,
        conclusion=_conclusion(frame),
        view=lambda: _view(frame),
    )


def _figures(results: ClusterResults, customers: int) -> Part:
    frame = table(results, customers)
    return Part(
        "figures",
        "the same for every method by number of clusters, with the largest s_min.",
        frame,
        conclusion=_describe_shares(frame),
        view=lambda: _view_dummies(frame),
        figure=lambda: shop_plots.dummies(frame, customers),
    )


def _conclusion(frame: pl.DataFrame) -> str:
    """Say how far ours lies below Method 2 at the same c and s_min, and that no rate is above c/n."""
    ours, theirs = (frame.filter(method=method) for method in ("minimal", "balanced"))
    both = ours.join(theirs, on=["c", "s_min"], suffix="_balanced")
    comparisons = [_compared(line) for line in both.to_dicts()]
    highest = (frame["jaccard"] / frame["random"]).to_numpy().max()
    return (
        f"Fewest dummies: {'; '.join(comparisons)}. {_compare_readings(frame)} "
        f"The highest Jaccard rate is {highest:.2f} of clusters / customers, the most there can be; "
        "the paper's rates lie above."
    )


def _compared(line: Mapping[str, float | None]) -> str:
    ours, balanced, paper = (line[name] for name in ("dummies", "dummies_balanced", "dummies_printed_balanced"))
    assert ours is not None
    assert balanced is not None
    beside = "" if paper is None else f", printed {paper:,}: {_less(ours, paper)}"
    text = f"c = {line['c']}, s_min = {line['s_min']}: minimal {ours:,.0f}, balanced {balanced:,.0f}"
    return f"{text} ({_less(ours, balanced)}{beside})"


def _compare_readings(frame: pl.DataFrame) -> str:
    """Say how far both readings of Algorithm 4 lie from the printed figures, where there are any."""
    known = frame.drop_nulls("dummies_printed")
    away = {
        reading: (part["dummies"] / part["dummies_printed"] - 1).abs().to_numpy().mean()
        for reading in READINGS_OF_METHOD_2
        if (part := known.filter(method=reading)).height
    }
    if not away:
        return ""
    listed = ", ".join(f"{reading} {share:.1%}" for reading, share in away.items())
    return f"Mean distance of Δm from the printed figures of Method 2: {listed}."


def _less(ours: float, others: float) -> str:
    return f"{ours / others - 1:+.1%}" if others else "no dummies at all"


def _describe_shares(frame: pl.DataFrame) -> str:
    of_method = {name: frame.filter(method=name)["dummies"].to_numpy() for name in shop.METHODS}
    names = ("simple", "balanced", "minimal")
    shares = ", ".join(f"{name} {np.mean(of_method[name] / of_method['tfidf']):.0%}" for name in names)
    return f"Mean Δm over all c as a share of tfidf's (Method 1): {shares}; the paper says about 53% for Method 2."


def _view(frame: pl.DataFrame) -> Table:
    shown = shop.formatted
    rows = [
        [
            str(line["c"]),
            line["method"],
            shown(line["s_min"]),
            f"{line['dummies']:,.0f}",
            shown(line["dummies_printed"]),
            f"{line['jaccard']:.4f}",
            shown(line["jaccard_printed"], 4),
            f"{line['random']:.4f}",
            shown(line["random_printed"], 4),
        ]
        for line in frame.to_dicts()
    ]
    head = ["c", "method", "s_min", "Δm", "printed", "Jaccard", "printed", "random", "printed"]
    return text_table("Dummies and rates by s_min", head, rows, left=2)


def _view_dummies(frame: pl.DataFrame) -> Table:
    by_method = frame.pivot("method", index="c", values="dummies")
    rows = [[str(line[0]), *(f"{value:,.0f}" for value in line[1:])] for line in by_method.iter_rows()]
    return text_table("Δm by number of clusters, s_min = ⌊n/c⌋", by_method.columns, rows)
