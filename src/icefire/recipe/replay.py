"""What whoever knows a recipe, but not its seed, can repeat of it on a copy of the original.

Steps that draw nothing are applied; steps that draw, or that need a secret, are left out. A step behind one that was
left out may meet other data than it met when the release was made, so copies are made with it and without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import Any, TypeVar

from icefire.core import seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import IcefireError
from icefire.core.history import History
from icefire.core.release import ReplayedCopy
from icefire.recipe.adapters import adapter_of
from icefire.recipe.preflight import check
from icefire.recipe.steps import Recipe, Step

DataT = TypeVar("DataT", bound=Dataset | History)

ALL_COMBINATIONS = 3
"""Up to so many doubtful steps are tried in every combination; of more, all, none, and all but one."""


def repeatable(step: Step) -> bool:
    """Tell whether the attacker can apply a step.

    That is a step that draws nothing and needs no secret, or one that groups rows: its groups depend on the draws, but
    not on them alone.
    """
    groups_rows = step.entry.makes_classes and not step.entry.secrets and step.entry.draws is not None
    return step.entry.can_be_repeated(step.parameters) or groups_rows


def doubtful_steps(recipe: Recipe) -> list[int]:
    """Return the numbers of the repeatable steps that may not do what they did: those that draw or follow a draw."""
    uncertain = [n for n, step in recipe.numbered.items() if not step.entry.can_be_repeated(step.parameters)]
    first = min(uncertain, default=len(recipe.steps) + 1)
    return [number for number, step in recipe.numbered.items() if number >= first and repeatable(step)]


def replayed_copies(data: DataT, recipe: Recipe) -> tuple[ReplayedCopy[DataT], ...]:
    """Apply to a copy of the original what can be repeated of a recipe.

    Args:
        data: The original, as it was read.
        recipe: The recipe; its seed is not used.

    Returns:
        A copy for every selection of the doubtful steps, the largest first; copies that equal the original or each
        other are left out.

    Raises:
        IcefireError: If the recipe does not fit the data.
    """
    check(data, recipe)
    original = adapter_of(data).with_origin(data)
    sure = {number for number, step in recipe.numbered.items() if repeatable(step)} - set(doubtful_steps(recipe))
    copies: list[ReplayedCopy[DataT]] = []
    seen = [original]
    for chosen in _selections(doubtful_steps(recipe)):
        changed = _applied(original, recipe, sure | chosen, chosen)
        if changed is None or any(_same(changed, other) for other in seen):
            continue
        seen.append(changed)
        plain, rows = adapter_of(data).without_origin(changed, data)
        applied = [step for number, step in recipe.numbered.items() if number in sure | chosen]
        complete = len(applied) == len(recipe.steps) and not any(step.draws for step in applied)
        copies.append(ReplayedCopy(plain, rows, tuple(words(step) for step in applied), complete))
    return tuple(copies)


def words(step: Step) -> str:
    """Name a step with the parameters that are not the defaults."""
    parameters = step.entry.parameters
    given = {name: value for name, value in step.parameters.items() if value != parameters[name].default}
    listed = ", ".join(f"{name} = {_plain(value)}" for name, value in given.items())
    return f"{step.name} ({listed})" if listed else step.name


def _plain(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _selections(doubtful: Collection[int]) -> Iterator[set[int]]:
    """List which of the doubtful steps to apply, the most first."""
    count = len(doubtful)
    sizes = range(count, -1, -1) if count <= ALL_COMBINATIONS else (count, count - 1, 0)
    for size in sizes:
        yield from map(set, combinations(doubtful, size))


def _applied(original: Any, recipe: Recipe, numbers: set[int], doubtful: set[int]) -> Any | None:
    """Apply some steps; None if a doubtful one refuses the data, which it may not have refused as they were."""
    changed = original
    for number, step in recipe.numbered.items():
        if number not in numbers:
            continue
        try:
            # The attacker's own stream: it has nothing to do with that of the release.
            changed = step.apply(changed, number, seeds.generator(0, "replay", step.key))
        except IcefireError:
            if number in doubtful:
                return None
            raise
    return changed


def _same(one: Any, other: Any) -> bool:
    return bool(one.frame.equals(other.frame))
