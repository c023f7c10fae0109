"""P3: how many candidates a record has, and the effect of the limit of iloss and of the deletion threshold.

A candidate of a record is another one within the limit of iloss: age and body mass index differ by no more, and no
more than so many of the eight categories differ. P3 swaps a record with a candidate, and an attacker who knows that
names candidates: a record with few of them is identified. Therefore rows with at most 25 candidates are deleted; P3
says that the limits of utility allow no more.

- `candidates`: the histogram, at the limits of the final (4) and of the preliminary round (6).
- `limits`: both pipelines at limits 2 to 8, each with its own threshold. `swap-delete` is P3's of the final (25),
  `ours` is `scatter_rows`, which leaves anybody else out as well, so that it is hard to tell who is there.
- `thresholds`: the same at limit 4 with thresholds from 5 to 100 candidates.

Danger is that of the worst attack, the one with the highest mean over ten draws of 50 people kept and 50 left out (as
many of both as there are, where fewer than 50 were left out or kept); see `p3-pipeline`. Ten draws are few: the mean of
another ten may lie 0.01 beside. Utility is shown as the share of each limit used: above 1 it is broken. Thresholds are
those for 4,190 rows; of another number they are as large a share.

Without --data the survey is synthetic (4,190 people unless you ask for another number).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich.table import Table

from icefire.core.dataset import Dataset
from icefire.core.types import Progress
from icefire.studies import survey, survey_plots
from icefire.studies.result import Part, text_table
from icefire.studies.survey import FEW, KEPT

HISTOGRAM = {4: 10, 6: 20}
"""Limit → width of a bar."""
LIMITS = (2, 3, 4, 5, 6, 7, 8)
THRESHOLDS = (5, 10, 15, 20, 25, 35, 50, 75, 100)
FINAL = 4
PIPELINES = {"swap-delete": survey.swap_delete, "ours": survey.ours}


def parts(rows: int | None, seed: int, progress: Progress, data: Path | None = None) -> list[Part]:
    """Count the candidates, and make releases at every limit and every threshold."""
    original = survey.table(rows, seed, data)
    usual = {"swap-delete": FEW, "ours": survey.default_threshold()}
    by_limit = {name: [(limit, few) for limit in LIMITS] for name, few in usual.items()}
    by_threshold = {name: [(FINAL, threshold) for threshold in THRESHOLDS] for name in usual}
    return [
        survey.data_part(original, data),
        _candidates(original),
        _sweep("limits", "limit", swept(original, by_limit, seed, progress)),
        _sweep("thresholds", "threshold", swept(original, by_threshold, seed, progress)),
    ]


def swept(
    original: Dataset, settings: Mapping[str, Sequence[tuple[int, int]]], seed: int, progress: Progress
) -> pl.DataFrame:
    """Make, measure and attack a release of each pipeline at every limit and threshold asked for."""
    lines = []
    for name, pairs in settings.items():
        for limit, threshold in pairs:
            progress(f"{name}: limit {limit}, threshold {threshold}")
            lines.append({"pipeline": name, **_measured(original, name, limit, threshold, seed)})
    return pl.DataFrame(lines, infer_schema_length=None)


def _measured(original: Dataset, name: str, limit: int, threshold: int, seed: int) -> dict[str, Any]:
    release = survey.make_release(original, PIPELINES[name](limit, survey.scaled_threshold(original, threshold)), seed)
    values = survey.utility(original, release)
    most = survey.limits_of_round(limit)
    worst = survey.worst_attack(survey.summarize(survey.attack_draws(original, release, limit, seed)))
    return {
        "limit": limit,
        "threshold": threshold,
        **values,
        **{f"{figure}_used": survey.share_used(figure, values[figure], most[figure]) for figure in most},
        "within": all(survey.is_within(figure, values[figure], most[figure]) for figure in most),
        **{f"danger_{column}": worst[column] for column in ("attack", "mean", "largest")},
    }


def histogram(counts: np.ndarray, width: int) -> pl.DataFrame:
    """Count the rows by number of candidates."""
    edges = np.arange(0, counts.max() + 1 + width, width)
    rows = np.histogram(counts, edges)[0]
    return pl.DataFrame({"least": edges[:-1], "most": edges[1:] - 1, "rows": rows})


def _candidates(original: Dataset) -> Part:
    counted = {limit: survey.candidates(original, limit) for limit in HISTOGRAM}
    bars = {limit: histogram(counts, HISTOGRAM[limit]) for limit, counts in counted.items()}
    few = survey.scaled_threshold(original, FEW)
    return Part(
        "candidates",
        "rows by number of candidates (from `least` to `most`), at limits 4 and 6.",
        pl.concat([frame.select(pl.lit(limit).alias("limit"), pl.all()) for limit, frame in bars.items()]),
        conclusion=" ".join(_conclusion(limit, counts, few) for limit, counts in counted.items()),
        figure=lambda: survey_plots.candidates(counted, bars, few),
    )


def _conclusion(limit: int, counts: np.ndarray, few: int) -> str:
    return (
        f"Within iloss {limit}: {counts.min():,} to {counts.max():,} candidates, median {np.median(counts):g}; "
        f"{(counts == 0).sum():,} rows have none, {(counts <= few).sum():,} at most {few}."
    )


def _sweep(name: str, varied: str, frame: pl.DataFrame) -> Part:
    return Part(
        name,
        f"by pipeline and {varied}: rows kept, utility, share of each limit used, and danger of the worst attack.",
        frame,
        conclusion=" ".join(_describe_within(pipeline, varied, frame) for pipeline in PIPELINES),
        view=lambda: _view(varied, frame),
        figure=lambda: survey_plots.sweep(frame, varied),
    )


def _describe_within(pipeline: str, varied: str, frame: pl.DataFrame) -> str:
    """Say where a pipeline is within all limits, and where it is least dangerous there."""
    part = frame.filter(pl.col("within"), pipeline=pipeline).drop_nulls("danger_mean")
    if not part.height:
        return f"{pipeline}: at no {varied} within all limits."
    best = part.sort("danger_mean", maintain_order=True).row(0, named=True)
    places = ", ".join(str(value) for value in part[varied])
    return (
        f"{pipeline}: within all limits at {varied} {places}; least dangerous there at {best[varied]} "
        f"(mean {best['danger_mean']:.3f}, largest {best['danger_largest']:.3f})."
    )


def _view(varied: str, frame: pl.DataFrame) -> Table:
    figures = (KEPT, "uniqrt", "rate_max", "or_max", "cor_max")
    rows = [
        [
            line["pipeline"],
            str(line[varied]),
            *("none" if line[figure] is None else f"{line[figure]:.3f}" for figure in figures),
            "yes" if line["within"] else "no",
            *("" if line[name] is None else f"{line[name]:.3f}" for name in ("danger_mean", "danger_largest")),
        ]
        for line in frame.to_dicts()
    ]
    head = ["pipeline", varied, KEPT, "uniqrt", "rate", "OR", "cor", "within", "danger", "largest"]
    return text_table(f"Utility and danger by {varied}", head, rows)
