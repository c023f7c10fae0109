"""The utility of a health survey after deletion (cnt, rate, Coef, OR, pvalue, cor) against pandas and statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import icefire
from benchmarks.data import unseen
from benchmarks.results import Peer, Timing
from benchmarks.wall_time import compare_wall_time
from icefire.core.registry import get
from icefire.core.release import Case, Comparison, Truth

SIZES = (4_190, 100_000)
COLUMNS = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "qm")
OUTCOME = "dia"
FORMULA = f"{OUTCOME} ~ {' + '.join(COLUMNS)}"
EDGES = {"age": [19, 44, 64, 80], "bmi": [15, 18.5, 25, 30, 70]}
TABLES = {
    "columns": COLUMNS,
    "by": OUTCOME,
    "bins": "; ".join(f"{name}: {' '.join(map(str, edges))}" for name, edges in EDGES.items()),
}
MEASURES: dict[str, dict[str, Any]] = {
    "cnt": TABLES,
    "rate": TABLES,
    "coef": {"formula": FORMULA},
    "or": {"formula": FORMULA},
    "pvalue": {"formula": FORMULA},
    "cor": {},
}


def benchmark(rows: int | None) -> list[Timing]:
    """Contest size and a hundred thousand rows by default."""
    return [row for size in ([rows] if rows else SIZES) for row in _compare(size)]


def _compare(rows: int) -> list[Timing]:
    data = icefire.sample("survey", rows)
    kept = np.flatnonzero(data.frame.select(pl.col("age").is_between(22, 75) & pl.col("bmi").is_between(20, 50)))
    truth = Truth(kept.astype(np.int64))
    released = data.take(truth.rows)
    frames = [table.frame.to_pandas() for table in (data, released)]
    return compare_wall_time(
        f"utility of a survey, {rows:,} rows",
        lambda: _ours(Comparison(Case(unseen(data), unseen(released)), truth)),
        [Peer("pandas and statsmodels", lambda: _theirs(*frames), same=_close)],
    )


def _ours(comparison: Comparison) -> list[float]:
    return [
        float(get("measure", f"{name}_{form}").function(comparison, **parameters))
        for name, parameters in MEASURES.items()
        for form in ("max", "mean")
    ]


def _theirs(before: Any, after: Any) -> list[float]:
    import pandas as pd
    import statsmodels.api as sm
    import statsmodels.formula.api as smf

    def counts(table: Any) -> Any:
        cut = {n: pd.cut(table[n].clip(e[0], e[-1]), e, labels=[str(edge) for edge in e[1:]]) for n, e in EDGES.items()}
        binned = table.assign(**cut).astype({"dep": str, "pir": str})
        return pd.concat([pd.crosstab(binned[name], binned[OUTCOME]) for name in COLUMNS], keys=COLUMNS).stack()

    left, right = counts(before), counts(after)
    models = [smf.glm(FORMULA, data=table, family=sm.families.Binomial()).fit() for table in (before, after)]
    correlations = [pd.get_dummies(table, dtype=float).corr() for table in (before, after)]
    changes = [
        left.sub(right, fill_value=0),
        (left / len(before)).sub(right / len(after), fill_value=0),
        models[0].params - models[1].params,
        np.exp(models[0].params) - np.exp(models[1].params),
        models[0].pvalues - models[1].pvalues,
        (correlations[0] - correlations[1]).stack(),
    ]
    return [float(figure) for change in changes for figure in (change.abs().max(), change.abs().mean())]


def _close(ours: list[float], theirs: list[float]) -> bool:
    return bool(np.allclose(ours, theirs, rtol=1e-5, atol=1e-7))
