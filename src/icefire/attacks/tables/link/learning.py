"""Which channel each column has: coordinate ascent of the marginal likelihood on sampled released rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from icefire.attacks.tables.link.channels import NOTHING, Channel, ReleasedClasses, channel_table, options, ratios
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.distance import weights_by_distance
from icefire.attacks.tables.link.starts import (
    first_channel,
    has_many_numbers,
    plain_starts,
    starts_of_replaced_values,
)
from icefire.kernels.common import threads
from icefire.kernels.linkage import ascent
from icefire.kernels.types import Float, Int

SWEEPS = 6
REMEMBERED = 1 << 26
"""Entries of tables kept in memory: half a gigabyte."""
SURE, UNCHANGED = 0.9, 0.995
GAIN = 0.5
"""A channel replaces the present one only for so much more log-likelihood (in all, not per row)."""


ERRORS = 2.0
"""A gain of fewer standard errors may be chance."""
EVIDENCE, CLEAR = 5.0, 0.25
"""Gains on the rows learned from that are no chance: in all, per column; or as a share of what tells everybody."""
WORTH = 3.0
"""A column that gains less than this over saying nothing says nothing."""
DEALT, SURELY_DEALT = 0.03, 0.05
"""Gains of log-likelihood per row that make it likely, and all but sure, that values were dealt in classes."""
VARIES = 1.1
"""Different values per class below which nothing was dealt in a column."""
VAGUE = 0.4
"""Gain, as a share of what it takes to know everybody, below which more rows are learned from."""
DISPUTED, RIVALS = 60, 8
"""Original rows that released rows compete for, and how many rivals of each are learned from."""
FEWEST, PAIRS = 6, 1 << 24
"""How many of them at least, and pairs of their rivals and all original rows held at once; fewer in large tables."""
TURNS, ROUNDS = 4, 15
"""How often channels are chosen anew under one-to-one, and how often shares are balanced each time."""


@dataclass(frozen=True)
class Learned:
    """The channel of every column, and how well they explain the sample."""

    channels: list[Channel]
    gain: float
    """Log-likelihood per sampled row, above chance."""
    error: float
    """Standard error of the gain."""
    dealt: bool = False
    """Values were dealt among the rows of a class."""
    nearest: Int | None = None
    """The likeliest original row of each sampled row."""
    sample: Int | None = None
    """The released rows that were sampled."""
    supposed: bool = False
    """Nothing was learned about any column: the channels suppose that values are those of the original."""

    def used(self, columns: Sequence[LinkColumn]) -> int:
        """Return how many columns of the tables say something."""
        pairs = zip(columns, self.channels, strict=True)
        return len({column.source for column, channel in pairs if channel != NOTHING})


class Learner:
    """The sample, and the channels tried on it."""

    def __init__(
        self,
        columns: Sequence[LinkColumn],
        sample: Int,
        classes: ReleasedClasses | None,
        tables: dict[tuple[int, Channel], Float] | None = None,
    ) -> None:
        self.columns = columns
        self.sample = sample
        self.classes = None if classes is None else classes.holding(sample)
        self.sampled = [column.y.codes[sample].astype(np.int64) for column in columns]
        self.dealt_tables: dict[tuple[int, Channel], Float] = {}
        self.tables: dict[tuple[int, Channel], Float] = {} if tables is None else tables
        self.remembered = sum(table.size for table in self.tables.values())
        self.unknown = max(len(columns[0].y.codes) - len(columns[0].x.codes), 0)
        """People in the release who are not known: sampled rows may be theirs."""

    def table(self, c: int, channel: Channel) -> Float:
        """Return the ratios of a channel, kept for the next time where memory allows."""
        # Tables with a row for every class fit the classes of this sample alone.
        key, tables = (c, channel), self.dealt_tables if channel.swapped else self.tables
        if key in tables:
            return tables[key]
        table = channel_table(self.columns[c], channel, self.classes)
        if self.remembered < REMEMBERED:
            tables[key] = table
            self.remembered += table.size
        return table

    def levels(self, c: int, channel: Channel) -> Int:
        """Return the row of the table for every sampled row."""
        if channel.swapped and self.classes is not None:
            return self.classes.of_row[self.sample]
        return self.sampled[c]

    def rows(self, c: int, channel: Channel) -> Float:
        """Return the ratios of every sampled row and every original level."""
        return self.table(c, channel)[self.levels(c, channel)]

    def climb(self, start: Sequence[Channel], sweeps: int) -> Learned:
        """Improve one column after the other until nothing gains.

        Args:
            start: The channels to begin with; values of a column are dealt in the end if they are at the start.
            sweeps: How often every column is looked at.
        """
        present = list(start)
        weights, log_scale = self._weights(present)
        for _ in range(sweeps):
            changed = False
            for c, column in enumerate(self.columns):
                before = self.rows(c, present[c])
                sums = ascent.level_sums(weights, before, column.x.codes, column.x.count)
                if self.unknown:
                    sums = np.column_stack([sums, self._of_unknown(log_scale)])
                best, value = present[c], self._likelihood(c, present[c], sums) + GAIN
                choices = self._options(c, start[c].swapped)
                for channel, reached in zip(choices, self._likelihoods(c, choices, sums), strict=True):
                    if reached > value:
                        best, value = channel, reached
                if value < self._likelihood(c, NOTHING, sums) + WORTH:
                    best = NOTHING
                if best != present[c]:
                    after = self.rows(c, best)
                    log_scale += ascent.exchange(weights, before, after, column.x.codes)
                    present[c] = best
                    changed = True
            if not changed:
                break
        known = weights.shape[1] / (weights.shape[1] + self.unknown)
        unknown = (1 - known) / max(self.unknown, 1) * self._of_unknown(log_scale)
        gain = np.log(known * weights.mean(axis=1) + unknown) + log_scale
        error = float(gain.std() / np.sqrt(len(gain)))
        dealt = any(channel.swapped for channel in present)
        return Learned(present, float(gain.mean()), error, dealt, weights.argmax(axis=1), self.sample)

    def settle(self, start: Sequence[Channel]) -> list[Channel]:
        """Improve the channels under the condition that no original row stands for more than one sampled row.

        Every turn raises the likelihood of the best such matching: given who is probably who, each column takes the
        channel that explains its values best.
        """
        present = list(start)
        for _ in range(TURNS):
            weights, _ = self._weights(present)
            ascent.balance(weights, ROUNDS)
            better = [self._most_expected(c, weights) for c in range(len(self.columns))]
            if better == present:
                break
            present = better
        return present

    def explaining(self, weights: Float) -> list[Channel]:
        """Return the channels that explain the sample best if original rows have these weights for sampled rows.

        The weights are changed.
        """
        ascent.balance(weights, ROUNDS)
        return [self._most_expected(c, weights) for c in range(len(self.columns))]

    def _most_expected(self, c: int, weights: Float) -> Channel:
        """Return the channel of highest expected log-likelihood, given the posterior weights of the original rows."""
        column = self.columns[c]
        ones = np.ones((len(self.sample), column.x.count))
        sums = ascent.level_sums(weights, ones, column.x.codes, column.x.count)
        seen = np.zeros((column.y.count, column.x.count))
        np.add.at(seen, self.sampled[c], sums)
        best, value = NOTHING, WORTH
        choices = self._options(c, False)
        tables = threads.starmap(self.table, [(c, channel) for channel in choices])
        values = threads.starmap(ascent.expected_log_likelihood, [(seen, table) for table in tables])
        for channel, reached in zip(choices, values, strict=True):
            if reached > value:
                best, value = channel, reached
        return best

    def _weights(self, channels: Sequence[Channel]) -> tuple[Float, Float]:
        """Return the weight of every original row for every sampled one, and the log of what they were divided by."""
        n = len(self.columns[0].x.codes)
        weights, log_scale = np.ones((len(self.sample), n)), np.zeros(len(self.sample))
        for c, channel in enumerate(channels):
            if channel != NOTHING:
                column = self.columns[c]
                ones = np.ones((len(self.sample), column.x.count))
                log_scale += ascent.exchange(weights, ones, self.rows(c, channel), column.x.codes)
        return weights, log_scale

    def fit_of_columns(self, channels: Sequence[Channel]) -> dict[int, tuple[float, float]]:
        """Return how well the columns outside the classes fit the person of their row, and any person of its class.

        The person of a row is told by all other columns. If the values of a column were dealt, they fit the persons of
        the rows of the class, but not that of their own row. The sample must consist of whole classes.

        Returns:
            For the place of each such column both log-likelihoods per sampled row.
        """
        assert self.classes is not None
        weights, _ = self._weights(channels)
        _, members, sizes = np.unique(self.classes.of_row[self.sample], return_inverse=True, return_counts=True)
        fits = {}
        for c, column in enumerate(self.columns):
            levels = self.sampled[c]
            pairs = len(np.unique(members * column.y.count + levels))
            if column.name in self.classes.columns or pairs < VARIES * len(sizes):
                continue
            own = ascent.level_sums(weights, self.rows(c, channels[c]), column.x.codes, column.x.count)
            own /= np.maximum(own.sum(axis=1, keepdims=True), 1e-300)
            shared = np.zeros((len(sizes), column.x.count))
            np.add.at(shared, members, own)
            shared = (shared / sizes[:, None])[members]
            plain = self._options(c, False)
            reached = [max(self._likelihoods(c, plain, sums)) for sums in (own, shared)]
            fits[c] = reached[0] / len(self.sample), reached[1] / len(self.sample)
        return fits

    def _options(self, c: int, swapped: bool) -> list[Channel]:
        plain = list(options(self.columns[c]))
        if not swapped:
            return plain
        dealt = (o for o in plain if o.family in ("same", "value", "box", "rank"))
        return [NOTHING] + [replace(o, swapped=True) for o in dealt if o.family != "same" or o.scale > SURE]

    def _likelihoods(self, c: int, channels: Sequence[Channel], sums: Float) -> list[float]:
        return threads.starmap(self._likelihood, [(c, channel, sums) for channel in channels])

    def _likelihood(self, c: int, channel: Channel, sums: Float) -> float:
        table = self.table(c, channel)
        if sums.shape[1] > table.shape[1]:
            # The last weight is that of people who are not known: no value makes them likelier.
            table = np.column_stack([table, np.ones(len(table))])
        return ascent.log_likelihood(sums, table, self.levels(c, channel))

    def _of_unknown(self, log_scale: Float) -> Float:
        """Return the weight of all people who are not known for every sampled row, scaled as the others are."""
        weight: Float = self.unknown * np.exp(-np.clip(log_scale, -600.0, 600.0))
        return weight


def competing_rows(columns: Sequence[LinkColumn], learned: Learned) -> Int:
    """Return released rows that compete for the same original rows.

    Rows drawn at random seldom do, so they do not show that several released rows resemble one person.
    """
    assert learned.nearest is not None
    disputed = np.unique(learned.nearest)
    most = min(DISPUTED, max(FEWEST, PAIRS // (RIVALS * len(columns[0].x.codes))))
    disputed = disputed[:: max(1, len(disputed) // most)][:most]
    used = [(column, ratios(column, channel)) for column, channel in zip(columns, learned.channels, strict=True)]
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
    numbers = {c for c in gains if has_many_numbers(learner.columns[c])}
    dealt, best, reached = set[int](), plain, -np.inf
    for guess in (set(gains), {c for c, gain in gains.items() if gain > DEALT}, numbers):
        learned = learner.climb(_dealt_start(learner.columns, plain, guess), SWEEPS)
        fits = learner.fit_of_columns(learned.channels)
        value = sum(fits[c][c in guess] for c in fits)
        if guess and value > reached + DEALT:
            dealt, best, reached = guess, learned, value
    fits = learner.fit_of_columns(best.channels)
    # Values of other columns count as dealt, and those of these as not, only if that shows.
    now = {c for c, (own, shared) in fits.items() if shared - own > (-DEALT if c in dealt else DEALT)}
    return best if now == dealt else learner.climb(_dealt_start(learner.columns, plain, now), SWEEPS)


def _dealt_start(columns: Sequence[LinkColumn], plain: Learned, dealt: set[int]) -> list[Channel]:
    return [
        first_channel(column, 0.0, 0.006, swapped=True) if c in dealt else plain.channels[c]
        for c, column in enumerate(columns)
    ]


def learn(
    columns: Sequence[LinkColumn],
    sample: Int,
    classes: ReleasedClasses | None,
    rng: np.random.Generator,
    more: Int | None = None,
) -> Learned:
    """Learn the channels from the best of several starts, and which columns were dealt among the rows of classes.

    Args:
        columns: The columns of both tables.
        sample: Released rows to learn from.
        classes: Classes in which values may have been dealt.
        rng: Source of the classes that are looked at.
        more: Further released rows, for releases that change so much that few rows tell little.
    """
    learner = Learner(columns, sample, classes)
    nearest = learner.explaining(weights_by_distance(columns, sample))
    tried = [learner.climb(start, 1) for start in (*plain_starts(columns), nearest)]
    if max(learned.gain for learned in tried) < VAGUE * np.log(len(columns[0].x.codes)):
        # Otherwise it is known who is who, and that shows what other columns went through.
        tried += [learner.climb(start, 1) for start in starts_of_replaced_values(columns)]
    best = learner.climb(max(tried, key=lambda learned: learned.gain).channels, SWEEPS)
    if more is not None and best.gain < VAGUE * np.log(len(columns[0].x.codes)):
        best = Learner(columns, np.union1d(sample, more), classes, learner.tables).climb(best.channels, SWEEPS)
    if classes is not None:
        best = _with_dealt_columns(Learner(columns, classes.some_rows(len(sample), rng), classes, learner.tables), best)
    if not best.dealt and best.gain > 0 and not learner.unknown:
        rivals = Learner(columns, competing_rows(columns, best), classes, learner.tables)
        best = replace(best, channels=rivals.settle(best.channels))
    if all(channel == NOTHING for channel in best.channels):
        # Nothing shows whether columns were shuffled, one column alone never does: they are taken as they stand.
        best = replace(best, channels=[_as_it_stands(column) for column in columns], supposed=True)
    return best


def _as_it_stands(column: LinkColumn) -> Channel:
    return Channel("same", UNCHANGED) if column.same.any() and column.kept > SURE else NOTHING


def columns_belong_together(columns: Sequence[LinkColumn], learned: Learned, sample: Int, others: Int) -> bool:
    """Tell whether the tables show that the values of a released row are one person's, better than chance would.

    Columns shuffled independently now and then seem to fit together by chance. One column alone cannot show anything:
    it is taken as it stands.

    Args:
        columns: The columns of both tables.
        learned: The channels of the columns.
        sample: Released rows they were learned from.
        others: Released rows they were not learned from; there are few or none in small tables.
    """
    used = learned.used(columns)
    if learned.dealt or used == 1:
        return True
    if len(others):
        other = Learner(columns, others, None).climb(learned.channels, 0)
        if other.gain <= ERRORS * other.error:
            return False
    if len(others) >= len(sample):
        return True
    gain = Learner(columns, sample, None).climb(learned.channels, 0).gain if learned.supposed else learned.gain
    return gain >= min(EVIDENCE * used / len(sample), CLEAR * float(np.log(len(columns[0].x.codes))))
