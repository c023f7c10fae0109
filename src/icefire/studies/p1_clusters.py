"""P1 Table 6 and Figures 3, 7, 8: how large the clusters of each method are, and what they cost in dummies.

A cluster that holds most customers (a monopoly) makes them all buy everything, which takes very many dummies; a cluster
of one customer (a singleton) protects nobody. The clusterings: `simple`, k-means with Jaccard similarity; `tfidf`, P1's
Method 1; `balanced`, P1's Method 2; `minimal`, ours, which looks for the fewest dummies; the last two with at least
s_min = 5 customers in a cluster, as in Figure 8.

The paper does not say which number of clusters c Table 6 is for. Figures 7 and 8, from which two of its columns are
taken, have c = 50, and its 33 singletons cannot be among 25 clusters: we read it as c = 50 and show c = 25 beside it.
`euclidean` is plain k-means on rows of zeros and ones. It is no method of ours; it is here because it shows the
monopoly and the singletons that the paper reports of its simple method; k-means with Jaccard similarity does not.

Without --data the shop is synthetic (400 customers unless you ask for another number; c is scaled with it); what is
printed is for the contest's data. Figures are means over ten runs, for `minimal` over two.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from rich.table import Table

from icefire.core.types import Progress
from icefire.studies import printed, shop, shop_plots
from icefire.studies.result import Part, text_table
from icefire.studies.shop import ClusteringResult, ClusterResults, ClusterSetting

CLUSTERS = (50, 25)
"""The first is that of Table 6."""
LEAST = 5
RUNS, RUNS_OF_MINIMAL = 10, 2

SCHEMA = {
    "method": pl.String,
    "c": pl.Int64,
    "s_min": pl.Int64,
    "runs": pl.Int64,
    "largest": pl.Float64,
    "largest_printed": pl.Int64,
    "monopoly": pl.Float64,
    "singletons": pl.Float64,
    "singletons_printed": pl.Int64,
    "dummies": pl.Float64,
    "dummies_printed": pl.Int64,
}


def parts(rows: int | None, seed: int, progress: Progress, data: Path | None = None) -> list[Part]:
    """Cluster the customers with every method and look at the sizes."""
    history = shop.history(rows, seed, data)
    results = shop.run_settings(history.baskets, settings(history.subjects), seed, progress)
    return [shop.data_part(history, data), _table6(results, history.subjects), _sizes(results, history.subjects)]


def settings(customers: int) -> dict[ClusterSetting, int]:
    """Return what is clustered, and how often."""
    return {
        ClusterSetting(method, clusters, LEAST if method in shop.SIZED else None): _runs(method)
        for clusters in (shop.scaled_clusters(count, customers) for count in CLUSTERS)
        for method in shop.METHODS
    }


def _runs(method: str) -> int:
    return RUNS_OF_MINIMAL if method == "minimal" else RUNS


def table(results: ClusterResults, customers: int) -> pl.DataFrame:
    """Return the figures of Table 6, with the printed ones beside them."""
    lines = [_line(setting, runs, customers) for setting, runs in results.items()]
    return pl.DataFrame(lines, SCHEMA, orient="row")


def _line(setting: ClusterSetting, runs: Sequence[ClusteringResult], customers: int) -> dict[str, object]:
    largest = np.mean([run.sizes.max() for run in runs])
    sizes_printed, dummies_printed = _printed(setting)
    return {
        "method": setting.method,
        "c": setting.clusters,
        "s_min": setting.least,
        "runs": len(runs),
        "largest": largest,
        "largest_printed": shop.if_comparable(customers, sizes_printed[0]),
        "monopoly": largest / customers,
        "singletons": np.mean([(run.sizes == 1).sum() for run in runs]),
        "singletons_printed": shop.if_comparable(customers, sizes_printed[1]),
        "dummies": np.mean([run.dummies for run in runs]),
        "dummies_printed": shop.if_comparable(customers, dummies_printed),
    }


def _printed(setting: ClusterSetting) -> tuple[tuple[int | None, int | None], int | None]:
    """The largest cluster and the singletons, and Δm; `euclidean` stands beside the paper's simple method."""
    method = "simple" if setting.method == "euclidean" else setting.method
    sizes = printed.P1_TABLE_6.get(method, (None, None)) if setting.clusters == CLUSTERS[0] else (None, None)
    if method == "simple":
        return sizes, printed.P1_FIGURE_10[1] if setting.clusters == printed.P1_FIGURE_10[0] else None
    dummies = printed.P1_TABLE_8.get((setting.method, setting.clusters, setting.least))
    return sizes, None if dummies is None else dummies[0]


def histogram(results: ClusterResults) -> pl.DataFrame:
    """Return, for every method and c, how many clusters of each size a run has on average."""
    lines = []
    for setting, runs in results.items():
        counts = np.bincount(np.concatenate([run.sizes for run in runs])) / len(runs)
        lines += [(setting.method, setting.clusters, int(size), counts[size]) for size in np.flatnonzero(counts)]
    return pl.DataFrame(lines, ["method", "c", "size", "clusters"], orient="row")


def _table6(results: ClusterResults, customers: int) -> Part:
    frame = table(results, customers)
    return Part(
        "table6",
        "largest cluster, its share of all customers, clusters of one customer, and Δm; printed figures beside them.",
        frame,
        conclusion=_conclusion(frame.filter(c=shop.scaled_clusters(CLUSTERS[0], customers))),
        view=lambda: _view(frame),
    )


def _sizes(results: ClusterResults, customers: int) -> Part:
    frame, shown = histogram(results), shop.scaled_clusters(CLUSTERS[0], customers)
    return Part(
        "sizes",
        "how many clusters of each size a run has, by method and c.",
        frame,
        figure=lambda: shop_plots.histograms(
            frame.filter(c=shown), f"Clusters by size, c = {shown} (mean of the runs)"
        ),
    )


def _conclusion(frame: pl.DataFrame) -> str:
    by_method = {line["method"]: line for line in frame.to_dicts()}
    largest = ", ".join(f"{name} {line['largest']:.0f}" for name, line in by_method.items())
    alone = ", ".join(f"{name} {line['singletons']:.1f}" for name, line in by_method.items())
    return f"Largest cluster at c = {frame['c'][0]}: {largest}. Clusters of one customer: {alone}."


def _view(frame: pl.DataFrame) -> Table:
    rows = [
        [
            str(line["c"]),
            line["method"],
            shop.formatted(line["s_min"]),
            f"{line['largest']:.1f}",
            shop.formatted(line["largest_printed"]),
            f"{line['monopoly']:.0%}",
            f"{line['singletons']:.1f}",
            shop.formatted(line["singletons_printed"]),
            f"{line['dummies']:,.0f}",
            shop.formatted(line["dummies_printed"]),
        ]
        for line in frame.to_dicts()
    ]
    head = ["c", "method", "s_min", "largest", "printed", "share", "single", "printed", "Δm", "printed"]
    return text_table("Clusters by method", head, rows, left=2)
