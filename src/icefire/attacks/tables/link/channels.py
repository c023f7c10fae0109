"""The channels that a column may have: how a released level may come from an original one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np

from icefire.attacks.tables.link.columns import LinkColumn
from icefire.kernels.linkage import channels, channels_by_numpy
from icefire.kernels.types import Float, Int

SAME = (0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.95, 0.995)
RANKS = (0.002, 0.006, 0.02, 0.05, 0.1, 0.2)
BOXES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
VALUES = (0.0005, 0.002, 0.006, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.5, 2.5, 5.0)
SHARES = (0.02, 0.1, 0.3)
"""Differences of the logs of frequencies."""
RENAMED = 64
"""Values that were replaced by others are recognised by their frequency in columns of at most so many."""
REPLACED = 0.1
"""And where so large a share of the released values is not in the original, or not as often."""
NOISE = 0.005
NOISES = (0.005, 0.2)
"""Shares of values drawn anew, beside the kernel."""


@dataclass(frozen=True, order=True)
class Channel:
    """A family and its scale."""

    family: str = "nothing"
    """nothing, same, rank, own_rank, reversed_rank, box, value, student, covers or renamed."""
    scale: float = 0.0
    noise: float = NOISE
    swapped: bool = False
    """The values of a class of released rows were dealt among its rows."""


NOTHING = Channel()


def options(column: LinkColumn) -> Iterator[Channel]:
    """List the channels that a column may have, without `swapped`."""
    yield NOTHING
    if column.same.any():
        yield from (Channel("same", scale) for scale in SAME)
    if column.covers is not None:
        yield from (Channel("covers", 0.0, noise) for noise in (0.002, 0.05, 0.3))
    if is_renaming_possible(column):
        yield from (Channel("renamed", scale, 0.02) for scale in SHARES)
    if column.numeric:
        yield from (Channel("reversed_rank", scale) for scale in RANKS[:5])
        yield from (Channel("box", scale) for scale in BOXES)
        yield from (Channel("own_rank", scale, noise) for scale in RANKS[:5] for noise in NOISES)
        yield from (Channel("rank", scale, noise) for scale in RANKS for noise in NOISES)
        yield from (Channel("value", scale, noise) for scale in VALUES for noise in NOISES)
        yield from (Channel("student", scale) for scale in VALUES)


def is_renaming_possible(column: LinkColumn) -> bool:
    """Tell whether values may have been replaced by others, one by one, and few enough to be told by frequency.

    Values that are as frequent as in the original were not, nor were labels that can be read.
    """
    return 2 < max(column.x.count, column.y.count) <= RENAMED and _share_not_in_original(column) > REPLACED


def _share_not_in_original(column: LinkColumn) -> float:
    """Return the share of released values beyond those that the original has as often."""
    expected = np.where(column.same, column.x.share[None, :], 0.0).sum(axis=1)
    beyond = np.maximum(column.y.share - expected, 0.0)
    if column.covers is not None:
        known = column.x.share > 0
        others = (column.covers & ~column.same)[:, known].any(axis=1)
        beyond[others & ~column.covers[:, known].all(axis=1)] = 0.0
    return float(beyond.sum())


def ratios(column: LinkColumn, channel: Channel) -> Float:
    """Return the table of a channel: ratios to chance, released × original levels."""
    kernel = kernel_of(column, channel)
    if kernel is None:
        return np.ones((column.y.count, column.x.count))
    table: Float = kernels_for(column).balanced(kernel, column.y.share, column.x.share, noise_of(channel))
    return table


def kernels_for(column: LinkColumn) -> ModuleType:
    """Return the module that makes the tables of a column: by the size of the tables alone, since they differ a bit."""
    return channels_by_numpy if column.is_of_small_tables else channels


def noise_of(channel: Channel) -> float:
    """Return the share of released values that are drawn anew."""
    return 1.0 - channel.scale if channel.family == "same" else channel.noise


def kernel_of(column: LinkColumn, channel: Channel) -> Float | None:
    """Return the kernel of a channel, released × original levels, before it is balanced; None for `nothing`."""
    x, y = column.x, column.y
    kernel: Callable[..., Float] = kernels_for(column).kernel
    family, scale = channel.family, channel.scale
    if family == "nothing":
        return None
    if family == "same":
        return column.same.astype(float)
    if family == "covers":
        assert column.covers is not None
        return column.covers.astype(float)
    if family in ("rank", "box"):
        kind = channels.LAPLACE if family == "rank" else channels.BOX
        return kernel(kind, y.rank, x.rank, y.rank_width, x.rank_width, scale)
    if family in ("own_rank", "reversed_rank"):
        place = y.own_rank if family == "own_rank" else 1.0 - y.own_rank
        return kernel(channels.LAPLACE, place, x.own_rank, y.own_width, x.own_width, scale)
    if family == "renamed":
        shown, known = (np.log(np.where(side.share > 0, side.share, np.nan)) for side in (y, x))
        return kernel(channels.GAUSS, shown, known, np.zeros(y.count), np.zeros(x.count), scale)
    kind = channels.GAUSS if family == "value" else channels.STUDENT
    return kernel(kind, y.value, x.value, y.width, x.width, scale * column.spread)


@dataclass(frozen=True)
class ReleasedClasses:
    """Classes of released rows that agree in some columns: values of others may have been dealt among their rows."""

    columns: tuple[str, ...]
    """Where the rows of a class agree."""
    of_row: Int
    members: Int
    start: Int
    """Class g is members[start[g]:start[g + 1]]."""

    def some_rows(self, count: int, rng: np.random.Generator) -> Int:
        """Return the rows of whole classes drawn at random: so many rows, or those of one class more."""
        order = rng.permutation(len(self.start) - 1)
        sizes = np.diff(self.start)[order]
        drawn = order[np.cumsum(sizes) - sizes < count]
        return np.flatnonzero(np.isin(self.of_row, drawn))

    def holding(self, rows: Int) -> ReleasedClasses:
        """Return the classes of some released rows alone; the class of other rows is -1."""
        kept, of_rows = np.unique(self.of_row[rows], return_inverse=True)
        members = [self.members[self.start[g] : self.start[g + 1]] for g in kept]
        of_row = np.full_like(self.of_row, -1)
        of_row[rows] = of_rows
        start = np.cumsum([0] + [len(some) for some in members])
        return ReleasedClasses(self.columns, of_row, np.concatenate(members), start)


def channel_table(
    column: LinkColumn, channel: Channel, classes: ReleasedClasses | None, plain: Float | None = None
) -> Float:
    """Return the ratios of a channel; its rows are released levels, or classes where values were dealt in them.

    Args:
        column: The column.
        channel: Its channel.
        classes: The classes.
        plain: The ratios as if no values were dealt, if they are at hand.
    """
    table = ratios(column, replace(channel, swapped=False)) if plain is None else plain
    return means_of_classes(column, table, classes) if channel.swapped and classes is not None else table


def means_of_classes(column: LinkColumn, table: Float, classes: ReleasedClasses) -> Float:
    """Return the mean ratios of the members of each class."""
    means: Float = kernels_for(column).class_means(table, column.y.codes, classes.members, classes.start)
    return means


def table_rows(column: LinkColumn, channel: Channel, classes: ReleasedClasses | None) -> Int:
    """Return which row of the table each released row has."""
    return column.y.codes.astype(np.int64) if not channel.swapped or classes is None else classes.of_row
