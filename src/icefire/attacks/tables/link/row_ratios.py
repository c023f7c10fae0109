"""How much likelier all released rows are if a person is among those they come from than if not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icefire.attacks.tables.link import learning
from icefire.attacks.tables.link.channel_tables import TableStore, shared_store
from icefire.attacks.tables.link.channels import NOTHING
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.ordering import levels_to_learn, ordered_tables
from icefire.core.release import Case
from icefire.kernels.types import Float, Int

SAMPLE = 400
"""Released rows to learn from."""
PAIRS = 1 << 26
"""Pairs of released rows and people that are weighed; of larger releases so many rows are drawn."""
AT_ONCE = 1 << 22
"""Pairs held at once."""
NOBODY = 0.02
"""Share of the released rows that may come from nobody who is known."""
LEAST = 1e-300
"""The chance that others explain a row counts as at least this, for each of the person's own."""


def ratios_of_people(case: Case, inside: Float, rng: np.random.Generator) -> Float:
    """Return for every person the logarithm of how much likelier the release is if it was made from the person too.

    How much each column was changed is learned from both tables, each released row by itself: several rows may come
    from one person. A row that somebody else explains as well says little about a person.

    Args:
        case: The people whom released rows may come from, and the release.
        inside: How probably each of them is in the data, before the release is looked at.
        rng: The generator of the rows learned from and, of very large releases, of the rows looked at.

    Returns:
        The sum of the logarithms over all rows; 0 for everybody where no column tells anything.
    """
    tables = ordered_tables(case)
    columns = tables.columns(levels_to_learn(len(tables.x.columns))) if tables.x.width else []
    ratios = np.zeros(case.choices)
    if not columns:
        return ratios
    store, order = shared_store(case), rng.permutation(case.targets)
    learned = learning.learn_rows_alone(_learner(columns, order[:SAMPLE], store))
    if all(channel == NOTHING for channel in learned.channels):
        return ratios
    rows, chances = order[: max(SAMPLE, PAIRS // case.choices)], inside[tables.x_order]
    for part in np.array_split(rows, -(-len(rows) * case.choices // AT_ONCE)):
        weights, log_scale = _learner(columns, part, store).weights(learned.channels)
        ratios[tables.x_order] += log_ratios(weights, log_scale, chances)
    return ratios


def _learner(columns: Sequence[LinkColumn], rows: Int, store: TableStore) -> learning.Learner:
    learner = learning.Learner(columns, np.sort(rows), None, store)
    # More rows than people: several are made from one person.
    learner.unknown = 0
    return learner


def log_ratios(weights: Float, log_scale: Float, inside: Float) -> Float:
    """Return for every person the logarithm of how much likelier some rows are if the person is a member, in all.

    Args:
        weights: Rows × people: how much likelier the values are for a person than for nobody in particular, each row
            up to a factor.
        log_scale: The logarithms of these factors.
        inside: How probably each person is a member.
    """
    expected = weights * inside
    of_nobody = NOBODY * inside.sum() * np.exp(-np.clip(log_scale, -600.0, 600.0))
    of_all = (expected.sum(axis=1) * (1 - NOBODY) + of_nobody)[:, None]
    own = (1 - NOBODY) * weights
    # A sure member who alone explains a row leaves nothing for the others: the ratio stays finite.
    of_others = np.maximum(of_all - (1 - NOBODY) * expected, LEAST * np.maximum(own, 1.0))
    ratios: Float = np.log1p(own / of_others).sum(axis=0)
    return ratios
