"""Run a recipe on data: apply its steps in order, then publish the release."""

from __future__ import annotations

from typing import TypeVar

from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.core.release import Release
from icefire.core.types import Progress, no_progress
from icefire.recipe.adapters import adapter_of
from icefire.recipe.preflight import check
from icefire.recipe.steps import Recipe

DataT = TypeVar("DataT", bound=Dataset | History)


def run_recipe(data: DataT, recipe: Recipe, progress: Progress = no_progress) -> Release[DataT]:
    """Apply the steps in order, then publish.

    Publishing shuffles the rows, takes away the hidden origin and what names people, and keeps the truth apart.

    Args:
        data: A table or a history.
        recipe: The steps and the seed they draw from.
        progress: Called with the name of each step.

    Returns:
        The release, of the same kind as the data.

    Raises:
        IcefireError: If a step does not fit the data; most of that is found before the first step runs.
    """
    check(data, recipe)
    adapter = adapter_of(data)
    changed = adapter.with_origin(data)
    notes = []
    for number, step in recipe.numbered.items():
        progress(f"ice: {step.name}, {number} of {len(recipe.numbered)}")
        changed = step.apply(changed, number, step.generator(recipe.seed))
        notes.append(changed.notes)
    release: Release[DataT] = adapter.publish(changed, data, recipe.as_run(notes), recipe.seed)
    return release
