"""Which channel each column has: coordinate ascent of the marginal likelihood on sampled released rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from icefire.attacks.tables.link.channel_tables import Learned as Learned
from icefire.attacks.tables.link.channel_tables import TableStore
from icefire.attacks.tables.link.channels import NOTHING, Channel, ReleasedClasses
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.distance import weights_by_distance
from icefire.attacks.tables.link.learner import Learner as Learner
from icefire.attacks.tables.link.starts import (
    first_channel,
    has_many_numbers,
    plain_starts,
    starts_of_replaced_values,
)
from icefire.kernels.types import Int

SWEEPS = 6
SURE, UNCHANGED = 0.9, 0.995
DEALT, SURELY_DEALT = 0.03, 0.05
"""Gains of log-likelihood per row that make it likely, and all but sure, that values were dealt in classes."""
BY_CHANCE = 10.0
"""Log-likelihood, in all, by which a column may seem to be dealt or not by chance."""
VAGUE = 0.4
"""Gain, as a share of what it takes to know everybody, below which more rows are learned from."""
DISPUTED, RIVALS = 60, 8
"""Original rows that released rows compete for, and how many rivals of each are learned from."""
FEWEST, PAIRS = 6, 1 << 24
"""How many of them at least, and pairs of their rivals and all original rows held at once; fewer in large tables."""


def competing_rows(columns: Sequence[LinkColumn], learned: Learned, store: TableStore) -> Int:
    """Return released rows that compete for the same original rows; rows drawn at random seldom do."""
    assert learned.nearest is not None
    disputed = np.unique(learned.nearest)
    most = min(DISPUTED, max(FEWEST, PAIRS // (RIVALS * len(columns[0].x.codes))))
    disputed = disputed[:: max(1, len(disputed) // most)][:most]
    tables = zip(store.tables(columns), learned.channels, strict=True)
    used = [(column.column, column.table(channel)) for column, channel in tables]
    rivals = min(RIVALS, len(columns[0].y.codes))
    rows = []
    for row in disputed.tolist():
        score = sum(np.log(table[:, column.x.codes[row]])[column.y.codes] for column, table in used)
        rows.append(np.argsort(-np.asarray(score), kind="stable")[:rivals])
    return np.unique(np.concatenate(rows))


def _with_dealt_columns(learner: Learner, plain: Learned) -> Learned:
    """Find the columns whose values were dealt among the rows of a class, and learn their channels.

    Several guesses which these are compete by how well every column fits when the person is told by all others.
    """
    fits = learner.fit_of_columns(plain.channels)
    gains = {c: shared - own for c, (own, shared) in fits.items()}
    if max(gains.values(), default=0.0) < SURELY_DEALT:
        return plain
    margin = max(DEALT, BY_CHANCE / len(learner.sample))
    numbers = {c for c in gains if has_many_numbers(learner.columns[c])}
    dealt, best, reached = set[int](), plain, -np.inf
    for guess in (set(gains), {c for c, gain in gains.items() if gain > DEALT}, numbers):
        learned = learner.climb(_dealt_start(learner.columns, plain, guess), SWEEPS)
        fits = learner.fit_of_columns(learned.channels)
        value = sum(fits[c][c in guess] for c in fits)
        if guess and value > reached + max(DEALT, BY_CHANCE / len(learner.sample) * len(guess ^ dealt)):
            dealt, best, reached = guess, learned, value
    fits = learner.fit_of_columns(best.channels)
    # Values of these columns count as not dealt only if that shows; those of others, of few values, need not show it.
    now = {c for c, (own, shared) in fits.items() if shared - own > (-margin if c in dealt else 0.0)}
    return best if now == dealt else learner.climb(_dealt_start(learner.columns, plain, now), SWEEPS)


def _dealt_start(columns: Sequence[LinkColumn], plain: Learned, dealt: set[int]) -> list[Channel]:
    return [
        first_channel(column, 0.0, 0.006, swapped=True) if c in dealt else plain.channels[c]
        for c, column in enumerate(columns)
    ]


def learn_rows_alone(learner: Learner) -> Learned:
    """Learn the channels from the best of several starts, each released row by itself: people may have several rows."""
    columns = learner.columns
    nearest = learner.explaining(weights_by_distance(columns, learner.sample))
    tried = [learner.climb(start, 1) for start in (*plain_starts(columns), nearest)]
    if max(learned.gain for learned in tried) < VAGUE * np.log(len(columns[0].x.codes)):
        # Otherwise it is known who is who, and that shows what other columns went through.
        tried += [learner.climb(start, 1) for start in starts_of_replaced_values(columns)]
    return learner.climb(max(tried, key=lambda learned: learned.gain).channels, SWEEPS)


def learn(
    columns: Sequence[LinkColumn],
    sample: Int,
    classes: ReleasedClasses | None,
    rng: np.random.Generator,
    more: Int | None = None,
    store: TableStore | None = None,
    unknown: int = 0,
) -> Learned:
    """Learn the channels from the best of several starts, and which columns were dealt among the rows of classes.

    Args:
        columns: The columns of both tables.
        sample: Released rows to learn from.
        classes: Classes in which values may have been dealt.
        rng: Source of the classes that are looked at.
        more: Further released rows, for releases that change so much that few rows tell little.
        store: Tables of channels, kept for other attacks.
        unknown: Number of people who may be released and are not among the original rows.
    """
    store = store or TableStore()
    learned = learn_unsettled(columns, sample, classes, rng, more, store, unknown)
    return settled(columns, learned, classes, store, unknown)


def learn_unsettled(
    columns: Sequence[LinkColumn],
    sample: Int,
    classes: ReleasedClasses | None,
    rng: np.random.Generator,
    more: Int | None,
    store: TableStore,
    unknown: int = 0,
) -> Learned:
    """Learn the same but for the last step, `settled`, which does not change the gain."""
    learner = Learner(columns, sample, classes, store, unknown)
    best = store.learned(columns, sample, learner.unknown, lambda: learn_rows_alone(learner))
    if more is not None and best.gain < VAGUE * np.log(len(columns[0].x.codes)):
        best = Learner(columns, np.union1d(sample, more), classes, store, unknown).climb(best.channels, SWEEPS)
    if classes is not None:
        whole = classes.some_rows(len(sample), rng)
        best = _with_dealt_columns(Learner(columns, whole, classes, store, unknown), best)
    return best


def settled(
    columns: Sequence[LinkColumn],
    learned: Learned,
    classes: ReleasedClasses | None,
    store: TableStore,
    unknown: int = 0,
) -> Learned:
    """Improve channels by rows that compete for the same people, and suppose some where nothing was learned."""
    all_known = not unknown and len(columns[0].y.codes) <= len(columns[0].x.codes)
    if not learned.dealt and learned.gain > 0 and all_known:
        rivals = Learner(columns, competing_rows(columns, learned, store), classes, store)
        learned = replace(learned, channels=rivals.settle(learned.channels))
    if all(channel == NOTHING for channel in learned.channels):
        # Nothing shows whether columns were shuffled, one column alone never does: they are taken as they stand.
        learned = replace(learned, channels=[_as_it_stands(column) for column in columns], supposed=True)
    return learned


def _as_it_stands(column: LinkColumn) -> Channel:
    return Channel("same", UNCHANGED) if column.same.any() and column.kept > SURE else NOTHING
