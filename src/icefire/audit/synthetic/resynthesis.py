"""Without a hold-out, with a recipe: a part of the original is kept back, and a release is made anew from the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.audit.judge import Z_95
from icefire.audit.scores import auc_with_interval
from icefire.audit.synthetic.copies import MOST_ROWS
from icefire.audit.synthetic.tables import SyntheticTables
from icefire.core import align, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.mixed_distances import nearest_people
from icefire.core.scorecard import Reason
from icefire.core.types import Progress
from icefire.kernels.types import Float
from icefire.recipe.run import run_recipe
from icefire.recipe.steps import Recipe
from icefire.words import t

KEPT_BACK = 0.25
"""The part of the original that the new release is made without, in large tables."""
WANTED = 500
"""So many people are kept back where a quarter would be fewer, but never more than half."""
DEVIATIONS = 3.3
"""The file given is nearer to the original than what the recipe makes, beyond chance by so many deviations."""
NEARER = 0.55
"""And in at least this share of comparisons."""


@dataclass(frozen=True, slots=True)
class Resynthesis:
    """Tables of the new release, and whether the file given may have been made in the same way."""

    tables: SyntheticTables
    contradiction: list[Reason]


def resynthesise(tables: SyntheticTables, recipe: Recipe, seed: int, progress: Progress) -> Resynthesis:
    """Keep a part of the people back, and make a release from the others by the recipe.

    Args:
        tables: The tables given, without a hold-out.
        recipe: How the release was made.
        seed: Seed of the split and of the new release.
        progress: Called with the name of each stage.

    Raises:
        InputError: If the recipe makes a table without the columns that are compared.
    """
    order = seeds.generator(seed, "split").permutation(tables.original.height)
    kept_back = max(1, round(KEPT_BACK * len(order)), min(WANTED, len(order) // 2))
    outside, inside = np.sort(order[:kept_back]), np.sort(order[kept_back:])
    progress("ice: making the release anew from a part of the original")
    anew = _made_by(recipe, tables, tables.original_as_read.take(inside), seed)
    again = tables.with_release(tables.original.take(inside), anew, tables.original.take(outside))
    whole = _made_by(recipe, tables, tables.original_as_read, seed)
    return Resynthesis(again, _made_otherwise(tables, whole))


def _made_by(recipe: Recipe, tables: SyntheticTables, original: Dataset, seed: int) -> Dataset:
    """Return what the recipe makes of an original, with the columns and types of the tables compared."""
    drawn = Recipe(recipe.steps, seeds.generator(seed, "resynthesis").integers(0, 2**31).item())
    frame = run_recipe(original, drawn).released.frame
    lacking = [name for name in tables.compared if name not in frame.columns]
    if lacking:
        raise InputError(
            f"the recipe makes a table without {lacking[0]!r}, which the release has; give the recipe of this release"
        )
    columns = [_with_type(frame[name], tables.original.frame[name].dtype) for name in tables.compared]
    return tables.original.with_frame(pl.DataFrame(columns))


def _with_type(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    if dtype == pl.String:
        return align.as_text(column).cast(pl.String)
    numbers = align.as_numbers(column)
    if numbers is None:
        raise InputError(
            f"the recipe makes text of {column.name!r}, which holds numbers in the release; "
            "give the recipe of this release"
        )
    return numbers


def _made_otherwise(tables: SyntheticTables, whole: Dataset) -> list[Reason]:
    """Refuse a file that is nearer to the original than what the recipe makes of the original."""
    given, anew = (_to_original(tables, table) for table in (tables.released, whole))
    nearer = -np.concatenate([given, anew])
    auc, (low, high) = auc_with_interval(nearer, np.arange(len(nearer)) < len(given))
    if auc < NEARER or auc - DEVIATIONS * (high - low) / (2 * Z_95) <= 0.5:
        return []
    text = t("verdict.further.made_otherwise")
    return [Reason("not_assessed", text, {"nearer": auc})]


def _to_original(tables: SyntheticTables, table: Dataset) -> Float:
    rows = table.frame[:MOST_ROWS]
    nearest = nearest_people(tables.original.frame, rows, tables.compared, tables.scales, 1)
    distances: Float = nearest.distances[:, 0]
    return distances
