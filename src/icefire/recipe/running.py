"""From a table and a recipe to a release."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefire.core import seeds
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.release import Release, Truth
from icefire.core.schema import Role
from icefire.core.types import Progress, no_progress
from icefire.recipe.applying import apply, with_origin
from icefire.recipe.checking import check
from icefire.recipe.steps import Recipe

SAFE_IDS = ("released_ids", "pseudonyms")
"""Notes by which a method says that it put something safe to hand out into identifier columns."""


def run(data: Dataset, recipe: Recipe, progress: Progress = no_progress) -> Release[Dataset]:
    """Apply the steps in order, then publish: shuffle, strip the hidden origin, keep the truth apart."""
    check(data, recipe)
    table = with_origin(data)
    notes = []
    for number, step in enumerate(recipe.steps, 1):
        progress(f"ice: {step.entry.name}")
        table = apply(table, number, step, step.generator(recipe.seed))
        notes.append(table.notes)
    return publish(table, recipe.as_run(notes), recipe.seed)


def publish(table: Dataset, as_run: dict[str, Any], seed: int) -> Release[Dataset]:
    """Shuffle the rows, split the origin off, and hand out the table without identifiers.

    An identifier column stays only where a step noted that it put pseudonyms into it.
    """
    shuffled = table.take(seeds.generator(seed, "publish").permutation(table.height))
    truth = Truth(shuffled.frame[ORIGIN].to_numpy().astype(np.int64))
    notes = [step.get("notes", {}) for step in as_run.get("steps", ())]
    safe = {name for noted in notes for note in SAFE_IDS for name in noted.get(note, ())}
    hidden = [ORIGIN, *(name for name in table.schema.named(Role.ID) if name not in safe)]
    return Release(shuffled.with_frame(shuffled.frame.drop(hidden)), truth, as_run, seed)
