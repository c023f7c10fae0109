"""Apply a recipe and publish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from icefire import recipe as recipes
from icefire.audit import run
from icefire.audit.run import Plan
from icefire.core import align
from icefire.core.dataset import Dataset
from icefire.core.history import History, HistoryCase, HistoryComparison
from icefire.core.release import Case, Comparison, Release
from icefire.core.scorecard import Scorecard
from icefire.core.types import Progress, no_progress
from icefire.io import folder
from icefire.io.read import read
from icefire.recipe import Recipe


def anonymize(
    data: Any,
    recipe: str | Path | Mapping[str, Any] | Recipe,
    *,
    output: str | Path | None = None,
    kind: Literal["csv", "parquet"] = "csv",
    seed: int | None = None,
    force: bool = False,
    progress: Progress = no_progress,
    **reading: Any,
) -> Release[Any]:
    """Apply a recipe and publish the result: shuffled, without identifiers, the truth kept apart.

    With `output` a release folder is written. Keywords of `read` (qi, sa, schema, …) are passed on.
    """
    plan = recipes.load(recipe, seed)
    original = read(data, **reading)
    release: Release[Any]
    if isinstance(original, History):
        release = recipes.run_history(original, plan, progress)
    else:
        release = recipes.run(original, plan, progress)
    if output is not None:
        folder.write(release, _card(original, release, f"released.{kind}", progress), output, kind, force)
    return release


def _card(original: Dataset | History, release: Release[Any], name: str, progress: Progress) -> Scorecard:
    """Measure a release for its own folder: no date and no seconds, so that the same seed gives the same bytes."""
    comparison = _compared(original, release, name)
    left_out: dict[str, str] = {}
    return Scorecard(
        provenance=run.provenance(original, comparison.released, None, "made by the recipe", dated=False),
        roles=run.describe_roles(original),
        measures=run.run_measures(comparison, Plan(), left_out, progress),
        left_out=left_out,
        recipe=release.recipe,
    )


def _compared(original: Dataset | History, release: Release[Any], name: str) -> Comparison | HistoryComparison:
    if isinstance(original, History):
        return HistoryComparison(HistoryCase(original, replace(release.released, name=name)), release.truth)
    return Comparison(Case(*align.match(original, release.released.frame, name)), release.truth)
