"""Everything that can be said of a recipe before it is used: mistakes, and hints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.errors import IcefireError
from icefire.core.history import History
from icefire.recipe import checking, habits, histories, history_rehearsal, rehearsal
from icefire.recipe.faults import Fault
from icefire.recipe.hints import Hint, hints
from icefire.recipe.reading import Parsed, parse
from icefire.recipe.rehearsal import Effect
from icefire.recipe.steps import Recipe

REHEARSAL_ROWS = 20_000
"""A larger table is rehearsed on so many of its rows, evenly spaced."""


@dataclass(frozen=True, slots=True)
class Review:
    """What is wrong with a recipe, and what looks odd."""

    steps: int
    faults: tuple[Fault, ...]
    hints: tuple[Hint, ...]
    rehearsed: int = 0
    """Rows the steps were tried on."""

    @property
    def fine(self) -> bool:
        """Tell whether the recipe can be used."""
        return not self.faults


def review(source: str | Path | Mapping[str, Any], data: Dataset | History | None = None) -> Review:
    """Find every mistake, in the recipe alone and against the data, and try the steps if there is none."""
    found = parse(source)
    if isinstance(data, History):
        return _review_history(found, data)
    faults = [*found.faults, *(checking.every_fault(data, found.steps) if data is not None else ())]
    faults.sort(key=lambda fault: fault.step or 0)
    remarks = hints(found.steps)
    if faults or data is None:
        return Review(found.count, tuple(faults), tuple(remarks))
    recipe = Recipe(tuple(found.steps.values()), found.seed)
    tried = some_rows(data)
    effects, fault = _tried(tried, recipe)
    if fault and tried.height < data.height:
        # Too few rows may be the very cause; only the whole table can tell.
        tried = data
        effects, fault = _tried(data, recipe)
    if not fault and tried.height == data.height:
        remarks = measured(recipe, effects, remarks)
    return Review(found.count, (fault,) if fault else (), tuple(remarks), tried.height)


def _review_history(found: Parsed, data: History) -> Review:
    """Do the same with a history; it is always tried whole, for few customers may be the very cause of a fault."""
    faults = sorted([*found.faults, *histories.faults(data, found.steps)], key=lambda fault: fault.step or 0)
    if faults:
        return Review(found.count, tuple(faults), ())
    done = 0
    remarks = []
    try:
        for effect in history_rehearsal.walk(data, Recipe(tuple(found.steps.values()), found.seed)):
            done += 1
            if effect.nothing:
                remarks.append(Hint(done, f"{found.steps[done].entry.name} changes nothing in this history", "idle"))
    except IcefireError as error:
        return Review(found.count, (Fault(str(error), done + 1, type(error)),), tuple(remarks), data.height)
    return Review(found.count, (), tuple(remarks), data.height)


def _tried(data: Dataset, recipe: Recipe) -> tuple[list[Effect], Fault | None]:
    """Run the steps as far as they go."""
    effects: list[Effect] = []
    try:
        effects.extend(rehearsal.walk(data, recipe))
    except IcefireError as error:
        return effects, Fault(str(error), len(effects) + 1, type(error))
    return effects, None


def some_rows(data: Dataset) -> Dataset:
    """Return a table of at most REHEARSAL_ROWS rows."""
    if data.height <= REHEARSAL_ROWS:
        return data
    return data.take(np.linspace(0, data.height - 1, REHEARSAL_ROWS).astype(np.int64))


def measured(recipe: Recipe, effects: list[Effect], seen: list[Hint]) -> list[Hint]:
    """Replace what the recipe alone suggests by what happened, where that is known."""
    idle = {number for number, effect in enumerate(effects, 1) if effect.nothing}
    broken = _broken(recipe, effects)
    kept = [h for h in seen if (h.kind != "idle" or h.step in idle) and (h.kind != "classes" or broken)]
    told = {hint.step for hint in kept if hint.kind == "idle"}
    names = {number: step.entry.name for number, step in enumerate(recipe.steps, 1)}
    kept += [Hint(number, f"{names[number]} changes nothing in this table", "idle") for number in idle - told]
    if broken and not any(hint.kind == "classes" for hint in kept):
        kept.append(broken)
    return sorted(kept, key=lambda hint: hint.step)


def _broken(recipe: Recipe, effects: list[Effect]) -> Hint | None:
    """Find classes of k rows that did not last to the end."""
    last = effects[-1].classes
    for number, (step, effect) in enumerate(zip(recipe.steps, effects, strict=True), 1):
        k = step.parameters.get("k")
        if step.entry.name not in habits.MAKES_CLASSES or not isinstance(k, int) or not last or not effect.classes:
            continue
        if last.smallest < k <= effect.classes.smallest:
            text = f"{step.entry.name} made classes of {k}, but in the end the smallest has {last.smallest}"
            return Hint(number, f"{text}: a later step broke them up; put it before", "classes")
    return None
