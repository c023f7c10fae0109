"""Risk models and the exact rate of drawn answers on tables in parts."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core.parameters import Columns
from icefire.core.parts import ROW, Bucket, Job, PartedTables
from icefire.core.scorecard.class_risk import ClassRisk
from icefire.core.scorecard.risks import Classes, Risks
from icefire.engines.tables import JudgedTables
from icefire.kernels.types import Float, Int
from icefire.risk import safe_harbour
from icefire.risk.assessment import Options
from icefire.risk.class_table import class_table

RECODED = (
    "the release recodes quasi-identifiers by a fixed rule ({columns}), and recoding the original alike needs the "
    "whole table at once; it runs on the engine local alone"
)


def class_risks(
    judged: JudgedTables, truth: Int, options: Options, sample: pl.DataFrame
) -> tuple[Risks, dict[str, str]]:
    """Sum up what follows from the sizes of the classes; returns also which models could not run, with the reason.

    Args:
        judged: The tables and their truth.
        truth: The original row of each released row.
        options: Threshold and size of the population.
        sample: Some released rows, in which identifiers are sought.
    """
    left_out = {"special_uniques": "needs the whole table at once; it runs on the engine local alone"}
    classes = None
    recoded = _recoded(judged, truth)
    if recoded:
        left_out["risk_models"] = RECODED.format(columns=", ".join(recoded))
    elif judged.schema.qi:
        classes = _classes(class_table(judged, judged.schema.qi), options)
    if options.population is not None:
        left_out["population"] = "needs the whole table at once; it runs on the engine local alone"
    risks = Risks(judged.targets, options.threshold, classes, None, {}, safe_harbour.check(sample))
    return risks, left_out


def _classes(counted: pl.DataFrame, options: Options) -> Classes:
    shown = counted.filter(pl.col("released") > 0)
    own, known, classes = (shown[name].to_numpy() for name in ("released", "original", "classes"))
    rows = own * classes
    searched = np.where(known > 0, 1 / np.maximum(known, 1), 0.0)
    unique = own == 1
    return Classes(
        prosecutor=_summary(1 / own, rows, options.threshold),
        journalist=_summary(searched, rows, options.threshold),
        marketer=float((searched * rows).sum() / rows.sum()),
        unmatched=int(rows[known == 0].sum()),
        recoded=[],
        unique=int(rows[unique].sum()),
        unique_in_original=int(rows[unique & (known == 1)].sum()),
    )


def _summary(chances: Float, rows: Int, threshold: float) -> ClassRisk:
    mean = float((chances * rows).sum() / rows.sum())
    return ClassRisk(float(chances.max()), mean, int(rows[chances > threshold].sum()))


def _recoded(judged: JudgedTables, truth: Int) -> list[str]:
    """Name the quasi-identifiers of which each original value always became the same other one; see `risk.recoding`."""
    return [name for name in judged.schema.qi if judged.paired(name, _changed) and _follows_rule(judged, name)]


def _changed(x: pl.Series, y: pl.Series) -> float:
    return float(x.ne_missing(y).sum())


def _follows_rule(judged: JudgedTables, name: str) -> bool:
    pairs = judged.value_pairs(name)
    return pairs.height == pairs["before"].n_unique() and 2 * pairs.height <= judged.targets


def expected_rate(tables: PartedTables, truth: Int, qi: Columns, whole: int | None) -> float:
    """Return the mean chance that a uniform draw among the rows of the same class is right.

    Args:
        tables: The tables.
        truth: The original row of each released row.
        qi: Quasi-identifiers that were compared. Default: all.
        whole: Denominator. Default: the number of released rows.
    """
    keys = tables.schema.pick(qi, tables.schema.qi, "qi")

    def part(bucket: Bucket) -> pl.DataFrame:
        candidates = bucket.blocks(keys).candidates
        rows = bucket.x[ROW].to_numpy()
        own = truth[bucket.y[ROW].to_numpy()]
        order = np.argsort(rows, kind="stable")
        place = np.minimum(np.searchsorted(rows[order], own), max(len(rows) - 1, 0))
        local = np.full(len(own), -1, np.int64)
        if len(rows):
            local = np.where(rows[order[place]] == own, order[place], -1)
        chances = (candidates.include(local) / np.maximum(candidates.sizes, 1)) if len(rows) else np.zeros(len(own))
        return pl.DataFrame({"chance": [float(chances.sum())]})

    total = sum(
        frame["chance"].sum() for frame in tables.run_job(Job("expected rate", keys, part, {"chance": pl.Float64}))
    )
    return float(total) / (tables.targets if whole is None else whole)
