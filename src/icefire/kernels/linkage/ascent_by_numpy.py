"""The functions of `ascent` for small tables, by numpy: nothing need be compiled for them.

Weights are those of `ascent` to the last bit; log-likelihoods differ in the last digits. Which of the two modules is
used must depend on the size of the tables alone.
"""

from __future__ import annotations

import math

import numpy as np

from icefire.kernels.linkage.ascent import FAR, TINY
from icefire.kernels.types import Float, Int, Int32

SPARE = 2
"""Room for rows of one released level, at most so many times the rows, for one product of all levels at once."""


def level_sums(weights: Float, rows: Float, x_levels: Int32, levels: int) -> Float:
    """Return for every sampled row the weight of all other columns, summed by original level; see `ascent`."""
    places = np.arange(len(weights))[:, None] * levels + x_levels
    sums = np.bincount(places.ravel(), weights.ravel(), len(weights) * levels).reshape(len(weights), levels)
    return sums / rows


def log_likelihoods(sums: Float, tables: Float, levels: Int) -> Float:
    """Return for each of several channels the sum over sampled rows of the log of their weight; see `ascent`."""
    known = tables.shape[2]
    order, counts = np.argsort(levels, kind="stable"), np.bincount(levels, minlength=tables.shape[1])
    most = int(counts.max(initial=0))
    by_level = sums[:, :known]
    if len(counts) * most <= SPARE * len(levels) + len(counts):
        # The rows of each level beside one another, and room for as many in the other levels.
        slot = np.empty(len(levels), np.int64)
        slot[order] = np.arange(len(levels)) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = np.zeros((most, len(counts), known))
        rows[slot, levels] = by_level
        # Not by a product of matrices: its last digits depend on the number of threads.
        weights = np.stack([np.einsum("kba,ba->kb", tables, some) for some in rows])[slot, :, levels].T
    else:
        weights = np.empty((len(tables), len(levels)))
        for some in np.split(order, np.cumsum(counts)[:-1]):
            if len(some):
                weights[:, some] = np.einsum("ka,ja->kj", tables[:, levels[some[0]]], by_level[some])
    logs: Float = np.log(np.maximum(weights + sums[:, known:].sum(axis=1), 1e-300)).sum(axis=1)
    return logs


def exchange(weights: Float, before: Float, after: Float, x_levels: Int32) -> Float:
    """Replace the ratios of a column in the weights, in place, and return the log of the rows' factors."""
    weights *= np.take(after / before, x_levels, axis=1)
    return _scaled(weights)


def first_weights(rows: Float, levels: Int32, start: Int) -> tuple[Float, Float]:
    """Return the weight of every original row for every sampled one by all columns, and the log of the row's factor."""
    weights, scale = np.ones((len(rows), levels.shape[1])), np.zeros(len(rows))
    by_four = len(start) - len(start) % 4
    for c, first in enumerate(start.tolist()):
        weights *= np.take(rows, first + levels[c], axis=1)
        if c >= by_four or c % 4 == 3:
            scale += _scaled(weights)
    return weights, scale


def _scaled(weights: Float) -> Float:
    """Divide rows by their largest weight where it is too large or small; return the logs of the divisors."""
    largest = np.maximum(weights.max(axis=1), TINY)
    logs = np.zeros(len(weights))
    for row in np.flatnonzero(~((largest > 1.0 / FAR) & (largest < FAR))).tolist():
        weights[row] /= largest[row]
        logs[row] = math.log(largest[row])
    return logs
