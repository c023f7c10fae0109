"""Steps that the studies of households share: draw the sample, make a release, audit it, read the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import icefire
from icefire import recipe as recipes
from icefire.audit import audit
from icefire.contests import pwscup2015
from icefire.core import seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.release import Release
from icefire.core.scorecard import Scorecard
from icefire.core.scorecard.attacks import AttackResult
from icefire.recipe import Recipe

LEAST_ROWS = 100
"""Below this the strongest recipes have nothing left to group."""

INSIDE, OUTSIDE = "members", "head_age"
"""The quasi-identifiers that are unified: one in the cross table of U2 and U3, one not."""

MEASURES = ("U1", "U2", "U3", "U4", "U5", "U6", "S1", "S2")
ATTACKS = ("E1", "E2", "E3", "E4", "EUC1", "EUC2")
PARAMETERS = pwscup2015.PARAMETERS
"""As in the contest: E2 and E4 look at the 21st column, where a zero is no answer of E4."""

RecipeSteps = Sequence[Mapping[str, Any]]


def survey(rows: int | None, seed: int) -> Dataset:
    """Return the survey of that many households (default 8,333)."""
    if rows is not None and rows < LEAST_ROWS:
        raise ParameterError(f"a study of {rows} rows says nothing; pass --rows {LEAST_ROWS} or more")
    households: Dataset = icefire.sample("households", rows, seed=seed)
    return households


def some_rows(data: Dataset, rows: int, seed: int) -> Dataset:
    """Draw rows at random without replacement and keep their order."""
    chosen = seeds.generator(seed, "study", "rows").permutation(data.height)[:rows]
    return data.take(np.sort(chosen))


def make_release(original: Dataset, steps: RecipeSteps, seed: int) -> Release[Dataset]:
    """Publish the table after these steps; without any step, the original itself, shuffled."""
    recipe = recipes.load({"steps": list(steps)}, seed) if steps else Recipe((), seed)
    return recipes.run_recipe(original, recipe)


def audit_release(original: Dataset, release: Release[Dataset], seed: int) -> Scorecard:
    """Measure a release and attack it with all attacks of the paper."""
    audited = audit(original, release, attacks=ATTACKS, measures=MEASURES, parameters=PARAMETERS, seed=seed)
    return audited.scorecard


def values(card: Scorecard) -> dict[str, float | None]:
    """Read the value of every measure by its code."""
    return {result.code: result.value for result in card.measures.values()}


def rates(card: Scorecard) -> dict[str, float]:
    """Read the rate of every attack by its code: the exact expectation where the answer was drawn (E1)."""
    return {result.code: _rate(result) for result in card.attacks.values()}


def _rate(result: AttackResult) -> float:
    return result.rate if result.expected is None else result.expected
