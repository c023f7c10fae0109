"""P1 Figures 12 and 14: how many clusters are best, by the theory and as measured.

The theory draws all m rows of n customers from l goods, each equally likely, and puts the customers into c clusters of
equal size at random: E(Δm) = n·l·{(1 − 1/l)^(m/n) − (1 − 1/l)^(m/c)} dummies, and E(Reid) = c/n are found by drawing
lots. The total, E(Δm) as a share of what one single cluster takes plus c/n, is least at the best c. The paper draws the
curve for n = 400, m = 38,000, l = 2,700, where E(Δm at c = 1) = 1,042,653 and the best c is 69; with the counts of the
history itself it is drawn once more.

Beside it stand `balanced` (P1's Method 2) and `minimal` (ours), with s_min = ⌊n/c⌋, on the same scale: Δm as a share of
E(Δm at c = 1), plus non-empty clusters over customers. Some goods sell far more often than others and clusters hold
customers who are alike, so fewer dummies are needed than the theory says, and fewer clusters are best.

Without --data the shop is synthetic (400 customers unless you ask for another number; c is scaled with it). `balanced`
is a mean over ten runs, `minimal` one run.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from rich.table import Table

from icefire.core.history import History
from icefire.core.types import Progress
from icefire.studies import printed, shop, shop_plots
from icefire.studies.result import Part, text_table
from icefire.studies.shop import ClusterResults, ClusterSetting
from icefire.theory import dummies as theory
from icefire.theory.dummies import Curve

METHODS = ("balanced", "minimal")
CLUSTERS = (10, 15, 20, 25, 30, 40, 50, 60, 69, 80, 100, 125, 150, 200)
RUNS, RUNS_OF_MINIMAL = 10, 1


def parts(rows: int | None, seed: int, progress: Progress, data: Path | None = None) -> list[Part]:
    """Work the curves out and measure some points beside them."""
    history = shop.history(rows, seed, data)
    results = shop.run_settings(history.baskets, settings(history.subjects), seed, progress)
    paper = theory.curve(*(printed.P1_FIGURE_14[name] for name in ("customers", "rows", "goods")))
    here = theory.curve(history.subjects, history.height, len(history.goods))
    measured = table(results, here)
    return [shop.data_part(history, data), _curves(paper, here, history, measured), _measured(measured)]


def settings(customers: int) -> dict[ClusterSetting, int]:
    """Return what is clustered, and how often."""
    return {
        ClusterSetting(method, clusters, shop.largest_least(method, clusters, customers)): runs
        for method, runs in zip(METHODS, (RUNS, RUNS_OF_MINIMAL), strict=True)
        for clusters in (shop.scaled_clusters(count, customers) for count in CLUSTERS)
    }


def table(results: ClusterResults, here: Curve) -> pl.DataFrame:
    """Return Δm, its share of the scale, the rate and the total, measured and by the theory."""
    lines = []
    for setting, runs in results.items():
        dummies, drawn = (float(np.mean([getattr(run, name) for run in runs])) for name in ("dummies", "drawn"))
        cost = dummies / here.dummies[0]
        expected = float(here.dummies[setting.clusters - 1]), float(here.total[setting.clusters - 1])
        lines.append(
            (setting.method, setting.clusters, setting.least, len(runs), dummies, cost, drawn, cost + drawn, *expected)
        )
    names = "method c s_min runs dummies cost random total expected_dummies expected_total"
    return pl.DataFrame(lines, names.split(), orient="row")


def curves(paper: Curve, here: Curve) -> pl.DataFrame:
    """Return both curves, point by point."""
    parts = [
        pl.DataFrame(
            {"curve": name, "c": curve.clusters, "dummies": curve.dummies, "reid": curve.reid, "total": curve.total}
        )
        for name, curve in (("paper", paper), ("history", here))
    ]
    return pl.concat(parts)


def _curves(paper: Curve, here: Curve, history: History, measured: pl.DataFrame) -> Part:
    frame = curves(paper, here)
    sentence = (
        f"Best c by the theory: {paper.best} for the paper's counts (printed {printed.P1_FIGURE_14['best']}), "
        f"E(Δm at c = 1) {paper.dummies[0]:,.0f} (printed {printed.P1_FIGURE_14['scale']:,}); {here.best} for this "
        f"history ({history.subjects:,} customers, {history.height:,} rows, {len(history.goods):,} goods)."
    )
    return Part(
        "curves",
        "E(Δm), E(Reid) and their total for every c: `paper` with the paper's counts, `history` with the history's.",
        frame,
        conclusion=sentence,
        figure=lambda: shop_plots.optimum(frame, measured),
    )


def _measured(frame: pl.DataFrame) -> Part:
    return Part(
        "measured",
        "Δm, its share of E(Δm at c = 1), the random rate and the total of both methods, with the theory's beside.",
        frame,
        conclusion=" ".join(_conclusion(frame.filter(method=method)) for method in METHODS),
        view=lambda: _view(frame),
    )


def _conclusion(frame: pl.DataFrame) -> str:
    best = frame.sort("total", maintain_order=True).row(0, named=True)
    return f"Best c measured with {best['method']}: {best['c']} (total {best['total']:.3f}, Δm {best['dummies']:,.0f})."


def _view(frame: pl.DataFrame) -> Table:
    theirs, ours = (frame.filter(method=method).to_dicts() for method in METHODS)
    rows = [
        [
            str(a["c"]),
            f"{a['expected_dummies']:,.0f}",
            f"{a['dummies']:,.0f}",
            f"{b['dummies']:,.0f}",
            *(f"{value:.3f}" for value in (a["expected_total"], a["total"], b["total"])),
        ]
        for a, b in zip(theirs, ours, strict=True)
    ]
    head = ["c", "E(Δm)", *METHODS, "E(total)", *METHODS]
    return text_table("Dummies and total, expected and measured", head, rows)
