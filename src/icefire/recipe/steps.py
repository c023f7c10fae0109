"""The types of a recipe: steps, each a method with its parameters, and the seed they draw from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from icefire.core import seeds
from icefire.core.attacker_entries import AttackerEntry
from icefire.core.display import ShownInNotebooks
from icefire.core.errors import IcefireError
from icefire.core.registry import Entry
from icefire.recipe.faults import in_step


@dataclass(frozen=True, slots=True)
class Step:
    """One method with its parameters, checked."""

    entry: Entry
    parameters: dict[str, Any]
    key: str
    """What its random draws are named after: the step itself, so that other steps do not disturb them."""
    is_optional: bool = False
    """Data without the columns that the method needs are left as they are."""

    @property
    def name(self) -> str:
        """Name of the method."""
        return self.entry.name

    @property
    def stream(self) -> tuple[str, str]:
        """The labels of the stream it draws from."""
        return "step", self.key

    @property
    def draws(self) -> bool:
        """Whether the step draws at random; a method that does not say so may."""
        return self.entry.draws_with(self.parameters) is not False

    @property
    def drops_rows(self) -> bool | None:
        """Whether the step can leave rows out; None if the method does not say."""
        return self.entry.drops_rows_with(self.parameters)

    @property
    def least_rows(self) -> int | None:
        """How many rows each group must have at least; None for a method without groups."""
        value = self.parameters.get(self.entry.least_rows)
        return value if isinstance(value, int) else None

    def lacking(self, data: Any) -> tuple[str, ...]:
        """Name the columns that the method needs and the data do not have."""
        return tuple(need for need in self.entry.needs if not data.has(need))

    def generator(self, seed: int) -> np.random.Generator:
        """Return the step's own generator under a recipe's seed."""
        return seeds.generator(seed, *self.stream)

    def apply(self, data: Any, number: int, rng: np.random.Generator) -> Any:
        """Run the method on data that carry the hidden origin; an error says which step it was.

        A step that is optional and lacks a column notes that it did nothing.
        """
        lacking = self.lacking(data) if self.is_optional else ()
        if lacking:
            return data.noted(not_applied=f"no {' and no '.join(lacking)}")
        try:
            return self.entry.function(data.noted(), rng=rng, **self.parameters)
        except IcefireError as error:
            raise in_step(number, error).as_error() from None


@dataclass(frozen=True, slots=True)
class Recipe(ShownInNotebooks):
    """Steps and the seed they draw from."""

    steps: tuple[Step, ...]
    seed: int = seeds.DEFAULT_SEED
    is_seeded: bool = False
    """The seed was written down with the steps, or given with them."""
    attackers: tuple[AttackerEntry, ...] = ()
    """Attackers whom an audit of the release tries besides."""

    def __repr__(self) -> str:
        return f"<Recipe: {' → '.join(step.name for step in self.steps)}>"

    @property
    def numbered(self) -> dict[int, Step]:
        """The steps by number, from 1."""
        return dict(enumerate(self.steps, 1))

    def as_run(self, notes: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """Describe the recipe with every parameter filled in, and what each step noted; the seed is a secret."""
        described = [
            {"method": step.name, **({"optional": True} if step.is_optional else {}), **plain(step.parameters)}
            for step in self.steps
        ]
        for step, facts in zip(described, notes, strict=False):
            if facts:
                step["notes"] = dict(facts)
        attackers = {"attacker": msgspec.to_builtins(self.attackers)} if self.attackers else {}
        return {"steps": described, **attackers}


def plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON can hold them."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in parameters.items()}
