"""Which channel each column has: coordinate ascent of the marginal likelihood on sampled released rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefire.attacks.tables.link.channels import NOTHING, Channel, options, ratios
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.kernels.linkage import ascent
from icefire.kernels.linkage import channels as kernel
from icefire.kernels.types import Float, Int

SWEEPS = 6
GAIN = 0.5
"""A channel replaces the present one only for so much more log-likelihood (in all, not per row)."""


@dataclass(frozen=True)
class Classes:
    """Classes of released rows that agree where values may have been dealt among them."""

    of_row: Int
    members: Int
    start: Int


@dataclass(frozen=True)
class Learned:
    """The channel of every column, and how well they explain the sample."""

    channels: list[Channel]
    gain: float
    """Log-likelihood per sampled row, above chance."""


class Learner:
    """The sample, and the present channels of all columns."""

    def __init__(self, columns: Sequence[LinkColumn], sample: Int, classes: Classes | None) -> None:
        self.columns = columns
        self.sample = sample
        self.classes = classes
        self.tables: dict[tuple[int, Channel], Float] = {}

    def table(self, c: int, channel: Channel) -> Float:
        """Return the ratios of a channel; rows are released levels, or classes where values were swapped."""
        key = (c, channel)
        if key not in self.tables:
            column = self.columns[c]
            if channel.swapped:
                plain = self.table(c, Channel(channel.family, channel.scale, channel.noise))
                assert self.classes is not None
                self.tables[key] = kernel.class_means(plain, column.y.codes, self.classes.members, self.classes.start)
            else:
                self.tables[key] = ratios(column, channel)
        return self.tables[key]

    def levels(self, c: int, channel: Channel) -> Int:
        """Return the row of the table for every sampled row."""
        if channel.swapped:
            assert self.classes is not None
            return self.classes.of_row[self.sample]
        return self.columns[c].y.codes[self.sample].astype(np.int64)

    def rows(self, c: int, channel: Channel) -> Float:
        """Return the ratios of every sampled row and every original level."""
        return self.table(c, channel)[self.levels(c, channel)]

    def climb(self, start: Sequence[Channel], sweeps: int) -> Learned:
        """Improve one column after the other until nothing gains."""
        present = list(start)
        n = len(self.columns[0].x.codes)
        weights, log_scale = np.ones((len(self.sample), n)), np.zeros(len(self.sample))
        for c, channel in enumerate(present):
            if channel != NOTHING:
                column = self.columns[c]
                ones = np.ones((len(self.sample), column.x.count))
                log_scale += ascent.exchange(weights, ones, self.rows(c, channel), column.x.codes)
        for _ in range(sweeps):
            changed = False
            for c, column in enumerate(self.columns):
                before = self.rows(c, present[c])
                sums = ascent.level_sums(weights, before, column.x.codes, column.x.count)
                best, value = present[c], self._likelihood(c, present[c], sums) + GAIN
                for channel in self._options(c):
                    reached = self._likelihood(c, channel, sums)
                    if reached > value:
                        best, value = channel, reached
                if best != present[c]:
                    after = self.rows(c, best)
                    log_scale += ascent.exchange(weights, before, after, column.x.codes)
                    present[c] = best
                    changed = True
            if not changed:
                break
        gain = np.log(weights.mean(axis=1)) + log_scale
        return Learned(present, float(gain.mean()))

    def _options(self, c: int) -> list[Channel]:
        plain = list(options(self.columns[c]))
        if self.classes is None:
            return plain
        return plain + [
            Channel(o.family, o.scale, o.noise, True)
            for o in plain
            if o.family in ("same", "value", "box", "rank") and (o.family != "same" or o.scale > 0.9)
        ]

    def _likelihood(self, c: int, channel: Channel, sums: Float) -> float:
        return ascent.log_likelihood(sums, self.table(c, channel), self.levels(c, channel))


def starts(columns: Sequence[LinkColumn], classes: Classes | None) -> list[list[Channel]]:
    """List where to begin: sharp, middling and broad channels everywhere, or values dealt among classes."""
    begin = []
    for same, rank in ((0.9, 0.01), (0.6, 0.05), (0.3, 0.15)):
        begin.append([_first(column, same, rank) for column in columns])
    if classes is not None:
        begin.append([_swapped(column) for column in columns])
    return begin


def _first(column: LinkColumn, same: float, rank: float) -> Channel:
    if column.covers is not None:
        return Channel("covers", 0.0, 0.05)
    if column.numeric and column.x.count > 12:
        return Channel("rank", rank, 0.05)
    return Channel("same", same)


def _swapped(column: LinkColumn) -> Channel:
    if column.covers is not None:
        return Channel("covers", 0.0, 0.05)
    if column.numeric and column.x.count > 12:
        return Channel("rank", 0.006, 0.2, True)
    return Channel("same", 0.7)


def learn(columns: Sequence[LinkColumn], sample: Int, classes: Classes | None) -> tuple[Learned, Learner]:
    """Learn the channels from the best of several starts."""
    learner = Learner(columns, sample, classes)
    tried = [learner.climb(start, 1) for start in starts(columns, classes)]
    best = max(tried, key=lambda learned: learned.gain)
    return learner.climb(best.channels, SWEEPS), learner
