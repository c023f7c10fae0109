"""What a recipe is: steps, each a method with its parameters, and the seed they draw from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefire.core import seeds
from icefire.core.registry import Entry


@dataclass(frozen=True, slots=True)
class Step:
    """One method with its parameters, checked."""

    entry: Entry
    parameters: dict[str, Any]
    key: str
    """What its random draws are named after: the step itself, so that other steps do not disturb them."""

    @property
    def stream(self) -> tuple[str, str]:
        """The labels of the stream it draws from."""
        return "step", self.key

    def generator(self, seed: int) -> np.random.Generator:
        """Return the step's own generator under a recipe's seed."""
        return seeds.generator(seed, *self.stream)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Steps and the seed they draw from."""

    steps: tuple[Step, ...]
    seed: int = seeds.DEFAULT_SEED

    def as_run(self, notes: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """Describe the recipe with every parameter filled in, and what each step noted; the seed is a secret."""
        described = [{"method": step.entry.name, **plain(step.parameters)} for step in self.steps]
        for step, facts in zip(described, notes, strict=False):
            if facts:
                step["notes"] = dict(facts)
        return {"steps": described}


def plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON can hold them."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in parameters.items()}
