"""Steps that the studies of the health survey share: get the table, make a release, measure it, attack membership."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import icefire
from icefire import recipe as recipes
from icefire.audit import judge, steps
from icefire.audit.plan import AuditPlan
from icefire.contests import pwscup2021
from icefire.core import membership, registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError, ParameterError
from icefire.core.membership import Draw, MembershipCase
from icefire.core.release import Case, Comparison, Release, Truth
from icefire.kernels.types import Int
from icefire.studies.households import RecipeSteps
from icefire.studies.result import Part

FILE = "B.csv"
ROWS = 4_190
"""Rows of the contest's table."""
LEAST_ROWS = 1_000
"""Among fewer people hardly any two are alike, and nobody has a candidate."""
FEW = 25
"""P3 leaves out rows with at most so many candidates."""
DRAWS = 10
DRIFT = 0.03
"""Means may move by so many standard deviations, so that rates by diabetes stay within their limit as well."""
COMPARED = {"numbers": pwscup2021.NUMBERS, "categories": pwscup2021.CATEGORIES}
FORMULA = "dia ~ " + " + ".join(pwscup2021.EXPLAINING)

KEPT, LEAST_KEPT = "kept", 0.5
FIGURES = ("iloss", "uniqrt", "rate_max", "or_max", "cor_max")
"""What the contest limits besides the share of rows kept."""
BEST_MEAN, BEST_LARGEST = 0.036, 0.067
"""Danger of the best release of the contest's final: on average, and at most."""
STRONGEST = "strongest of each draw"
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {"candidate_bayes next 3": ("candidate_bayes", {"skip": 3})}
"""The same attack, with the three answers after its first three."""


def table(rows: int | None, seed: int, data: Path | None) -> Dataset:
    """Read the contest's table from a folder, or draw the synthetic survey of that many people (default 4,190)."""
    if data is not None:
        if not (data / FILE).is_file():
            raise InputError(f"--data: no file {FILE} in {str(data)!r}; name the folder with {FILE}")
        people = icefire.read(data / FILE, **pwscup2021.READING)
    else:
        if rows is not None and rows < LEAST_ROWS:
            raise ParameterError(f"a survey of {rows} people says nothing; pass --rows {LEAST_ROWS} or more")
        drawn = icefire.sample("survey", rows, seed=seed)
        people = icefire.read(drawn.frame, qi=pwscup2021.EXPLAINING, sa=pwscup2021.READING["sa"])
    assert isinstance(people, Dataset)
    return people


def candidates(original: Dataset, limit: float) -> Int:
    """Count for each row the others within the limit."""
    from icefire.kernels.records import candidates as kernel
    from icefire.methods.surveys import rows

    known = rows.encoded(original, pwscup2021.NUMBERS, pwscup2021.CATEGORIES)
    return kernel.counts(known, known, limit, np.arange(original.height))


def data_part(original: Dataset, data: Path | None) -> Part:
    """Describe the data of the study."""
    final, early = (candidates(original, limit) for limit in (4, 6))
    everybody = Comparison(Case(original, original), Truth(np.arange(original.height)))
    figures = {
        "rows": original.height,
        "share of rows alone by the key of uniqrt": _values(everybody, ("uniqrt",))["uniqrt"],
        "candidates within 4, median": float(np.median(final)),
        "candidates within 6, median": float(np.median(early)),
        f"rows with at most {FEW} candidates within 4": int((final <= FEW).sum()),
        "rows without candidates within 4": int((final == 0).sum()),
    }
    what = "the synthetic survey" if data is None else f"the contest's file {FILE}"
    return Part(
        "data",
        "what the survey is like; a candidate of a row is another within the limit of iloss.",
        pl.DataFrame(list(figures.items()), {"figure": pl.String, "here": pl.Float64}, orient="row"),
        conclusion=f"Data: {what}: {original.height:,} people, half of whom have {np.median(final):.0f} others or more "
        f"within iloss 4.",
    )


def scaled_threshold(original: Dataset, threshold: int) -> int:
    """Return the threshold for a table of another size: the same share of its rows as in the contest."""
    return max(1, round(threshold * original.height / ROWS))


def default_threshold() -> int:
    """Return the number of candidates that `scatter_rows` calls few by default."""
    threshold: int = registry.get("method", "scatter_rows").parameters["few"].default
    return threshold


def delete_swap(limit: float, few: int) -> RecipeSteps:
    """Return P3's steps of the preliminary round: rows with few candidates are deleted, then the others are swapped."""
    delete = {"method": "delete_by_candidates", "limit": limit, "few": few, **COMPARED}
    return [delete, {"method": "swap_rows", "limit": limit, **COMPARED}]


def swap_delete(limit: float, few: int) -> RecipeSteps:
    """Return P3's steps of the final: swapped first, so that values of people left out may be kept in other rows."""
    return [{"method": "swap_rows", "limit": limit, "few": few, **COMPARED}]


def ours(limit: float, few: int) -> RecipeSteps:
    """Return our steps: who is left out is chosen against the attacks, and the others' values are distributed anew."""
    limits = pwscup2021.LIMITS
    most = {"odds_ratio": limits["or_max"], "correlation": limits["cor_max"], "alone": limits["uniqrt"]}
    key = {"key": pwscup2021.EXPLAINING, "formula": FORMULA, "drift": DRIFT}
    return [{"method": "scatter_rows", "limit": limit, "few": few, **COMPARED, **key, **most}]


def make_release(original: Dataset, steps: RecipeSteps, seed: int) -> Release[Dataset]:
    """Publish the table after these steps."""
    return recipes.run_recipe(original, recipes.load({"steps": list(steps)}, seed))


def utility(original: Dataset, release: Release[Dataset]) -> dict[str, float | None]:
    """Measure what the contest limits: uniqueness of the people kept before their values changed, all else after."""
    people = Comparison(Case(original, original.take(release.truth.rows)), release.truth)
    values = _values(Comparison(Case(original, release.released), release.truth), FIGURES)
    return {KEPT: release.released.height / original.height} | values | _values(people, ("uniqrt",))


def _values(comparison: Comparison, names: tuple[str, ...]) -> dict[str, float | None]:
    plan = AuditPlan(measures=names, parameters=pwscup2021.PARAMETERS)
    return {name: result.value for name, result in steps.run_measures(comparison, plan).by_name.items()}


def limits_of_round(limit: float) -> dict[str, float]:
    """Return the limits of a round by figure; all but the share of rows kept, which is the least, are the most."""
    return {KEPT: LEAST_KEPT, "iloss": limit, **pwscup2021.LIMITS}


def is_within(figure: str, value: float | None, limit: float) -> bool:
    """Tell whether a figure is within its limit; one that has no value is not."""
    if value is None:
        return False
    return value >= limit if figure == KEPT else value <= limit


def share_used(figure: str, value: float | None, limit: float) -> float | None:
    """Return how much of its limit a figure uses: 1 is just within."""
    if value is None:
        return None
    return limit / value if figure == KEPT else value / limit


def attacks() -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Return all attacks on membership, each followed by its variants: label → name and parameters."""
    every = registry.entries("attack", "table")
    entries = [entry for entry in every if entry.question == "membership" and entry.release == "rows"]
    plain = {entry.name: (entry.name, dict[str, Any]()) for entry in entries}
    return dict(sorted((plain | VARIANTS).items()))


ATTACK_SCHEMA = {"attack": pl.String, "draw": pl.Int64} | dict.fromkeys(
    ("danger", "recall", "precision", "top_3"), pl.Float64
)


def attack_draws(original: Dataset, release: Release[Dataset], limit: float, seed: int) -> pl.DataFrame:
    """Let every attack answer for the same draws of members and others; one row per attack and draw.

    Attackers know the limit. If fewer than 50 people were left out, as many members as others are asked about.
    """
    lines = [
        (label, draw, *_score(case, truth, *which, limit, seed))
        for draw, (case, truth) in enumerate(_draws(original, release, seed), 1)
        for label, which in attacks().items()
    ]
    return pl.DataFrame(lines, ATTACK_SCHEMA, orient="row")


def _draws(original: Dataset, release: Release[Dataset], seed: int) -> Iterator[tuple[MembershipCase, Truth]]:
    kept = release.released.height
    asked = min(pwscup2021.ASKED, kept, original.height - kept)
    comparison = Comparison(Case(original, release.released), release.truth)
    for draw in range(DRAWS if asked else 0):
        yield membership.sample(comparison, Draw(asked, asked), seeds.generator(seed, "study", "draw", str(draw)))


def _score(
    case: MembershipCase, truth: Truth, name: str, given: Mapping[str, Any], limit: float, seed: int
) -> tuple[float, float, float, float]:
    entry = registry.get("attack", name)
    known = {**COMPARED, "limit": limit, **given}
    parameters = entry.bind({name: value for name, value in known.items() if name in entry.parameters})
    score = judge.membership(truth, steps.attack_case(case, entry, parameters, seed)[0])
    return score.danger_final, score.recall, score.precision, score.top_k


def summarize(results: pl.DataFrame) -> pl.DataFrame:
    """Return mean and largest danger of every attack, the most dangerous on average marked, and of the strongest."""
    means = [pl.col(name).mean() for name in ("recall", "precision", "top_3")]
    danger = [pl.col("danger").mean().alias("mean"), pl.col("danger").max().alias("largest")]
    each = results.group_by("attack", maintain_order=True).agg(*danger, *means)
    each = each.with_columns(worst=pl.col("mean") == pl.col("mean").max())
    strongest = results.group_by("draw", maintain_order=True).agg(pl.col("danger").max())
    return pl.concat([each, strongest.select(*danger, attack=pl.lit(STRONGEST))], how="diagonal")


def worst_attack(summary: pl.DataFrame) -> dict[str, Any]:
    """Return the line of the most dangerous attack; without any draw, one of nothing."""
    marked = summary.filter(pl.col("worst"))
    return marked.row(0, named=True) if marked.height else dict.fromkeys(summary.columns)
