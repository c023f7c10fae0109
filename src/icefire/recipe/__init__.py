"""Recipes: anonymisation steps in order, one seed, and a release at the end.

`load` reads a recipe, `preflight` tells what is wrong before anything runs, `review` lists every mistake, `rehearsal`
and `explain` tell what each step does, `run` makes the release. `tables` and `histories` hold what differs by kind of
data.
"""

from __future__ import annotations

from icefire.recipe.load import load
from icefire.recipe.preflight import check
from icefire.recipe.review import Review, review
from icefire.recipe.run import run_recipe
from icefire.recipe.steps import Recipe, Step

__all__ = ["Recipe", "Review", "Step", "check", "load", "review", "run_recipe"]
