"""Sums of the weights of the points in each box, and for each point sums of the values of the boxes it lies in.

Coordinates are whole numbers. Points are sorted into small tiles, the leaves of a binary tree without pointers: node i
has the children 2i + 1 and 2i + 2, and its points are a range known from its number.

A node inside a box is taken
whole; only nodes that cross its border are opened.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.neighbours.median_splits import median_split_order
from icefire.kernels.types import Float, Int, Int32

TILE_BITS = 4
"""A leaf has at most two to this many points."""
OUTSIDE, ACROSS, INSIDE = 0, 1, 2


class PointTree(NamedTuple):
    """Points sorted into tiles, and the box around the points of every node."""

    points: Int32
    order: Int
    """For each place the number of the point in the input."""
    low: Int32
    high: Int32
    """By node and column: the least and the greatest coordinate."""
    halvings: int


def build_point_tree(points: Int32) -> PointTree:
    """Build the tree over points (points × columns, at least one)."""
    count = len(points)
    halvings = max(0, (count - 1).bit_length() - TILE_BITS)
    order = median_split_order(points.astype(np.float64), np.arange(count), np.array([0, count]), np.array([halvings]))
    nodes = (2 << halvings) - 1
    low, high = np.empty((nodes, points.shape[1]), np.int32), np.empty((nodes, points.shape[1]), np.int32)
    tree = PointTree(np.ascontiguousarray(points[order]), order, low, high, halvings)
    _enclose(tree)
    return tree


@njit(nogil=True, cache=True)
def _tile(tree, leaf):  # type: ignore[no-untyped-def]
    """Return where the points of a leaf begin and end."""
    n = len(tree.points)
    return n * leaf >> tree.halvings, n * (leaf + 1) >> tree.halvings


@njit(nogil=True, cache=True)
def _enclose(tree):  # type: ignore[no-untyped-def]
    """Set the boxes of all nodes, from the leaves up."""
    leaves = 1 << tree.halvings
    for leaf in range(leaves):
        begin, end = _tile(tree, leaf)
        for c in range(tree.points.shape[1]):
            tree.low[leaves - 1 + leaf, c] = tree.points[begin:end, c].min()
            tree.high[leaves - 1 + leaf, c] = tree.points[begin:end, c].max()
    for node in range(leaves - 2, -1, -1):
        for c in range(tree.points.shape[1]):
            tree.low[node, c] = min(tree.low[2 * node + 1, c], tree.low[2 * node + 2, c])
            tree.high[node, c] = max(tree.high[2 * node + 1, c], tree.high[2 * node + 2, c])


@njit(nogil=True, cache=True)
def _place(tree, node, low, high, box):  # type: ignore[no-untyped-def]
    """Tell whether a node lies outside a box, inside it, or across its border."""
    place = INSIDE
    for c in range(low.shape[1]):
        if tree.low[node, c] > high[box, c] or tree.high[node, c] < low[box, c]:
            return OUTSIDE
        if tree.low[node, c] < low[box, c] or tree.high[node, c] > high[box, c]:
            place = ACROSS
    return place


@njit(nogil=True, cache=True)
def _holds(tree, point, low, high, box):  # type: ignore[no-untyped-def]
    """Tell whether a point lies in a box."""
    inside = True
    for c in range(low.shape[1]):
        inside &= low[box, c] <= tree.points[point, c] <= high[box, c]
    return inside


@njit(nogil=True, cache=True)
def _visit(tree, low, high, box, stack, nodes, points):  # type: ignore[no-untyped-def]
    """List the nodes inside a box, and the points in it of leaves across its border; returns how many of each."""
    leaves, whole, single, top = 1 << tree.halvings, 0, 0, 1
    stack[0] = 0
    while top > 0:
        top -= 1
        node = stack[top]
        place = _place(tree, node, low, high, box)
        if place == INSIDE:
            nodes[whole] = node
            whole += 1
        elif place == ACROSS and node < leaves - 1:
            stack[top], stack[top + 1] = 2 * node + 1, 2 * node + 2
            top += 2
        elif place == ACROSS:
            begin, end = _tile(tree, node - leaves + 1)
            for point in range(begin, end):
                if _holds(tree, point, low, high, box):
                    points[single] = point
                    single += 1
    return whole, single


@njit(nogil=True, cache=True)
def _workspace(tree):  # type: ignore[no-untyped-def]
    """Return working memory for a visit: nodes to visit, nodes found, points found."""
    size = len(tree.low)
    return np.empty(2 * tree.halvings + 2, np.int64), np.empty(size, np.int64), np.empty(len(tree.points), np.int64)


@njit(nogil=True, cache=True)
def _weights_in_boxes(tree, weights, below, low, high, out, begin, end):  # type: ignore[no-untyped-def]
    """Write the sums of boxes begin … end - 1."""
    stack, nodes, points = _workspace(tree)
    for box in range(begin, end):
        whole, single = _visit(tree, low, high, box, stack, nodes, points)
        total = np.int64(0)
        for i in range(whole):
            total += below[nodes[i]]
        for i in range(single):
            total += weights[points[i]]
        out[box] = total


@njit(nogil=True, cache=True)
def _below(tree, weights):  # type: ignore[no-untyped-def]
    """Return the sum of the weights below each node."""
    leaves = 1 << tree.halvings
    below = np.zeros(2 * leaves - 1, np.int64)
    for leaf in range(leaves):
        begin, end = _tile(tree, leaf)
        below[leaves - 1 + leaf] = weights[begin:end].sum()
    for node in range(leaves - 2, -1, -1):
        below[node] = below[2 * node + 1] + below[2 * node + 2]
    return below


@njit(nogil=True, cache=True)
def _values_at_points(tree, low, high, values, pending, out):  # type: ignore[no-untyped-def]
    """Add the value of each box to all points in it: to whole nodes first, which pass it on to their points at last."""
    stack, nodes, points = _workspace(tree)
    for box in range(len(low)):
        whole, single = _visit(tree, low, high, box, stack, nodes, points)
        for i in range(whole):
            pending[nodes[i]] += values[box]
        for i in range(single):
            out[points[i]] += values[box]
    leaves = 1 << tree.halvings
    for node in range(leaves - 1):
        pending[2 * node + 1] += pending[node]
        pending[2 * node + 2] += pending[node]
    for leaf in range(leaves):
        begin, end = _tile(tree, leaf)
        for point in range(begin, end):
            out[point] += pending[leaves - 1 + leaf]


def weights_in_boxes(tree: PointTree, weights: Int, low: Int32, high: Int32) -> Int:
    """Return the sum of the weights of the points in each box.

    Args:
        tree: The tree over the points.
        weights: One whole number per point, in the order in which the points were given.
        low: boxes × columns: lower ends, which belong to the box.
        high: boxes × columns: upper ends, which belong to the box.

    Returns:
        One sum per box.
    """
    ordered = weights[tree.order]
    below, out = _below(tree, ordered), np.empty(len(low), np.int64)
    threads.starmap(
        _weights_in_boxes, [(tree, ordered, below, low, high, out, *span) for span in threads.spans(len(low), 256)]
    )
    return out


def values_at_points(tree: PointTree, low: Int32, high: Int32, values: Float) -> Float:
    """Return for each point the sum of the values of the boxes it lies in.

    Args:
        tree: The tree over the points.
        low: boxes × columns: lower ends, which belong to the box.
        high: boxes × columns: upper ends, which belong to the box.
        values: One value per box.

    Returns:
        One sum per point, in the order in which the points were given. Boxes are added in their order.
    """
    ordered = np.zeros(len(tree.points))
    _values_at_points(tree, low, high, values, np.zeros(len(tree.low)), ordered)
    out = np.empty_like(ordered)
    out[tree.order] = ordered
    return out
