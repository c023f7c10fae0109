"""Distances of rows over all columns, standardised, and the weights of pairs by Student's kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icefire.attacks.tables.link.columns import LinkColumn
from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int

FARTHEST = 60.0
"""Squared distance of one column, in variances, beyond which values are equally far."""
BLUR = 0.001
"""Squared distance per column that is added to all: rows that are equal are not infinitely likelier than others."""


def squared_distances(column: LinkColumn) -> Float:
    """Return the squared distance of every released and every original level; one that is missing is near all."""
    if column.numeric:
        far = ((column.y.value[:, None] - column.x.value[None, :]) / max(column.spread, 1e-300)) ** 2
    else:
        far = (~column.same).astype(float)
    if column.covers is not None:
        far = np.where(column.covers, 0.0, far)
    known = (column.y.share[:, None] > 0) & (column.x.share[None, :] > 0)
    return np.where(known, np.minimum(far, FARTHEST), 0.0)


def log_weights(distances: Float, columns: int) -> Float:
    """Return the log weights of pairs at these squared distances over so many columns."""
    weights: Float = -0.5 * columns * np.log(np.maximum(distances, 0.0) + BLUR * columns)
    return weights


def weights_by_distance(columns: Sequence[LinkColumn], rows: Int) -> Float:
    """Return the weight of every original row for some released rows, relative to the largest of each."""
    tables = [squared_distances(column)[column.y.codes[rows]] for column in columns]
    places = [column.x.codes.astype(np.intp) for column in columns]
    weights = np.empty((len(rows), len(columns[0].x.codes)))
    threads.starmap(_weigh, [(places, tables, weights, a, b) for a, b in threads.spans(len(rows), 4, 64)])
    return weights


def _weigh(places: Sequence[Int], tables: Sequence[Float], weights: Float, start: int, stop: int) -> None:
    """Fill in the weights of some rows, given the place of every original row in each table."""
    some, part = weights[start:stop], np.empty((stop - start, weights.shape[1]))
    some[:] = 0.0
    for of_column, table in zip(places, tables, strict=True):
        # All places are in the table; with `clip` numpy writes to `out` itself.
        some += np.take(table[start:stop], of_column, axis=1, out=part, mode="clip")
    logs = log_weights(some, len(places))
    np.exp(logs - logs.max(axis=1, keepdims=True), out=some)
