"""Everything that can be said of a recipe before it is used: mistakes, and hints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from icefire.core.dataset import Dataset
from icefire.core.errors import IcefireError
from icefire.core.history import History
from icefire.core.types import DataKind
from icefire.recipe import preflight, rehearsal
from icefire.recipe.adapters import StepEffect, adapter_of
from icefire.recipe.faults import Fault
from icefire.recipe.hints import Hint, hints
from icefire.recipe.load import RecipeContent, parse
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


def review(source: RecipeContent, data: Dataset | History | None = None) -> Review:
    """Find every mistake, in the recipe alone and against the data, and try the steps if there is none.

    Args:
        source: A TOML file, or a mapping as one holds it.
        data: The data it is for, if there are some.

    Returns:
        Mistakes and hints.
    """
    parsed = parse(source)
    faults = [*parsed.faults, *(preflight.all_faults(data, parsed.steps) if data is not None else ())]
    faults.sort(key=lambda fault: fault.step or 0)
    remarks = hints(parsed.steps)
    if faults or data is None:
        return Review(parsed.count, tuple(faults), tuple(remarks))
    recipe = Recipe(tuple(parsed.steps.values()), parsed.seed)
    tried = adapter_of(data).some_rows(data, REHEARSAL_ROWS)
    effects, fault = _rehearsed(tried, recipe)
    if fault and tried.height < data.height:
        # Too few rows may be the very cause; only the whole table can tell.
        tried = data
        effects, fault = _rehearsed(data, recipe)
    if not fault and tried.height == data.height:
        remarks = observed_hints(recipe, effects, remarks, data.kind)
    return Review(parsed.count, (fault,) if fault else (), tuple(remarks), tried.height)


def _rehearsed(data: Dataset | History, recipe: Recipe) -> tuple[list[StepEffect], Fault | None]:
    """Run the steps as far as they go."""
    effects: list[StepEffect] = []
    try:
        effects.extend(rehearsal.effects(data, recipe))
    except IcefireError as error:
        return effects, Fault(error.message, len(effects) + 1, type(error))
    return effects, None


def observed_hints(
    recipe: Recipe, effects: Sequence[StepEffect], expected: Sequence[Hint], kind: DataKind
) -> list[Hint]:
    """Replace what the recipe alone suggests by what happened, where that is known."""
    idle = {number for number, effect in enumerate(effects, 1) if effect.nothing}
    idle -= {number for number, step in recipe.numbered.items() if step.is_optional}
    broken = _broken_classes(recipe, effects)
    kept = [h for h in expected if (h.kind != "idle" or h.step in idle) and (h.kind != "classes" or broken)]
    named = {hint.step for hint in kept if hint.kind == "idle"}
    names = {number: step.name for number, step in recipe.numbered.items()}
    kept += [Hint(number, f"{names[number]} changes nothing in this {kind}", "idle") for number in idle - named]
    if broken and not any(hint.kind == "classes" for hint in kept):
        kept.append(broken)
    return sorted(kept, key=lambda hint: hint.step)


def _broken_classes(recipe: Recipe, effects: Sequence[StepEffect]) -> Hint | None:
    """Find classes of k rows that did not last to the end."""
    last = effects[-1].classes if effects else None
    for (number, step), effect in zip(recipe.numbered.items(), effects, strict=True):
        least = step.least_rows
        if not step.entry.makes_classes or least is None or not last or not effect.classes:
            continue
        if last.smallest < least <= effect.classes.smallest:
            text = f"{step.name} made classes of {least}, but in the end the smallest has {last.smallest}"
            return Hint(number, f"{text}: a later step broke them up; put it before", "classes")
    return None
