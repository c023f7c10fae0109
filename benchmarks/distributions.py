"""Distances of distributions against scipy and pandas, and pMSE against statsmodels and scikit-learn."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

import icefire
from benchmarks.cpu_time import compare_cpu_time
from benchmarks.data import unseen
from benchmarks.results import Peer, Timing
from icefire.core.dataset import Dataset
from icefire.core.registry import get
from icefire.core.release import Case, Comparison, Truth
from icefire.measures.compared_columns import compare_columns
from icefire.measures.tables.joint_distances import table_distances

SIZES = (8_333, 100_000)
PROPENSITY_ROWS = 8_333


def benchmark(rows: int | None) -> list[Timing]:
    """The households of the sample, with noise and swapped values, and a hundred thousand of them."""
    timings: list[Timing] = []
    for size in [rows] if rows else SIZES:
        data, released = _tables(size)
        timings += _marginals(data, released)
        timings += _pairs(data, released)
    return timings + _propensity(*_tables(rows or PROPENSITY_ROWS))


def _tables(rows: int) -> tuple[Dataset, Dataset]:
    data = icefire.sample("households", rows)
    rng = np.random.default_rng(1)
    changed = []
    for name in (*data.qi, *data.sa):
        values = data.frame[name]
        drawn = values.gather(rng.permutation(rows))
        kept = pl.Series(rng.random(rows) < 0.9)
        changed.append(values.zip_with(kept, drawn).alias(name))
    return data, data.with_columns(*changed).take(np.flatnonzero(rng.random(rows) < 0.8))


def _comparison(data: Dataset, released: Dataset) -> Comparison:
    """A comparison with nothing computed yet."""
    return Comparison(Case(unseen(data), unseen(released)), Truth(np.full(released.height, -1)))


def _marginals(data: Dataset, released: Dataset) -> list[Timing]:
    before, after = data.frame.to_pandas(), released.frame.to_pandas()
    names = [*data.qi, *data.sa]

    def theirs() -> list[float]:
        from scipy.stats import wasserstein_distance

        distances = []
        for name in names:
            x, y = before[name], after[name]
            if x.dtype.kind in "if":
                distances.append(wasserstein_distance(x, y) / np.ptp(x))
            else:
                shares = [side.value_counts(normalize=True) for side in (x, y)]
                distances.append(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2)
        return distances

    return compare_cpu_time(
        f"distance of each of {len(names)} columns, {data.height:,} rows",
        lambda: [d.distance for d in compare_columns(_comparison(data, released), tuple(names)).distances],
        [Peer("scipy and pandas", theirs, same=_close)],
    )


def _pairs(data: Dataset, released: Dataset) -> list[Timing]:
    """Pairs of the text columns; crosstab in pandas is what SDMetrics calls for each of them."""
    import pandas as pd

    names = tuple(name for name in data.qi if data.frame[name].dtype == pl.String)
    before, after = data.frame.to_pandas(), released.frame.to_pandas()

    def theirs() -> list[float]:
        distances = []
        for left, right in combinations(names, 2):
            shares = [pd.crosstab(side[left], side[right], normalize=True).stack() for side in (before, after)]
            distances.append(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2)
        return distances

    return compare_cpu_time(
        f"joint tables of {len(names)} text columns by pairs, {data.height:,} rows",
        lambda: table_distances(_comparison(data, released), names).distances.tolist(),
        [Peer("pandas crosstab", theirs, same=_close)],
    )


def _propensity(data: Dataset, released: Dataset) -> list[Timing]:
    names = tuple(name for name in (*data.qi, *data.sa) if data.frame[name].n_unique() <= 20 or _is_number(data, name))
    matrix, outcome = _design(data, released, names)

    def by_statsmodels() -> float:
        import statsmodels.api as sm

        fitted = sm.GLM(outcome, sm.add_constant(matrix), family=sm.families.Binomial()).fit()
        return _pmse(fitted.fittedvalues, outcome)

    def by_scikit_learn() -> float:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=1e6, max_iter=1000, tol=1e-10).fit(matrix, outcome)
        return _pmse(model.predict_proba(matrix)[:, 1], outcome)

    entry = get("measure", "pmse")
    return compare_cpu_time(
        f"pMSE, {len(names)} columns, {data.height:,} + {released.height:,} rows",
        lambda: float(entry.function(_comparison(data, released), columns=names)),
        [Peer("statsmodels", by_statsmodels, same=_close), Peer("scikit-learn", by_scikit_learn, same=_close)],
    )


def _is_number(data: Dataset, name: str) -> bool:
    return data.frame[name].dtype.is_numeric()


def _design(data: Dataset, released: Dataset, names: tuple[str, ...]) -> tuple[Any, Any]:
    """Standardised numbers and one column per value but the first, as the peers want them."""
    import pandas as pd

    both = pl.concat([data.frame.select(names), released.frame.select(names)]).to_pandas()
    coded = pd.get_dummies(both, drop_first=True, dtype=float)
    coded = coded.loc[:, coded.std() > 0]
    scaled = ((coded - coded.mean()) / coded.std()).to_numpy()
    return scaled, np.repeat([0.0, 1.0], [data.height, released.height])


def _pmse(chance: Any, outcome: Any) -> float:
    return float(((chance - outcome.mean()) ** 2).mean())


def _close(ours: Any, theirs: Any) -> bool:
    return bool(np.allclose(ours, theirs, rtol=1e-4, atol=1e-9))
