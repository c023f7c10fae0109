"""What is wrong with a recipe for some data, told before anything runs.

Methods declare what they need and what they refuse. Each step is held against the data as far as it is sure what it
will get: columns that no step before it touches, as long as none can leave rows out. The steps before it are tried on
a few rows to see which columns they touch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from icefire.core import registry
from icefire.core.dataset import Dataset
from icefire.core.errors import IcefireError, ParameterError, SchemaError, did_you_mean
from icefire.core.history import History
from icefire.recipe.adapters import adapter_of
from icefire.recipe.faults import Fault, in_step
from icefire.recipe.rehearsal import RehearsedStep, rehearse
from icefire.recipe.steps import Recipe, Step

PROBE_ROWS = 50

TableOrHistory = Dataset | History


def check(data: TableOrHistory, recipe: Recipe) -> None:
    """Refuse, before anything runs, a step that these data have no columns or not enough rows for."""
    for fault in declared_faults(data, recipe.numbered):
        raise fault.as_error()
    # The first step comes first anyway and can speak for itself.
    for fault in refusals(data, recipe.numbered, since=2):
        raise fault.as_error()


def all_faults(data: TableOrHistory, steps: Mapping[int, Step]) -> list[Fault]:
    """Find every mistake that shows without running the recipe."""
    faults = list(declared_faults(data, steps))
    wrong = {fault.step for fault in faults}
    return [*faults, *(fault for fault in refusals(data, steps) if fault.step not in wrong)]


def declared_faults(data: TableOrHistory, steps: Mapping[int, Step]) -> Iterator[Fault]:
    """Find what contradicts the declarations of the methods: kind of data, columns, least number of rows."""
    yield from _wrong_kind(data, steps)
    for number, step in steps.items():
        yield from _needs(data, number, step)
        yield from _columns(data, number, step)
        yield from _least_rows(data, number, step)


def refusals(data: TableOrHistory, steps: Mapping[int, Step], since: int = 1) -> Iterator[Fault]:
    """Find the steps, from number `since`, that their methods' own checks refuse."""
    checked = [number for number, step in steps.items() if step.entry.check and number >= since]
    ahead = {number: step for number, step in steps.items() if number < max(checked, default=0)}
    for (number, step), known in zip(steps.items(), _known_columns(data, ahead), strict=False):
        if step.is_optional and step.lacking(data):
            continue
        if number in checked and step.entry.check and step.entry.data == data.kind:
            try:
                step.entry.check(data, step.parameters, known)
            except IcefireError as error:
                yield in_step(number, error)


def _wrong_kind(data: TableOrHistory, steps: Mapping[int, Step]) -> Iterator[Fault]:
    """Find the steps for another kind of data: a table's method asked of a history, or the other way round."""
    fitting = [entry.name for entry in registry.entries("method", data.kind)]
    for number, step in steps.items():
        if step.entry.data != data.kind:
            text = f"{step.name} is for a {step.entry.data}, but this is a {data.kind}"
            hint = did_you_mean(step.name, fitting)
            yield Fault(f"recipe step {number}: {text}; {hint}", number, ParameterError)


def _needs(data: TableOrHistory, number: int, step: Step) -> Iterator[Fault]:
    for need in () if step.is_optional else step.lacking(data):
        lacks = adapter_of(data).lacks(need)
        yield Fault(f"recipe step {number}: {step.name} {lacks}", number, ParameterError)


def _columns(data: TableOrHistory, number: int, step: Step) -> Iterator[Fault]:
    for parameter in step.entry.parameters.values():
        value = step.parameters[parameter.name]
        for name in (value or ()) if parameter.is_names else ():
            try:
                adapter_of(data).check_columns(data, [name], f"recipe step {number}: {step.name}: {parameter.name}")
            except SchemaError as error:
                yield Fault(error.message, number, SchemaError)


def _least_rows(data: TableOrHistory, number: int, step: Step) -> Iterator[Fault]:
    """A group of k rows cannot be made of fewer; what no row or a single one means is left to the method."""
    least = step.least_rows
    if least is not None and least > data.height > 1:
        yield Fault(
            f"recipe step {number}: {step.name}: {step.entry.least_rows} is {least}, but the {data.kind} has "
            f"{data.height} rows; choose a smaller {step.entry.least_rows}",
            number,
            ParameterError,
        )


def _known_columns(data: TableOrHistory, steps: Mapping[int, Step]) -> Iterator[Collection[str] | None]:
    """Name the columns that are as they were before the first step, before the second, … and after the last.

    None after a step that does not say what it does: it may have made anything of the data.
    """
    known: set[str] | None = set(data.frame.columns)
    yield known
    few = data.take(np.linspace(0, data.height - 1, min(data.height, PROBE_ROWS)).astype(np.int64))
    rehearsed = rehearse(few, Recipe(tuple(steps.values())))
    for step in steps.values():
        tried = _next(rehearsed)
        if known is None or step.drops_rows is None:
            known = None
        else:
            known = known - _touched(data, step, tried) if tried and not step.drops_rows else set()
        yield known


def _next(rehearsed: Iterator[RehearsedStep]) -> RehearsedStep | None:
    """Try the next step; None if it fails, which fifty rows may be too few to avoid."""
    try:
        return next(rehearsed, None)
    except Exception:
        return None


def _touched(data: TableOrHistory, step: Step, tried: RehearsedStep) -> set[str]:
    """Name the columns that the step changed on the few rows, or says that it works on."""
    works_on = tried.columns.get("columns", ())
    if step.entry.makes_classes:
        works_on = (*works_on, *tried.columns.get("qi", ()))
    return {*adapter_of(data).touched(tried.before, tried.after), *works_on}
