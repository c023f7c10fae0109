"""What each step of a recipe really does to data: run it and compare before with after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.recipe.adapters import StepEffect, adapter_of
from icefire.recipe.steps import Recipe


@dataclass(frozen=True, slots=True)
class RehearsedStep:
    """The data before and after a step."""

    before: Any
    after: Any
    drew: bool
    """Whether anything was drawn at random."""
    columns: dict[str, tuple[str, ...]]
    """Columns the step worked on, by the parameter that names them."""


def rehearse(data: Dataset | History, recipe: Recipe) -> Iterator[RehearsedStep]:
    """Run the steps one after another, without publishing."""
    adapter = adapter_of(data)
    before = adapter.with_origin(data)
    for number, step in recipe.numbered.items():
        rng = step.generator(recipe.seed)
        untouched = rng.bit_generator.state
        watched, columns = adapter.watched(before)
        after = adapter.unwatched(step.apply(watched, number, rng), before)
        yield RehearsedStep(before, after, rng.bit_generator.state != untouched, columns)
        before = after


def effects(data: Dataset | History, recipe: Recipe) -> Iterator[StepEffect]:
    """Run the steps one after another, without publishing, and tell what each did."""
    adapter = adapter_of(data)
    for step in rehearse(data, recipe):
        yield adapter.effect(step.before, step.after, step.drew, step.columns)
