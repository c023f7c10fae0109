"""The sample of released rows, and the channels of all columns tried on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from icefire.attacks.tables.link.channel_tables import REMEMBERED, Learned, TableStore
from icefire.attacks.tables.link.channels import NOTHING, Channel, ReleasedClasses, means_of_classes
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.kernels.common import threads
from icefire.kernels.linkage import ascent, ascent_by_numpy, pair_weights
from icefire.kernels.linkage.pair_weights import AllWeights, PairWeights
from icefire.kernels.types import Float, Int

SURE = 0.9
GAIN = 0.5
"""A channel replaces the present one only for so much more log-likelihood (in all, not per row)."""
CACHED = 1 << 16
"""Weights of so many original rows stay in the cache while all columns are multiplied in."""
WORTH = 3.0
"""A column that gains less than this over saying nothing says nothing."""
TIED = 1e-6
"""Expected log-likelihoods that differ by no more than this, in all, are equal."""
VARIES = 1.1
"""Different values per class below which nothing was dealt in a column."""
TURNS, ROUNDS = 4, 15
"""How often channels are chosen anew under one-to-one, and how often shares are balanced each time."""


class Learner:
    """The sample, and the channels tried on it."""

    def __init__(
        self,
        columns: Sequence[LinkColumn],
        sample: Int,
        classes: ReleasedClasses | None,
        store: TableStore,
        unknown: int = 0,
    ) -> None:
        self.columns = columns
        self.sample = sample
        self.classes = None if classes is None else classes.holding(sample)
        self.sampled = [column.y.codes[sample].astype(np.int64) for column in columns]
        self.tables = store.tables(columns)
        # Tables with a row for every class fit the classes of this sample alone.
        self.dealt_tables: dict[tuple[int, Channel], Float] = {}
        self.dealt_stacks: dict[int, Float] = {}
        # By the size of the tables alone: the results differ in the last digits.
        self.kernels = ascent_by_numpy if columns[0].is_of_small_tables else ascent
        self.unknown = max(len(columns[0].y.codes) - len(columns[0].x.codes), unknown)
        """People in the release who are not known: sampled rows may be theirs."""

    def table(self, c: int, channel: Channel) -> Float:
        """Return the ratios of a channel, kept for the next time."""
        if not channel.swapped or self.classes is None:
            return self.tables[c].table(replace(channel, swapped=False) if channel.swapped else channel)
        if (c, channel) in self.dealt_tables:
            return self.dealt_tables[c, channel]
        return means_of_classes(self.columns[c], self.tables[c].table(replace(channel, swapped=False)), self.classes)

    def levels(self, c: int, swapped: bool) -> Int:
        """Return the row of the table for every sampled row."""
        if swapped and self.classes is not None:
            return self.classes.of_row[self.sample]
        return self.sampled[c]

    def rows(self, c: int, channel: Channel) -> Float:
        """Return the ratios of every sampled row and every original level."""
        return self.table(c, channel)[self.levels(c, channel.swapped)]

    def climb(self, start: Sequence[Channel], sweeps: int) -> Learned:
        """Improve one column after the other until nothing gains.

        Args:
            start: The channels to begin with; values of a column are dealt in the end if they are at the start.
            sweeps: How often every column is looked at.
        """
        present = list(start)
        weights, log_scale = self.weights(present)
        changes = 0
        # How many changes there had been when a column was looked at last: it need not be while there are no more.
        looked_at = [-1] * len(self.columns)
        for _ in range(sweeps):
            for c, column in enumerate(self.columns):
                if looked_at[c] == changes:
                    continue
                before = self.rows(c, present[c])
                sums = self.kernels.level_sums(weights, before, column.x.codes, column.x.count)
                if self.unknown:
                    sums = np.column_stack([sums, self._of_unknown(log_scale)])
                best = self._best_option(c, present[c], start[c].swapped, sums)
                if best != present[c]:
                    after = self.rows(c, best)
                    log_scale += self.kernels.exchange(weights, before, after, column.x.codes)
                    present[c] = best
                    changes += 1
                looked_at[c] = changes
            if min(looked_at) == changes:
                break
        known = weights.shape[1] / (weights.shape[1] + self.unknown)
        unknown = (1 - known) / max(self.unknown, 1) * self._of_unknown(log_scale)
        gain = np.log(known * weights.mean(axis=1) + unknown) + log_scale
        error = float(gain.std() / np.sqrt(len(gain)))
        dealt = any(channel.swapped for channel in present)
        return Learned(present, float(gain.mean()), error, dealt, weights.argmax(axis=1), self.sample)

    def _best_option(self, c: int, present: Channel, swapped: bool, sums: Float) -> Channel:
        """Return the channel of a column that explains the sample clearly better than the present one, if any."""
        choices, values = self._options(c, swapped), self._likelihoods(c, swapped, sums)
        place = self.tables[c].place(present) if not swapped else _place(choices, present)
        if place is None:
            table, levels = self.table(c, present), self.levels(c, present.swapped)
            least = float(self.kernels.log_likelihoods(sums, table[None], levels)[0]) + GAIN
        else:
            least = float(values[place]) + GAIN
        highest = int(values.argmax())
        best = choices[highest] if values[highest] > least else present
        # The first option is that the column says nothing.
        return NOTHING if max(values[highest], least) < values[0] + WORTH else best

    def settle(self, start: Sequence[Channel]) -> list[Channel]:
        """Improve the channels given who is probably who, where no original row stands for more than one sampled row.

        Every turn raises the likelihood of the best such matching.
        """
        present = list(start)
        for _ in range(TURNS):
            weights, _ = self.weights(present)
            better = self.explaining(weights)
            if better == present:
                break
            present = better
        return present

    def explaining(self, weights: Float) -> list[Channel]:
        """Return the channels that explain the sample best if original rows have these weights for sampled rows.

        The weights are changed.
        """
        pairs = pair_weights.balanced(weights, ROUNDS)
        return [self._most_expected(c, pairs) for c in range(len(self.columns))]

    def _most_expected(self, c: int, pairs: PairWeights | AllWeights) -> Channel:
        """Return the channel of highest expected log-likelihood, given the posterior weights of the original rows."""
        column = self.columns[c]
        seen = pairs.by_levels(self.sampled[c], column.x.codes, (column.y.count, column.x.count))
        values = self.tables[c].expected_log_likelihoods(seen)
        # Options of equal tables differ by rounding: the first of them is taken.
        best = int(np.argmax(values >= values.max() - TIED))
        return self.tables[c].options[best] if values[best] > WORTH else NOTHING

    def weights(self, channels: Sequence[Channel]) -> tuple[Float, Float]:
        """Return the weight of every original row for every sampled one, and the log of what they were divided by."""
        used = [c for c, channel in enumerate(channels) if channel != NOTHING]
        n = len(self.columns[0].x.codes)
        if not used or n > CACHED:
            return self._weights_by_column(used, channels)
        rows = [self.rows(c, channels[c]) for c in used]
        start = np.cumsum([0] + [part.shape[1] for part in rows[:-1]])
        levels = np.stack([self.columns[c].x.codes for c in used])
        weights: tuple[Float, Float] = self.kernels.first_weights(np.concatenate(rows, axis=1), levels, start)
        return weights

    def _weights_by_column(self, used: Sequence[int], channels: Sequence[Channel]) -> tuple[Float, Float]:
        n = len(self.columns[0].x.codes)
        weights, log_scale = np.ones((len(self.sample), n)), np.zeros(len(self.sample))
        for c in used:
            column = self.columns[c]
            ones = np.ones((len(self.sample), column.x.count))
            log_scale += self.kernels.exchange(weights, ones, self.rows(c, channels[c]), column.x.codes)
        return weights, log_scale

    def fit_of_columns(self, channels: Sequence[Channel]) -> dict[int, tuple[float, float]]:
        """Return how well the columns outside the classes fit the person of their row, and any person of its class.

        The person of a row is told by all other columns. If the values of a column were dealt, they fit the persons of
        the rows of the class, but not that of their own row. The sample must consist of whole classes.

        Returns:
            For the place of each such column both log-likelihoods per sampled row.
        """
        assert self.classes is not None
        weights, _ = self.weights(channels)
        _, members, sizes = np.unique(self.classes.of_row[self.sample], return_inverse=True, return_counts=True)
        fits = {}
        for c, column in enumerate(self.columns):
            levels = self.sampled[c]
            pairs = len(np.unique(members * column.y.count + levels))
            if column.name in self.classes.columns or pairs < VARIES * len(sizes):
                continue
            own = self.kernels.level_sums(weights, self.rows(c, channels[c]), column.x.codes, column.x.count)
            own /= np.maximum(own.sum(axis=1, keepdims=True), 1e-300)
            shared = np.zeros((len(sizes), column.x.count))
            np.add.at(shared, members, own)
            shared = (shared / sizes[:, None])[members]
            reached = [float(self._likelihoods(c, False, sums).max()) for sums in (own, shared)]
            fits[c] = reached[0] / len(self.sample), reached[1] / len(self.sample)
        return fits

    def _options(self, c: int, swapped: bool) -> list[Channel]:
        plain = self.tables[c].options
        if not swapped:
            return plain
        dealt = (o for o in plain if o.family in ("same", "value", "box", "rank"))
        return [NOTHING] + [replace(o, swapped=True) for o in dealt if o.family != "same" or o.scale > SURE]

    def _likelihoods(self, c: int, swapped: bool, sums: Float) -> Float:
        """Return the log-likelihood of every option of a column."""
        stack = self._dealt_stack(c) if swapped and self.classes is not None else self.tables[c].stack
        values: Float = self.kernels.log_likelihoods(sums, stack, self.levels(c, swapped))
        return values

    def _dealt_stack(self, c: int) -> Float:
        """Return the tables of all options for values dealt among the rows of classes, kept where memory allows."""
        if c in self.dealt_stacks:
            return self.dealt_stacks[c]
        assert self.classes is not None
        dealt = self._options(c, True)[1:]
        self.tables[c].make_all()
        tables = threads.starmap(self.table, [(c, channel) for channel in dealt])
        # The first option is that the column says nothing.
        stack = np.stack([np.ones((len(self.classes.start) - 1, self.columns[c].x.count)), *tables])
        if stack.size + sum(kept.size for kept in self.dealt_stacks.values()) <= REMEMBERED:
            self.dealt_stacks[c] = stack
            self.dealt_tables |= {(c, channel): stack[place] for place, channel in enumerate(dealt, 1)}
        return stack

    def _of_unknown(self, log_scale: Float) -> Float:
        """Return the weight of all people who are not known for every sampled row, scaled as the others are."""
        weight: Float = self.unknown * np.exp(-np.clip(log_scale, -600.0, 600.0))
        return weight


def _place(choices: list[Channel], channel: Channel) -> int | None:
    return choices.index(channel) if channel in choices else None
