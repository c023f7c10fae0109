"""What evidence says: the commonest value or the median of the rows listed for each target, with and without its own.

The target's own rows are those whose origin is the target's person.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.types import Bool, Float, Int


class ListedRows(NamedTuple):
    """The rows listed for each target."""

    start: Int
    rows: Int
    person: Int
    """The person of each target, -2 for one whom no row was made from."""
    origin: Int
    """The person of each row."""
    first_only: bool
    """Only the first row that tells something counts."""


class Votes(NamedTuple):
    """The result for each target."""

    code: Int
    """The value with most weight; -1 if no row tells anything."""
    share: Float
    """Its share of the weight."""
    rows: Int
    """Number of rows that tell something."""


@njit(nogil=True, cache=True)
def count_votes(evidence, label, value_start, values, prior, without_own):  # type: ignore[no-untyped-def]
    """Count values: a label that may be several values gives each an equal part of its vote.

    Args:
        evidence: The rows listed.
        label: The label of each row.
        value_start: Label l may be the values values[value_start[l]:value_start[l + 1]]; none says nothing.
        values: See there.
        prior: Share of each value in the release; of equal votes the one with the larger share wins, then the lower.
        without_own: Leave the target's own rows out.
    """
    targets = len(evidence.start) - 1
    code, share, rows = np.full(targets, -1), np.zeros(targets), np.zeros(targets, np.int64)
    weight = np.zeros(len(prior))
    for i in range(targets):
        for e in range(evidence.start[i], evidence.start[i + 1]):
            row = evidence.rows[e]
            begin, end = value_start[label[row]], value_start[label[row] + 1]
            if begin == end or (without_own and evidence.origin[row] == evidence.person[i]):
                continue
            rows[i] += 1
            for v in range(begin, end):
                weight[values[v]] += 1.0 / (end - begin)
            if evidence.first_only:
                break
        if rows[i] == 0:
            continue
        best, total = -1, 0.0
        for v in range(len(weight)):
            total += weight[v]
            if weight[v] > 0 and (
                best < 0
                or weight[v] > weight[best] + 1e-12
                or (weight[v] > weight[best] - 1e-12 and prior[v] > prior[best])
            ):
                best = v
        code[i], share[i] = best, weight[best] / total
        weight[:] = 0.0
    return Votes(code, share, rows)


@njit(nogil=True, cache=True)
def _median(ordered):  # type: ignore[no-untyped-def]
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


@njit(nogil=True, cache=True)
def median_votes(evidence, value, tolerance, without_own):  # type: ignore[no-untyped-def]
    """Take the median of numbers; returns it (NaN for none), the share of the rows within the tolerance, the rows.

    Args:
        evidence: The rows listed.
        value: The number of each row; NaN says nothing.
        tolerance: Numbers this near count as the same.
        without_own: Leave the target's own rows out.
    """
    targets = len(evidence.start) - 1
    median, share, rows = np.full(targets, np.nan), np.zeros(targets), np.zeros(targets, np.int64)
    for i in range(targets):
        kept = np.empty(evidence.start[i + 1] - evidence.start[i])
        for e in range(evidence.start[i], evidence.start[i + 1]):
            row = evidence.rows[e]
            if np.isnan(value[row]) or (without_own and evidence.origin[row] == evidence.person[i]):
                continue
            kept[rows[i]] = value[row]
            rows[i] += 1
            if evidence.first_only:
                break
        if rows[i]:
            ordered = np.sort(kept[: rows[i]])
            median[i] = _median(ordered)
            near = np.abs(ordered - median[i]) <= tolerance
            share[i] = near.sum() / rows[i]
    return median, share, rows


@njit(nogil=True, cache=True)
def names_own_row(evidence) -> Bool:  # type: ignore[no-untyped-def]
    """Tell for each target whether a row of its own is listed."""
    listed = np.zeros(len(evidence.start) - 1, np.bool_)
    for i in range(len(listed)):
        for e in range(evidence.start[i], evidence.start[i + 1]):
            listed[i] |= evidence.origin[evidence.rows[e]] == evidence.person[i]
    return listed
