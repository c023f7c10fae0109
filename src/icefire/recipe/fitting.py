"""Steps for another sort of data: a table's method asked of a history, or the other way round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from icefire.core import registry
from icefire.core.errors import ParameterError, did_you_mean
from icefire.core.registry import Data
from icefire.recipe.faults import Fault
from icefire.recipe.steps import Step


def wrong_data(steps: Mapping[int, Step], data: Data) -> Iterator[Fault]:
    """Find the steps that work on the other sort of data."""
    fitting = [entry.name for entry in registry.entries("method", data)]
    for number, step in steps.items():
        if step.entry.data != data:
            text = f"{step.entry.name} is for a {step.entry.data}, but this is a {data}"
            hint = did_you_mean(step.entry.name, fitting)
            yield Fault(f"recipe step {number}: {text}; {hint}", number, ParameterError)
