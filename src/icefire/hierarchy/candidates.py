"""The original rows that every released row may come from, where released values cover several original ones.

Places of a column that labels cover in common belong to one component. Rows that may belong together agree on the
component of every column, so they meet in one block; if no component has two labels, the blocks are the answer.
Otherwise each combination of labels is a box in the places of its columns, and a tree over the original rows of its
block finds those inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from icefire.core import blocks
from icefire.core.blocks import Blocks, EncodedColumn
from icefire.core.release import Case
from icefire.hierarchy.core import Hierarchy
from icefire.hierarchy.coverage import Coverage, coverage
from icefire.hierarchy.folder import find_file, read
from icefire.kernels.grouping import packed_keys
from icefire.kernels.neighbours import prefix_tree
from icefire.kernels.neighbours.prefix_tree import PrefixTree
from icefire.kernels.types import Bool, Int, Int32

DIGIT = (1 << prefix_tree.BITS) - 1
PART = 1 << 23
"""Candidates held at once, unless a single box has more."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes to search, each for the released rows y_rows[y_start[b]:y_start[b + 1]]."""

    columns: Sequence[Coverage]
    """Those whose labels overlap, in the order of the tree."""
    x_rows: Int
    x_start: Int
    """Point p of the tree stands for the original rows x_rows[x_start[p]:x_start[p + 1]]."""
    tree: PrefixTree
    y_rows: Int
    y_start: Int
    part: Int
    """The part of the tree that each box is searched in."""
    low: Int32
    high: Int32
    """The first and the last place of each box in each column."""

    @property
    def sizes(self) -> Int:
        """Number of released rows of each box."""
        return np.diff(self.y_start)

    def counts(self) -> Int:
        """Return how many original rows each box holds: all that are covered, and more if labels have gaps."""
        return prefix_tree.count_in_boxes(self.tree, self.x_start, *self._sides(slice(None)))

    def chosen(self, mask: Bool) -> Boxes:
        """Return some of the boxes."""
        return replace(
            self,
            y_rows=self.y_rows[np.repeat(mask, self.sizes)],
            y_start=np.append(0, np.cumsum(self.sizes[mask])),
            part=self.part[mask],
            low=self.low[mask],
            high=self.high[mask],
        )

    def search(self, counts: Int) -> Iterator[Blocks]:
        """Find what the boxes hold, as blocks of some of the released rows at a time."""
        ends, first = np.cumsum(counts), 0
        while first < len(counts):
            done = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + PART, "right")))
            yield self._searched(slice(first, last), np.append(0, ends[first:last] - done))
            first = last

    def _sides(self, some: slice) -> tuple[Int, Int32, Int32, Int]:
        """Boxes as the tree wants them: part, ends, and the level from which each asks no more."""
        last = np.zeros(len(self.columns), np.int64)
        last[self.tree.levels[:, 0]] = np.arange(1, len(self.tree.levels) + 1)
        low, high = self.low[some], self.high[some]
        whole = (low == 0) & (high == np.array([column.size - 1 for column in self.columns]))
        return self.part[some], low, high, np.where(whole, 0, last).max(axis=1)

    def _searched(self, some: slice, start: Int) -> Blocks:
        rows = prefix_tree.rows_in_boxes(self.tree, self.x_start, self.x_rows, *self._sides(some), start)
        rows, start = self._covered(rows, start, self.y_rows[self.y_start[some]])
        ends = self.y_start[some.start : some.stop + 1]
        return Blocks(rows, start, self.y_rows[ends[0] : ends[-1]], ends - ends[0])

    def _covered(self, rows: Int, start: Int, speakers: Int) -> tuple[Int, Int]:
        """Keep the rows that labels with gaps really cover; a speaker is one released row of each box."""
        for column in self.columns:
            labels = column.labels[speakers]
            if column.gaps[labels].any():
                box = np.repeat(np.arange(len(speakers)), np.diff(start))
                kept = column.covers(labels[box], column.places[rows])
                rows, start = rows[kept], np.append(0, np.cumsum(np.bincount(box[kept], minlength=len(speakers))))
        return rows, start


def find_candidates(case: Case, names: Sequence[str], hierarchies: str | None = None) -> Blocks | Boxes | None:
    """Find who may be whom by the columns named; None if every released value may simply be what it is.

    `hierarchies` is the folder of those that were published, with a file for every column that was generalised.
    """
    x, y = case.known.frame, case.released.frame
    coverages = {
        name: coverage(x[name], y[name], _reader(hierarchies, name), text=case.coded_text(name)) for name in names
    }
    if not any(coverages.values()):
        return None
    encoded, overlapping = [], []
    for name, column in coverages.items():
        digits, exact = (blocks.encode_jointly(x[name], y[name]), True) if column is None else _components(column)
        encoded.append(digits)
        if column is not None and not exact:
            overlapping.append(column)
    joined = blocks.blocks_of_columns(encoded, x.height, y.height)
    return _boxes(joined, overlapping) if overlapping else joined


def _reader(folder: str | None, name: str) -> Callable[[], Hierarchy] | None:
    return None if folder is None else lambda: read(find_file(folder, name), name)


def _components(column: Coverage) -> tuple[EncodedColumn, bool]:
    """Encode a column of both tables by component; also tell whether every component is all one label's."""
    low, high = column.hulls()
    some = np.flatnonzero(high > low)
    some = some[np.argsort(low[some], kind="stable")]
    reach = np.maximum.accumulate(high[some])
    fresh = np.append(True, low[some][1:] >= reach[:-1])[: len(some)]
    # Places that no label covers, and labels that cover no place, get components of their own, so that none match.
    nobody, nothing = len(some), len(some) + 1
    of_label = np.full(len(low), nothing, np.int32)
    of_label[some] = np.cumsum(fresh) - 1
    begin, end = np.append(low[some][fresh], column.size), np.append(reach[np.append(fresh[1:], True)[: len(some)]], 0)
    places = np.arange(column.size)
    of_place = (np.searchsorted(begin, places, "right") - 1).astype(np.int32)
    of_place[(of_place < 0) | (places >= end[of_place])] = nobody
    values = np.concatenate([of_place[column.places], of_label[column.labels]])
    return EncodedColumn(values, 0, nothing + 1), bool(fresh.all() and not column.gaps.any())


def _boxes(joined: Blocks, columns: Sequence[Coverage]) -> Boxes:
    """Grow a tree over the original rows of the blocks that have rows of both tables, and box the released ones."""
    columns = sorted(columns, key=_share)
    both = (joined.x_sizes > 0) & (joined.y_sizes > 0)
    levels = prefix_tree.tree_levels([column.size for column in columns])
    digits = [(columns[c].places >> shift & DIGIT, DIGIT + 1) for c, shift in levels]
    x = _alike(joined.x_rows, joined.x_sizes, both, digits)
    y = _alike(joined.y_rows, joined.y_sizes, both, [(column.labels, len(column.start) - 1) for column in columns])
    points = np.stack([column.places[x.speakers] for column in columns], axis=1)
    tree = prefix_tree.build_tree(points, np.searchsorted(x.block, np.arange(both.sum() + 1)), levels)
    ends = [[side[column.labels[y.speakers]].astype(np.int32) for side in column.hulls()] for column in columns]
    low, high = (np.stack(side, axis=1) for side in zip(*ends, strict=True))
    return Boxes(columns, x.rows, x.start, tree, y.rows, y.start, y.block, low, high - np.int32(1))


def _share(column: Coverage) -> float:
    """Return the share of the original rows that a released value covers on average: what tells most comes first."""
    low, high = column.hulls()
    before = np.append(0, np.cumsum(np.bincount(column.places, minlength=column.size)))
    covered: Int = (before[high] - before[low])[column.labels]
    return float(covered.mean()) / len(column.places)


@dataclass(frozen=True, slots=True)
class _Alike:
    """Rows of one table that agree, brought together: group g is rows[start[g]:start[g + 1]]."""

    rows: Int
    start: Int
    speakers: Int
    """The first row of each group."""
    block: Int
    """The block of each group, ascending."""


def _alike(rows: Int, sizes: Int, chosen: Bool, columns: Sequence[tuple[Int32, int]]) -> _Alike:
    """Sort the rows of the chosen blocks by block and then by columns, given as codes and their number."""
    rows, block = rows[np.repeat(chosen, sizes)], np.repeat(np.arange(chosen.sum()), sizes[chosen])
    digits = [EncodedColumn(codes[rows], 0, size) for codes, size in columns]
    keys, bound = blocks.pack_keys([EncodedColumn(block, 0, len(sizes)), *digits], len(rows))
    order, start, _, _ = packed_keys.group_rows(keys, bound, len(rows))
    first = order[start[:-1]]
    return _Alike(rows[order], start, rows[first], block[first])
