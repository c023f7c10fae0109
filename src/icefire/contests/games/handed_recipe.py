"""The recipe that a team may hand in with its release: what is taken, and what the attack `replay` gets of it.

It is read where the judge is confined. Without a seed and without other files it is of use to the attack alone.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from icefire.audit.knowledge.replay import NOTHING_TO_REPEAT, REPLAY, KnownRecipe
from icefire.core.dataset import Dataset
from icefire.core.errors import IcefireError, InputError
from icefire.core.history import History
from icefire.recipe.load import load
from icefire.recipe.replay import replayed_copies
from icefire.recipe.steps import Recipe

MOST_BYTES = 20_000
MOST_STEPS = 10
"""Copies of the original are made for many selections of steps; more would take the judge too long."""


def problems(path: Path, original: Dataset | History) -> list[str]:
    """Say what is wrong with a recipe, by itself or for this original: one problem at most."""
    try:
        known_recipe(path, original)
    except IcefireError as error:
        return [f"{path.name}: {error}"]
    return []


def known_recipe(path: Path, original: Dataset | History) -> KnownRecipe:
    """Return the copies of the original that a recipe gives; none if no step of it can be repeated.

    Args:
        path: The recipe as it was handed in.
        original: The original, as it was read.

    Raises:
        IcefireError: If the recipe is not one that is taken, or does not fit the original.
    """
    recipe = _read(path)
    try:
        copies = replayed_copies(original, recipe)
    except (IcefireError, MemoryError):
        raise
    except Exception as error:  # parameters that nobody thought of may break a method in any way
        raise InputError(f"its steps cannot be repeated on the original ({error}); check the parameters") from None
    return KnownRecipe(copies, left_out={} if copies else {REPLAY: NOTHING_TO_REPEAT})


def _read(path: Path) -> Recipe:
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise InputError(f"{size:,} bytes; at most {MOST_BYTES:,} are taken")
    given = _parsed(path.read_bytes())
    if "seed" in given:
        raise InputError("it has a seed, which is as secret as the correspondence; take that line out")
    recipe = load(given)
    if len(recipe.steps) > MOST_STEPS:
        raise InputError(f"{len(recipe.steps)} steps; at most {MOST_STEPS} are taken")
    _check_files(recipe)
    return recipe


def _parsed(raw: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not TOML ({error}); see docs/formats.md") from None


def _check_files(recipe: Recipe) -> None:
    for number, step in recipe.numbered.items():
        for name in step.entry.files:
            if step.parameters[name] is not None:
                text = f"step {number}: {step.name}: {name} names a file, and the judge reads none"
                raise InputError(f"{text}; hand the release in without a recipe")
