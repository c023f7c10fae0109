"""Cases of an attacker who knows the recipe, and the truth beside them."""

from __future__ import annotations

import numpy as np

from icefire import recipe
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.replay import replay
from icefire.core import align
from icefire.core.release import Case
from icefire.recipe.replay import replayed_copies


def case_with_recipe(data, *steps, seed=3, known=None, original=None):
    """Publish a table by some steps; the attacker knows them, or others, and may hold the original in another order."""
    release = recipe.run_recipe(data, recipe.load({"steps": list(steps)}, seed))
    order = np.random.default_rng(9).permutation(release.released.height)
    own = data if original is None else original
    copies = replayed_copies(own, recipe.load({"steps": list(known or steps)}))
    return Case(*align.match(own, release.released.frame[order]), replayed=copies), release.truth.rows[order]


def rates(case, truth, seed=1):
    """Return the shares that replay and link find, and the answers of replay."""
    guess = replay(case, rng=np.random.default_rng(seed)).checked(case.targets, case.choices)
    plain = link(case, rng=np.random.default_rng(seed))
    return float((guess.first == truth).mean()), float((plain.first == truth).mean()), guess
