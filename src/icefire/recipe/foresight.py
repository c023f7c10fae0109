"""What a later step would refuse, found before the first one runs.

Hierarchies, populations and models are read, and held against the table as far as it is sure what the step will get:
columns that no step before it touches, as long as none can leave rows out. The steps are tried on a few rows to see.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.errors import IcefireError
from icefire.methods.tables.k_anonymize import requested_models
from icefire.recipe import habits, rehearsal
from icefire.recipe.faults import Fault, in_step
from icefire.recipe.rehearsal import Effect
from icefire.recipe.steps import Recipe, Step

Check = Callable[[Dataset, Mapping[str, Any], Collection[str]], None]
"""From the table, the parameters of the step and the columns that are sure to reach it as they are."""

CHECKS: dict[str, Check] = {"k_anonymize": requested_models.check}
"""Methods that read files or ask for what a table may be unable to give."""

PROBE_ROWS = 50


def faults(data: Dataset, steps: Mapping[int, Step], since: int = 1) -> Iterator[Fault]:
    """Find the steps, from number `since`, that cannot work, whatever the steps before them do."""
    asked = [number for number, step in steps.items() if step.entry.name in CHECKS and number >= since]
    ahead = {number: step for number, step in steps.items() if number < max(asked, default=0)}
    for (number, step), known in zip(steps.items(), _known(data, ahead), strict=False):
        if number in asked:
            try:
                CHECKS[step.entry.name](data, step.parameters, known)
            except IcefireError as error:
                yield in_step(number, error)


def _known(data: Dataset, steps: Mapping[int, Step]) -> Iterator[Collection[str]]:
    """Name the columns that are as they were before the first step, before the second, … and after the last."""
    known = set(data.schema.names)
    yield known
    few = data.take(np.linspace(0, data.height - 1, min(data.height, PROBE_ROWS)).astype(np.int64))
    effects = rehearsal.walk(few, Recipe(tuple(steps.values())))
    for step in steps.values():
        effect = _next(effects)
        known = known - _touched(step, effect) if effect and habits.drops(step) is False else set()
        yield known


def _next(effects: Iterator[Effect]) -> Effect | None:
    """Try the next step; None if it fails, which fifty rows may be too few to avoid."""
    try:
        return next(effects, None)
    except Exception:
        return None


def _touched(step: Step, effect: Effect) -> set[str]:
    """Name the columns that the step changed on the few rows, or says that it works on."""
    works_on = effect.columns.get("columns", ())
    if step.entry.name in habits.MAKES_CLASSES:
        works_on = (*works_on, *effect.columns.get("qi", ()))
    return {*effect.cells_changed, *works_on}
