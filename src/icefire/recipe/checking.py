"""Whether a recipe fits a table, told before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, SchemaError, did_you_mean
from icefire.recipe import foresight, kinds
from icefire.recipe.faults import Fault
from icefire.recipe.fitting import wrong_data
from icefire.recipe.steps import Recipe, Step


def check(data: Dataset, recipe: Recipe) -> None:
    """Refuse, before anything runs, a step that this table has no columns or not enough rows for."""
    steps = dict(enumerate(recipe.steps, 1))
    for fault in faults(data, steps):
        raise fault.as_error()
    # The first step comes first anyway and can speak for itself.
    for fault in foresight.faults(data, steps, since=2):
        raise fault.as_error()
    for fault in kinds.faults(data, {number: step for number, step in steps.items() if number > 1}):
        raise fault.as_error()


def faults(data: Dataset, steps: Mapping[int, Step]) -> Iterator[Fault]:
    """Find every mistake that shows without running anything: histories' methods, roles, columns, class sizes."""
    yield from wrong_data(steps, "table")
    for number, step in steps.items():
        yield from _roles(data, number, step)
        yield from _columns(data, number, step)
        yield from _sizes(data, number, step)


def every_fault(data: Dataset, steps: Mapping[int, Step]) -> list[Fault]:
    """Find those, and what methods would refuse: files, models, and columns of the wrong kind."""
    found = list(faults(data, steps))
    wrong = {fault.step for fault in found}
    found += [fault for fault in foresight.faults(data, steps) if fault.step not in wrong]
    wrong = {fault.step for fault in found}
    return [*found, *kinds.faults(data, {number: step for number, step in steps.items() if number not in wrong})]


def _roles(data: Dataset, number: int, step: Step) -> Iterator[Fault]:
    present = {"qi": data.qi, "sa": data.sa, "numeric_sa": data.numeric_sa}
    for need in step.entry.needs:
        if need in present and not present[need]:
            yield Fault(
                f"recipe step {number}: {step.entry.name} needs a {need.replace('_', ' ')} column; "
                f"name it with --{need[-2:]} or in the schema",
                number,
                ParameterError,
            )


def _columns(data: Dataset, number: int, step: Step) -> Iterator[Fault]:
    names = data.schema.names
    for parameter in step.entry.parameters.values():
        value = step.parameters[parameter.name]
        for name in (value or ()) if parameter.many else ():
            if name not in names:
                where = f"recipe step {number}: {step.entry.name}: {parameter.name}"
                yield Fault(f"{where}: no column {name!r}; {did_you_mean(name, names)}", number, SchemaError)


def _sizes(data: Dataset, number: int, step: Step) -> Iterator[Fault]:
    """A class of k rows cannot be made of fewer; what no row or a single one means is left to the method."""
    k = step.parameters.get("k")
    if isinstance(k, int) and k > data.height > 1:
        yield Fault(
            f"recipe step {number}: {step.entry.name}: k is {k}, but the table has {data.height} rows; "
            "choose a smaller k",
            number,
            ParameterError,
        )
