"""What evidence says: the commonest value or the median of the rows listed for each target, with and without its own.

The target's own rows are those whose origin is the target's person.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common.interpreted import SLOW_TO_COMPILE, compiled_if_worth
from icefire.kernels.common.shell_sort import shell_sort
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
def count_votes(evidence, label, value_start, values, weights, without_own):  # type: ignore[no-untyped-def]
    """Count values: a label that may be several values gives each an equal part of its vote.

    Args:
        evidence: The rows listed.
        label: The label of each row.
        value_start: Label l may be the values values[value_start[l]:value_start[l + 1]]; none says nothing.
        values: See there.
        weights: Votes of the whole release for each value; of equal votes the value with more of these wins, then the
            lower.
        without_own: Leave the target's own rows out, of the votes of the whole release too.
    """
    targets = len(evidence.start) - 1
    code, share, rows = np.full(targets, -1), np.zeros(targets), np.zeros(targets, np.int64)
    weight, others = np.zeros(len(weights)), weights.copy()
    by_origin = np.argsort(evidence.origin) if without_own else np.empty(0, np.int64)
    ordered = evidence.origin[by_origin]
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
        others[:] = weights
        for place in range(np.searchsorted(ordered, evidence.person[i]), len(ordered)):
            if ordered[place] != evidence.person[i]:
                break
            row = by_origin[place]
            begin, end = value_start[label[row]], value_start[label[row] + 1]
            for v in range(begin, end):
                others[values[v]] -= 1.0 / (end - begin)
        best, total = -1, 0.0
        for v in range(len(weight)):
            total += weight[v]
            if weight[v] > 0 and (
                best < 0
                or weight[v] > weight[best] + 1e-12
                or (weight[v] > weight[best] - 1e-12 and others[v] > others[best] + 1e-9)
            ):
                best = v
        code[i], share[i] = best, weight[best] / total
        weight[:] = 0.0
    return Votes(code, share, rows)


@njit(nogil=True, cache=True)
def _median(ordered):  # type: ignore[no-untyped-def]
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def median_votes(evidence: ListedRows, value: Float, tolerance: float, without_own: bool) -> tuple[Float, Float, Int]:
    """Take the median of numbers; returns it (NaN for none), the share of the rows within the tolerance, the rows.

    Args:
        evidence: The rows listed.
        value: The number of each row; NaN says nothing.
        tolerance: Numbers this near count as the same.
        without_own: Leave the target's own rows out.
    """
    take = compiled_if_worth(_median_votes, 4 * len(evidence.rows), _median_votes_by_numpy, SLOW_TO_COMPILE)
    votes: tuple[Float, Float, Int] = take(evidence, value, tolerance, without_own)
    return votes


def _median_votes_by_numpy(
    evidence: ListedRows, value: Float, tolerance: float, without_own: bool
) -> tuple[Float, Float, Int]:
    targets = len(evidence.start) - 1
    target, number = np.repeat(np.arange(targets), np.diff(evidence.start)), value[evidence.rows]
    counts = ~np.isnan(number)
    if without_own:
        counts &= evidence.origin[evidence.rows] != evidence.person[target]
    target, number = target[counts], number[counts]
    if evidence.first_only:
        target, first = np.unique(target, return_index=True)
        number = number[first]
    number = number[np.lexsort((number, target))]
    rows = np.bincount(target, minlength=targets)
    median, share, some = np.full(targets, np.nan), np.zeros(targets), np.flatnonzero(rows)
    middle = (np.cumsum(rows) - rows + rows // 2)[some]
    even = rows[some] % 2 == 0
    median[some] = np.where(even, (number[middle - even] + number[middle]) / 2, number[middle])
    near = np.abs(number - median[target]) <= tolerance
    share[some] = np.bincount(target[near], minlength=targets)[some] / rows[some]
    return median, share, rows


@njit(nogil=True, cache=True)
def _median_votes(evidence, value, tolerance, without_own):  # type: ignore[no-untyped-def]
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
            ordered = kept[: rows[i]]
            shell_sort(ordered)
            median[i] = _median(ordered)
            near = 0
            for number in ordered:
                near += abs(number - median[i]) <= tolerance
            share[i] = near / rows[i]
    return median, share, rows


def names_own_row(evidence: ListedRows) -> Bool:
    """Tell for each target whether a row of its own is listed."""
    own = evidence.origin[evidence.rows] == np.repeat(evidence.person, np.diff(evidence.start))
    until = np.append(0, np.cumsum(own))
    listed: Bool = until[evidence.start[1:]] > until[evidence.start[:-1]]
    return listed
