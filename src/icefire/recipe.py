"""A recipe: anonymisation steps in order, one seed, and a release at the end."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire import registry, seeds
from icefire.dataset import ORIGIN, Dataset
from icefire.errors import IcefireError, InputError, ParameterError, did_you_mean
from icefire.registry import Entry
from icefire.release import Release, Truth
from icefire.schema import Kind, Role


@dataclass(frozen=True, slots=True)
class Step:
    """One method with its parameters, checked."""

    entry: Entry
    parameters: dict[str, Any]
    key: str
    """What its random draws are named after: the step itself, so that other steps do not disturb them."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Steps and the seed they draw from."""

    steps: tuple[Step, ...]
    seed: int = seeds.DEFAULT_SEED

    def as_run(self, notes: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """Describe the recipe with every parameter filled in, and what each step noted; the seed is a secret."""
        described = [{"method": step.entry.name, **_plain(step.parameters)} for step in self.steps]
        for step, facts in zip(described, notes, strict=False):
            if facts:
                step["notes"] = dict(facts)
        return {"steps": described}


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(v) if isinstance(v, tuple) else v for name, v in parameters.items()}


def load(source: str | Path | Mapping[str, Any] | Recipe, seed: int | None = None) -> Recipe:
    """Read a recipe from a TOML file or a mapping; `seed` overrides its own."""
    if isinstance(source, Recipe):
        return source if seed is None else Recipe(source.steps, seed)
    given = source if isinstance(source, Mapping) else _read(Path(source))
    unknown = [key for key in given if key not in ("seed", "step", "steps")]
    if unknown:
        raise InputError(f"recipe: unknown entry {unknown[0]!r}; {did_you_mean(unknown[0], ('seed', 'step'))}")
    steps = given.get("steps", given.get("step"))
    if not isinstance(steps, list) or not steps or not all(isinstance(step, Mapping) for step in steps):
        raise InputError('recipe: no steps; write at least one [[step]] with method = "…" (see: icefire list methods)')
    return Recipe(_steps(steps), _seed(given.get("seed", seeds.DEFAULT_SEED)) if seed is None else seed)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"recipe {str(path)!r} cannot be read ({error.strerror}); check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"recipe {str(path)!r} is not TOML: {error}") from None


def _seed(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ParameterError(f"recipe: seed is {value!r}; it must be a whole number, at least 0")
    return value


def _steps(given: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    seen: Counter[str] = Counter()
    steps = []
    for number, step in enumerate(given, 1):
        name = step.get("method")
        if not isinstance(name, str):
            raise InputError(f'recipe: step {number} names no method; write method = "…" (see: icefire list methods)')
        try:
            entry = registry.get("method", name)
            parameters = entry.bind({key: value for key, value in step.items() if key != "method"})
        except IcefireError as error:
            raise type(error)(f"recipe step {number}: {error}") from None
        identity = json.dumps([entry.name, _plain(parameters)], sort_keys=True)
        steps.append(Step(entry, parameters, f"{identity}#{seen[identity]}"))
        seen[identity] += 1
    return tuple(steps)


Progress = Callable[[str], None]


def run(data: Dataset, recipe: Recipe, progress: Progress = lambda _: None) -> Release:
    """Apply the steps in order, then publish: shuffle, strip the hidden origin, keep the truth apart."""
    check(data, recipe)
    table = data.with_frame(data.frame.with_columns(pl.Series(ORIGIN, np.arange(data.height, dtype=np.int64))))
    notes = []
    for step in recipe.steps:
        progress(f"ice: {step.entry.name}")
        rng = seeds.generator(recipe.seed, "step", step.key)
        table = step.entry.function(table.noted(), rng=rng, **step.parameters)
        notes.append(table.notes)
    return publish(table, recipe.as_run(notes), recipe.seed)


def check(data: Dataset, recipe: Recipe) -> None:
    """Refuse, before anything runs, a step whose columns this table does not have."""
    present = {"qi": data.qi, "sa": data.sa, "numeric_sa": data.schema.named(Role.SA, Kind.NUMBER)}
    for number, step in enumerate(recipe.steps, 1):
        for need in step.entry.needs:
            if not present[need]:
                raise ParameterError(
                    f"recipe step {number}: {step.entry.name} needs a {need.replace('_', ' ')} column; "
                    f"name it with --{need[-2:]} or in the schema"
                )


def publish(table: Dataset, as_run: dict[str, Any], seed: int) -> Release:
    """Shuffle the rows, split the origin off, and hand out the table without any identifier column."""
    shuffled = table.take(seeds.generator(seed, "publish").permutation(table.height))
    truth = Truth(shuffled.frame[ORIGIN].to_numpy().astype(np.int64))
    hidden = [ORIGIN, *table.schema.named(Role.ID)]
    return Release(shuffled.with_frame(shuffled.frame.drop(hidden)), truth, as_run, seed)
