"""Points inside boxes, where coordinates are small whole numbers: a tree over their digits.

Points are sorted by the leading digits of all columns, then by the next digits, and so on. A node is a range of points
that agree so far; its children differ in the next digit of one column, so that a step down compares a single number. A
node that a box restricts no further contributes all its points without a look at them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.common.ranges import concatenated_ranges
from icefire.kernels.types import Int, Int32

BITS = 4  # of a digit
FEW = 4  # points that are compared one by one
TASK = 64  # least number of boxes of a task
VISITS = 256  # nodes that a box is expected to visit, where there are so many


class PrefixTree(NamedTuple):
    """The tree, in flat arrays; the first nodes are the roots, one for each part of the points."""

    points: Int32  # sorted; row-major
    levels: Int32  # of each level the column, and by how many bits its places are shifted
    begin: Int  # per node: its points, from begin to end
    end: Int
    depth: Int32  # per node: levels on which its points agree
    value: Int32  # per node: the prefix that tells it from its siblings
    first: Int  # per node: its children, from first to last; none for a node of few points
    last: Int


def tree_levels(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return column and shift of each level: leading digits of all columns first, columns in the order given.

    Coordinates of column c lie below sizes[c].
    """
    digits = [max(1, -(-int(size - 1).bit_length() // BITS)) for size in sizes]
    return [(c, BITS * d) for d in reversed(range(max(digits))) for c in range(len(sizes)) if d < digits[c]]


def build_tree(points: Int32, start: Int, steps: Sequence[tuple[int, int]]) -> PrefixTree:
    """Build the tree.

    Args:
        points: points × columns, sorted inside each part by their prefixes, level by level.
        start: Part p is points[start[p]:start[p + 1]].
        steps: Column and shift of each level; see `tree_levels`.

    Returns:
        The tree, with one root per part. Nodes of up to FEW points are not divided.
    """
    nodes = [_nodes(start[:-1], start[1:], 0, np.zeros(len(start) - 1, np.int32))]
    count = len(start) - 1
    for column, shift in steps:
        if not (nodes[-1].end - nodes[-1].begin > FEW).any():
            break
        nodes.append(_children(nodes[-1], points[:, column] >> shift, count))
        count += len(nodes[-1].begin)
    fields: list[NDArray[Any]] = [np.concatenate(field) for field in zip(*nodes, strict=True)]
    return PrefixTree(points, np.array(steps, np.int32), *fields)


class _Nodes(NamedTuple):
    """Nodes of one level; see `PrefixTree`."""

    begin: Int
    end: Int
    depth: Int32
    value: Int32
    first: Int
    last: Int


def _nodes(begin: Int, end: Int, depth: int, value: Int32) -> _Nodes:
    """Return nodes that have no children yet."""
    many = len(begin)
    return _Nodes(begin, end, np.full(many, depth, np.int32), value, np.zeros(many, np.int64), np.zeros(many, np.int64))


def _children(above: _Nodes, prefixes: Int32, existing: int) -> _Nodes:
    """Divide the nodes of many points by prefix; so many nodes exist already."""
    parents = np.flatnonzero(above.end - above.begin > FEW)
    sizes = (above.end - above.begin)[parents]
    parent = np.repeat(np.arange(len(parents)), sizes)
    points = concatenated_ranges(above.begin[parents], sizes)
    value = prefixes[points]
    fresh = np.flatnonzero((np.diff(value, prepend=-1) != 0) | (np.diff(parent, prepend=-1) != 0))
    children = np.bincount(parent[fresh], minlength=len(parents))
    above.last[parents] = existing + np.cumsum(children)
    above.first[parents] = above.last[parents] - children
    end = points[np.append(fresh[1:], len(points)) - 1] + 1
    return _nodes(points[fresh], end, int(above.depth[0]) + 1, value[fresh])


def count_in_boxes(tree: PrefixTree, start: Int, part: Int, low: Int32, high: Int32, asked: Int) -> Int:
    """Return how many rows lie in each box.

    Args:
        tree: The tree over the points.
        start: Point p stands for start[p + 1] - start[p] rows.
        part: The part of the points that each box looks at.
        low: boxes × columns: lower ends, which belong to the box.
        high: boxes × columns: upper ends, which belong to the box.
        asked: From this level on a box restricts nothing any more.

    Returns:
        One number per box.
    """
    counts, nothing = np.zeros(len(part), np.int64), np.empty(0, np.int64)
    common = (tree, start, nothing, part, low, high, asked, counts, nothing)
    visit = compiled_if_worth(_visit, len(part) * min(len(tree.begin), VISITS))
    threads.starmap(visit, [(*common, *span) for span in threads.spans(len(part), TASK)])
    return counts


def rows_in_boxes(
    tree: PrefixTree, start: Int, members: Int, part: Int, low: Int32, high: Int32, asked: Int, ends: Int
) -> Int:
    """Return the rows in all boxes, ascending inside each: those of box b from ends[b] to ends[b + 1].

    Args:
        tree: The tree over the points.
        start: Point p stands for the rows members[start[p]:start[p + 1]].
        members: See `start`.
        part: The part of the points that each box looks at.
        low: boxes × columns: lower ends, which belong to the box.
        high: boxes × columns: upper ends, which belong to the box.
        asked: From this level on a box restricts nothing any more.
        ends: Offsets of the boxes in the result: the cumulated counts of `count_in_boxes`, from 0.

    Returns:
        ends[-1] rows.
    """
    inside = np.empty(int(ends[-1]), np.int64)
    common = (tree, start, members, part, low, high, asked, ends[:-1].copy(), inside)
    visit = compiled_if_worth(_visit, len(part) * min(len(tree.begin), VISITS))
    threads.starmap(visit, [(*common, *span) for span in threads.spans(len(part), TASK)])
    return inside


@numba.njit(nogil=True, cache=True)
def _visit(tree, start, members, part, low, high, asked, at, inside, first, last):  # type: ignore[no-untyped-def]
    """Add the rows of boxes first … last - 1 to the counts at[b] and, if there are members, write them to `inside`."""
    stack = np.empty(len(tree.levels) * (1 << BITS) + 1, np.int64)
    for b in range(first, last):
        begin = at[b]
        top, stack[0] = 1, part[b]
        while top > 0:
            top -= 1
            node = stack[top]
            if tree.depth[node] >= asked[b]:
                at[b] = _take(start, members, tree.begin[node], tree.end[node], inside, at[b])
            elif tree.last[node] == 0:
                for p in range(tree.begin[node], tree.end[node]):
                    if _inside(tree.points, p, low, high, b):
                        at[b] = _take(start, members, p, p + 1, inside, at[b])
            else:
                column, shift = tree.levels[tree.depth[node], 0], tree.levels[tree.depth[node], 1]
                least, most = low[b, column] >> shift, high[b, column] >> shift
                for child in range(tree.first[node], tree.last[node]):
                    if tree.value[child] > most:
                        break
                    if tree.value[child] >= least:
                        stack[top] = child
                        top += 1
        if len(members):
            inside[begin : at[b]].sort()


@numba.njit(nogil=True, cache=True, inline="always")
def _take(start, members, first, last, inside, at):  # type: ignore[no-untyped-def]
    """Return `at` plus the number of rows of some points, and write the rows there if there are members."""
    if len(members):
        for i in range(start[first], start[last]):
            inside[at + i - start[first]] = members[i]
    return at + start[last] - start[first]


@numba.njit(nogil=True, cache=True, inline="always")
def _inside(points, p, low, high, b):  # type: ignore[no-untyped-def]
    """Tell whether point p lies in box b."""
    for c in range(points.shape[1]):  # noqa: SIM110 (numba)
        if points[p, c] < low[b, c] or points[p, c] > high[b, c]:
            return False
    return True
