"""From a TOML file or a mapping to a recipe; every mistake is found, not only the first."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from icefire.core import registry, seeds
from icefire.core.attacker_entries import ENTRY_CONTENT, AttackerEntry
from icefire.core.errors import IcefireError, InputError, ParameterError, did_you_mean, listing
from icefire.core.registry import Entry
from icefire.recipe import gallery
from icefire.recipe.faults import Fault, in_step
from icefire.recipe.steps import Recipe, Step, plain

RecipeContent = str | Path | Mapping[str, Any] | Sequence[Mapping[str, Any]]
RecipeSource = RecipeContent | Recipe

STEP_ENTRIES = ("method", "optional")
"""Entries of a step that are no parameters of its method."""
NO_STEPS = 'recipe: no steps; write at least one [[step]] with method = "…" (see: icefire list methods)'


@dataclass(frozen=True, slots=True)
class ParsedRecipe:
    """A recipe as far as it could be understood, and what is wrong with it."""

    steps: dict[int, Step]
    """By number, from 1; a step whose method is unknown is left out, a wrong parameter has its default."""
    count: int
    """How many steps were written."""
    seed: int
    faults: tuple[Fault, ...]
    is_seeded: bool = False
    """The recipe names a seed."""
    attackers: tuple[AttackerEntry, ...] = ()
    """Attackers whom an audit of the release tries besides."""


def load(source: RecipeSource, seed: int | None = None) -> Recipe:
    """Read a recipe from a TOML file, the gallery (by name), a mapping or steps; `seed` overrides its own."""
    if isinstance(source, Recipe):
        return source if seed is None else replace(source, seed=seed, is_seeded=True)
    parsed = parse(source)
    if parsed.faults:
        raise parsed.faults[0].as_error()
    is_seeded = seed is not None or parsed.is_seeded
    steps = tuple(parsed.steps.values())
    return Recipe(steps, parsed.seed if seed is None else seed, is_seeded, parsed.attackers)


def parse(source: RecipeContent) -> ParsedRecipe:
    """Read a recipe and list every mistake in it; only a file that is not TOML at all is an error."""
    given = _content(source)
    faults = [
        Fault(f"recipe: unknown entry {key!r}; {did_you_mean(key, ('seed', 'step', 'attacker'))}")
        for key in given
        if key not in ("seed", "step", "steps", "attacker")
    ]
    attackers, wrong = _attackers(given.get("attacker", []))
    faults += wrong
    seed = given.get("seed", seeds.DEFAULT_SEED)
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        faults.append(Fault(f"recipe: seed is {seed!r}; it must be a whole number, at least 0", None, ParameterError))
    if "step" in given and "steps" in given:
        faults.append(Fault("recipe: both 'step' and 'steps' are given; write every step as [[step]]"))
    steps = given.get("steps", given.get("step"))
    if not isinstance(steps, list) or not steps or not all(isinstance(step, Mapping) for step in steps):
        return ParsedRecipe({}, 0, seed, (*faults, Fault(NO_STEPS)))
    read = [_step(number, step) for number, step in enumerate(steps, 1)]
    faults += [fault for step in read for fault in step.faults]
    return ParsedRecipe(_keyed(read), len(steps), seed, tuple(faults), "seed" in given, attackers)


def _content(source: RecipeContent) -> Mapping[str, Any]:
    """Return the entries of a recipe; steps alone, one or a list, are a recipe without others."""
    if isinstance(source, Mapping):
        return {"steps": [source]} if "method" in source and not {"step", "steps"} & set(source) else source
    if isinstance(source, str | Path):
        return _read(Path(source))
    if isinstance(source, list | tuple) and all(isinstance(step, Mapping) for step in source):
        return {"steps": list(source)}
    raise ParameterError(
        f"recipe is a {type(source).__name__}; give a TOML file, a name of the gallery "
        f"({listing(gallery.names())}), a list of steps such as {{'method': 'k_anonymize', 'k': 5}}, or a Recipe"
    )


def _attackers(given: Any) -> tuple[tuple[AttackerEntry, ...], list[Fault]]:
    """Read the attackers that a recipe names, and list what is wrong with them."""
    try:
        entries = msgspec.convert(given, list[AttackerEntry])
    except msgspec.ValidationError as error:
        return (), [Fault(f"recipe: [[attacker]] cannot be used: {error}; {ENTRY_CONTENT}", None, ParameterError)]
    if any(entry.register for entry in entries):
        text = (
            "recipe: an [[attacker]] names a register, but a recipe is handed out with its release; name it in a policy"
        )
        return (), [Fault(text, None, ParameterError)]
    return tuple(entries), []


def _read(path: Path) -> dict[str, Any]:
    chosen = path if path.exists() else gallery.place(str(path)) or path
    try:
        return tomllib.loads(chosen.read_text(encoding="utf-8-sig"))
    except OSError as error:
        hint = f"check the path, or name one of the gallery: {listing(gallery.names())}"
        raise InputError(f"recipe {str(path)!r} cannot be read ({error.strerror}); {hint}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"recipe {str(path)!r} is not TOML: {error}; see docs/formats.md") from None


class _ReadStep(NamedTuple):
    """A step as it was written; without an entry if it cannot be used."""

    entry: Entry | None
    parameters: dict[str, Any]
    faults: list[Fault]
    is_optional: bool = False


def _step(number: int, given: Mapping[str, Any]) -> _ReadStep:
    """Look the method up and bind the parameters that are right; what is wrong is listed."""
    name, optional = given.get("method"), given.get("optional", False)
    if not isinstance(name, str):
        text = f'recipe: step {number} names no method; write method = "…" (see: icefire list methods)'
        return _ReadStep(None, {}, [Fault(text, number)])
    try:
        entry = registry.get("method", name)
    except IcefireError as error:
        return _ReadStep(None, {}, [in_step(number, error)])
    valid, faults = _valid(number, entry, {key: value for key, value in given.items() if key not in STEP_ENTRIES})
    if not isinstance(optional, bool):
        text = f"recipe step {number}: optional is {optional!r}; it is true or false"
        faults.append(Fault(text, number, ParameterError))
    try:
        return _ReadStep(entry, entry.bind(valid), faults, optional is True)
    except IcefireError as error:
        return _ReadStep(None, {}, [*faults, in_step(number, error)])


def _valid(number: int, entry: Entry, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
    """Check each parameter by itself; returns the right ones and what is wrong with the others."""
    valid, faults = {}, []
    for name, value in given.items():
        try:
            parameter = entry.parameters.get(name)
            # An unknown name alone makes `bind` say which names there are.
            _ = entry.bind({name: value}) if parameter is None else parameter.take(value, entry.name)
            valid[name] = value
        except IcefireError as error:
            faults.append(in_step(number, error))
    return valid, faults


def _keyed(read: Sequence[_ReadStep]) -> dict[int, Step]:
    """Name the draws of each step after the step itself; equal steps are told apart by counting."""
    seen: Counter[str] = Counter()
    steps = {}
    for number, (entry, parameters, _, is_optional) in enumerate(read, 1):
        if entry is not None:
            identity = json.dumps([entry.name, plain(parameters)], sort_keys=True)
            steps[number] = Step(entry, parameters, f"{identity}#{seen[identity]}", is_optional)
            seen[identity] += 1
    return steps
