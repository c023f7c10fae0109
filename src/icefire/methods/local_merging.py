"""Classes left out because they are too costly, and classes put together because one alone breaks a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from icefire.errors import ParameterError
from icefire.kernels.recoding_merge import nearest
from icefire.kernels.recoding_tree import Codes, Forest, costs, summarise
from icefire.methods.local_classes import by_label
from icefire.release import Int

Bools = NDArray[np.bool_]
Allowed = Callable[[Int, Int], Bools]
"""A promise beside the size of classes: rows sorted by class and where each class begins → is the class fine?

It judges each class by itself: it is also asked about classes that might be, which may share rows.
"""

OUTLIER = 0.5
"""A class is an outlier if its rows lose more than this share of their detail."""
REACH = 200
"""A class looks for a mate among so many before it and after it; in the order of classes like ones are near."""
MATES = 16
"""Mates that are considered, the cheapest."""
LARGE = 1000
"""A class of more rows that is fine is taken to stay so when a small one joins; the next round checks it."""


def without_outliers(forest: Forest, codes: Codes, rows: Int, start: Int, share: float) -> tuple[Int, Int]:
    """Leave out the classes that lose most of all, as long as these are at most a share of the rows; one stays."""
    room = int(np.floor(share * len(rows) + 1e-9))
    if not room:
        return rows, start
    sizes = np.diff(start)
    reps, levels = summarise(forest, codes[rows], start)
    lost = costs(forest, reps, levels) / codes.shape[1]
    worst = np.argsort(-lost, kind="stable")[: len(sizes) - 1]
    gone = worst[(lost[worst] > OUTLIER) & (np.cumsum(sizes[worst]) <= room)]
    stays = np.ones(len(sizes), np.bool_)
    stays[gone] = False
    return rows[np.repeat(stays, sizes)], np.concatenate([[0], np.cumsum(sizes[stays])])


def until_allowed(forest: Forest, codes: Codes, rows: Int, start: Int, allowed: Sequence[Allowed]) -> tuple[Int, Int]:
    """Join classes that break a promise with others, two at a time, until all classes keep all promises."""
    while allowed:
        weak = ~_fine(allowed, rows, start)
        if not weak.any():
            break
        if len(weak) == 1:
            raise ParameterError(
                "k_anonymize: even all rows in one class break the models asked for; ask for less, or leave them out"
            )
        sizes = np.diff(start)
        reps, levels = summarise(forest, codes[rows], start)
        wanted = np.flatnonzero(weak)
        near = nearest(forest, reps, levels, sizes, wanted, REACH, min(MATES, len(weak) - 1))
        choices = _choices(near, wanted, rows, start, weak, allowed)
        order, start = by_label(np.repeat(_pairs(wanted, choices, len(weak)), sizes))
        rows = rows[order]
    return rows, start


def _fine(allowed: Sequence[Allowed], rows: Int, start: Int) -> Bools:
    kept: Bools = np.logical_and.reduce([fine(rows, start) for fine in allowed])
    return kept


def _choices(near: Int, wanted: Int, rows: Int, start: Int, weak: Bools, allowed: Sequence[Allowed]) -> Int:
    """Order the mates of each class: the cheapest with which all promises hold, then weak ones, then the others.

    Two weak classes may mend each other; a fine one may be spoilt.
    """
    order = np.where(weak[near], 1, 2)
    undecided = np.arange(len(near))
    for place in range(near.shape[1]):
        undecided = undecided[near[undecided, place] >= 0]
        if not len(undecided):
            break
        together = _together(wanted[undecided], near[undecided, place], rows, start, weak, allowed)
        order[undecided[together], place] = 0
        undecided = undecided[~together]
    order[near < 0] = 3
    return np.take_along_axis(near, np.argsort(order, axis=1, kind="stable"), axis=1)


def _together(a: Int, b: Int, rows: Int, start: Int, weak: Bools, allowed: Sequence[Allowed]) -> Bools:
    """Tell for pairs of classes whether all promises hold for both as one."""
    sizes = np.diff(start)
    small = sizes[b] <= LARGE
    found = ~small & ~weak[b]
    if small.any():
        parts = np.column_stack([a[small], b[small]]).ravel()
        ends = np.cumsum(sizes[parts])
        shift = np.repeat(start[parts] - (ends - sizes[parts]), sizes[parts])
        found[small] = _fine(allowed, rows[np.arange(ends[-1]) + shift], np.concatenate([[0], ends[1::2]]))
    return found


def _pairs(wanted: Int, choices: Int, count: int) -> Int:
    """Give every class its first choice that is still alone; returns, for both, the number of the first of the two."""
    pair = np.arange(count)
    alone = np.ones(count, np.bool_)
    for a, mates in zip(wanted.tolist(), choices.tolist(), strict=True):
        found = next((b for b in mates if b >= 0 and alone[b]), -1) if alone[a] else -1
        if found >= 0:
            alone[a] = alone[found] = False
            pair[a] = pair[found] = min(a, found)
    return pair
