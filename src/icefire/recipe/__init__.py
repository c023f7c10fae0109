"""A recipe: anonymisation steps in order, one seed, and a release at the end."""

from __future__ import annotations

from icefire.core.types import Progress
from icefire.recipe.checking import check
from icefire.recipe.histories import run_history
from icefire.recipe.reading import load
from icefire.recipe.reviewing import Review, review
from icefire.recipe.running import publish, run
from icefire.recipe.steps import Recipe, Step

__all__ = ["Progress", "Recipe", "Review", "Step", "check", "load", "publish", "review", "run", "run_history"]
