"""Steps that the studies of purchase histories share: get the history, cluster its customers, read the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import polars as pl

import icefire
from icefire import recipe as recipes
from icefire.audit import judge
from icefire.audit.inspection import history_statistics
from icefire.audit.plan import AuditPlan
from icefire.audit.steps import run_measures
from icefire.contests import pwscup2016
from icefire.core import seeds
from icefire.core.errors import InputError, ParameterError, SchemaError
from icefire.core.history import Baskets, History, HistoryCase, HistoryComparison
from icefire.core.release import Truth
from icefire.core.types import Progress
from icefire.kernels.types import Int
from icefire.studies import printed, resemblance_plot
from icefire.studies.households import LEAST_ROWS
from icefire.studies.result import Part

Value = TypeVar("Value")

FILES = ("M.csv", "T.csv")
SIZED = ("balanced", "smallest_first", "minimal")
"""Methods that keep a least size of a cluster."""
SLOW = "minimal"
"""Progress is shown for every run of it, and it is run less often."""
METHODS = {
    "euclidean": "Euclidean k-means",
    "simple": "simple (Jaccard k-means)",
    "tfidf": "tfidf (Method 1)",
    "balanced": "balanced (Method 2)",
    "smallest_first": "smallest first (Method 2, read otherwise)",
    "minimal": "minimal (ours)",
}
"""The methods, and their names in pictures."""
ATTACKS = {"Jaccard": "jaccard", "random": "random_in_cluster"}
UTILITIES = {"U1": "u1_cmae", "U2": "u2_cmae", "U3": "u3_rfm"}


def history(rows: int | None, seed: int, data: Path | None) -> History:
    """Read the contest's history from a folder, or draw the synthetic shop of that many customers (default 400)."""
    if data is not None:
        return _contest(data)
    if rows is not None and rows < LEAST_ROWS:
        raise ParameterError(f"a shop of {rows} customers says nothing; pass --rows {LEAST_ROWS} or more")
    drawn: History = icefire.sample("shop", rows, seed=seed)
    return drawn


def _contest(folder: Path) -> History:
    for name in FILES:
        if not (folder / name).is_file():
            raise InputError(f"--data: no file {name} in {str(folder)!r}; name the folder with {' and '.join(FILES)}")
    customers, transactions = (folder / name for name in FILES)
    return cast(History, icefire.read(transactions, customers=customers, **pwscup2016.CONTEST.reading))


def data_part(history: History, data: Path | None) -> Part:
    """Describe the data of the study, with the paper's description of the contest's data."""
    statistics = history_statistics.describe_history(history)
    here = {
        "customers": statistics.customers,
        "rows": statistics.rows,
        "receipts": statistics.receipts,
        "goods": statistics.goods,
        "goods per customer": statistics.goods_per_customer.mean,
        "mean Jaccard": statistics.jaccard.mean,
        "largest Jaccard": statistics.jaccard.max,
    }
    columns = {"here": pl.Float64, "printed": pl.Float64}
    lines = [(name, value, printed.P1_TABLE_3[name]) for name, value in here.items()]
    what = "the synthetic shop" if data is None else f"the contest's files {' and '.join(FILES)}"
    return Part(
        "data",
        "what the history is like, beside P1's Table 3; the picture is Figure 2.",
        pl.DataFrame(lines, {"figure": pl.String, **columns}, orient="row"),
        conclusion=f"Data: {what}: {statistics.customers:,} customers, {statistics.rows:,} rows, "
        f"{statistics.goods:,} goods.",
        figure=lambda: resemblance_plot.resemblance(statistics.jaccard),
    )


def scaled_clusters(clusters: int, customers: int) -> int:
    """Return as many clusters as make them as large as the paper's, whose shop has 400 customers."""
    return max(1, round(clusters * customers / printed.P1_CUSTOMERS))


def if_comparable(customers: int, value: Value | None) -> Value | None:
    """Return a printed figure if there are as many customers as in the paper, else None."""
    return value if customers == printed.P1_CUSTOMERS else None


def formatted(value: float | None, digits: int = 0) -> str:
    """Write a number that may be missing."""
    return "" if value is None else f"{value:,.{digits}f}"


@dataclass(frozen=True, slots=True)
class ClusterSetting:
    """How customers are clustered: method, number of clusters, least size (None where the method keeps none)."""

    method: str
    clusters: int
    least: int | None = None

    def __str__(self) -> str:
        return f"{self.method}, c = {self.clusters}{'' if self.least is None else f', s_min = {self.least}'}"


def largest_least(method: str, clusters: int, customers: int) -> int | None:
    """Return ⌊n / c⌋, the largest least size, for methods that keep one."""
    return customers // clusters if method in SIZED else None


def cluster(baskets: Baskets, setting: ClusterSetting, seed: int, run: int) -> Int:
    """Return the cluster of every customer.

    Runs of the same number start from the same draws, so that methods are compared fairly.
    """
    from icefire.methods.histories import clustering
    from icefire.studies import euclidean

    rng = seeds.generator(seed, "study", "clusters", str(setting.clusters), str(run))
    if setting.method == "euclidean":
        return euclidean.labels(baskets, setting.clusters, rng)
    how: Any = setting.method
    return clustering.labels(baskets, how, setting.clusters, setting.least, rng)


@dataclass(frozen=True, slots=True)
class ClusteringResult:
    """What clusters cost and what attackers find after dummies were added."""

    dummies: int
    """Δm."""
    jaccard: float
    """Expected rate of Algorithm 1, which compares sets."""
    drawn: float
    """Expected rate of a random draw inside a cluster: clusters over customers."""
    sizes: Int
    """Customers of each cluster."""


ClusterResults = Mapping[ClusterSetting, Sequence[ClusteringResult]]
"""The results of every run, by setting."""


def evaluate(baskets: Baskets, labels: Int) -> ClusteringResult:
    """Compute the result from the clusters alone, without making the rows."""
    from icefire.attacks.histories.matching import most_similar
    from icefire.methods.histories import clustering

    sizes = np.bincount(labels[labels >= 0])
    score = judge.score(Truth(np.arange(baskets.subjects)), most_similar(baskets, _after_dummies(baskets, labels)))
    rate = score.rate if score.expected is None else score.expected
    return ClusteringResult(clustering.dummies_needed(baskets, labels), rate, len(sizes) / baskets.subjects, sizes)


def _after_dummies(baskets: Baskets, labels: Int) -> Baskets:
    """The set of every customer: all goods of his cluster; label -1 has none."""
    from icefire.kernels.baskets import set_groups
    from icefire.methods.histories import clustering

    together = clustering.unions(baskets, labels)
    start = np.append(together.start, together.start[-1])
    return Baskets(*set_groups.select_sets(start, together.items, labels), baskets.goods)


def run_settings(
    baskets: Baskets, runs: Mapping[ClusterSetting, int], seed: int, progress: Progress
) -> dict[ClusterSetting, list[ClusteringResult]]:
    """Cluster with every setting as often as asked for."""
    return {setting: list(_repeated(baskets, setting, count, seed, progress)) for setting, count in runs.items()}


def _repeated(
    baskets: Baskets, setting: ClusterSetting, count: int, seed: int, progress: Progress
) -> Iterator[ClusteringResult]:
    for run in range(count):
        if run == 0 or setting.method == SLOW:
            progress(f"{setting}: run {run + 1} of {count}")
        yield evaluate(baskets, cluster(baskets, setting, seed, run))


def release_figures(history: History, setting: ClusterSetting, seed: int) -> dict[str, float]:
    """Make the release with dummies; returns Δm, the contest's three utilities and both rates."""
    step = {"method": "dummies", "clustering": setting.method, "clusters": setting.clusters}
    sized = {} if setting.least is None else {"min_size": setting.least}
    release = recipes.run_recipe(history, recipes.load({"steps": [step | sized]}, seed))
    case = HistoryCase(history, release.released)
    rates = {name: attack_rate(case, release.truth, attack, seed) or 0.0 for name, attack in ATTACKS.items()}
    added = release.released.height - history.height
    return {"Δm": float(added), **utilities(case, release.truth), **rates}


def utilities(case: HistoryCase, truth: Truth) -> dict[str, float]:
    """Return the contest's three losses by their codes; nan where one is not defined."""
    plan = AuditPlan(measures=tuple(UTILITIES.values()))
    values = run_measures(HistoryComparison(case, truth), plan).by_name
    lost = {code: values[name].value for code, name in UTILITIES.items()}
    return {code: np.nan if value is None else value for code, value in lost.items()}


def attack_rate(case: HistoryCase, truth: Truth, attack: str, seed: int) -> float | None:
    """Return what an attack finds, the exact expectation where it draws among equals; None where it lacks a column."""
    try:
        guess = icefire.attack(attack, case.known, case.released, seed=seed)
    except SchemaError:
        return None
    score = judge.score(truth, guess, case.choices)
    return score.rate if score.expected is None else score.expected
