"""From a history and a recipe to a release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from icefire.core.errors import ParameterError
from icefire.core.history import History, publish
from icefire.core.history.publishing import with_origin
from icefire.core.release import Release
from icefire.core.types import Progress, no_progress
from icefire.recipe.applying import apply
from icefire.recipe.faults import Fault
from icefire.recipe.fitting import wrong_data
from icefire.recipe.steps import Recipe, Step


def run_history(data: History, recipe: Recipe, progress: Progress = no_progress) -> Release[History]:
    """Apply the steps in order, then publish: rename the subjects, shuffle, keep the truth apart."""
    for fault in faults(data, dict(enumerate(recipe.steps, 1))):
        raise fault.as_error()
    made = with_origin(data)
    notes = []
    for number, step in enumerate(recipe.steps, 1):
        progress(f"ice: {step.entry.name}")
        made = apply(made, number, step, step.generator(recipe.seed))
        notes.append(made.notes)
    return publish(made, data.names, recipe.as_run(notes), recipe.seed)


def faults(data: History, steps: Mapping[int, Step]) -> Iterator[Fault]:
    """Find every mistake that shows without running anything: tables' methods, missing columns, too many clusters."""
    yield from wrong_data(steps, "history")
    for number, step in steps.items():
        where = f"recipe step {number}: {step.entry.name}"
        for need in step.entry.needs:
            if not data.has(need):
                what = "the table of customers" if need == "customers" else f"a {need} column"
                yield Fault(f"{where} needs {what}; name it with --{need} or in the schema", number, ParameterError)
        yield from _clusters(data.subjects, number, step)


def _clusters(subjects: int, number: int, step: Step) -> Iterator[Fault]:
    clusters, least = step.parameters.get("clusters"), step.parameters.get("min_size") or 1
    if isinstance(clusters, int) and clusters * least > subjects:
        asked = f"{clusters} clusters of at least {least}" if least > 1 else f"{clusters} clusters"
        yield Fault(
            f"recipe step {number}: {step.entry.name}: {asked} need {clusters * least} subjects, but there are "
            f"{subjects}; choose fewer clusters or a smaller min_size",
            number,
            ParameterError,
        )
