"""How well an original explains a release: the likelihood that decides between several originals."""

from __future__ import annotations

import numpy as np

from icefire.attacks.tables.link import learning
from icefire.attacks.tables.link.channel_tables import shared_store
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.ordering import columns_as_they_came, levels_to_learn, ordered_tables
from icefire.core.release import Case

LEVELS = 128
SAMPLE = 200
"""Released rows that are to be explained."""
PAIRS = 1 << 23
"""Pairs held at once."""


def log_likelihood(case: Case, rng: np.random.Generator) -> float:
    """Return the log-likelihood per released row, above chance, of the channels that explain the release best.

    Args:
        case: The original in question and the release.
        rng: Source of the sample. Cases of one release compare only if the generators begin in the same state.
    """
    size = min(case.targets, SAMPLE, max(16, PAIRS // case.choices))
    # Where all rows are explained their order does not matter: the columns are those of `link`, which knows them.
    columns = _columns_of_all_rows(case) if size == case.targets else columns_as_they_came(case, LEVELS)
    if not columns:
        return 0.0
    sample = np.sort(rng.permutation(case.targets)[:size])
    return learning.learn_unsettled(columns, sample, None, rng, None, shared_store(case)).gain


def _columns_of_all_rows(case: Case) -> list[LinkColumn]:
    tables = ordered_tables(case)
    columns = tables.columns(min(LEVELS, levels_to_learn(tables.x.width)))
    return [column for column in columns if column.name == column.source]
