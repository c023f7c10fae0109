"""The most similar original subjects where both histories come in pieces: the answers of one process.

Every piece of the release is compared with every piece of the original. The best similarity so far is a bound for the
pieces that follow, so that most of them are hardly looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from icefire.core.blocks import Candidates
from icefire.core.history.baskets import Baskets
from icefire.core.history.parts import PartedHistories
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.baskets import similarity
from icefire.kernels.baskets.best_matches import MAX_TIES, BestMatches
from icefire.kernels.common.ranges import concatenated_ranges, offsets
from icefire.kernels.types import Int


class _Found(NamedTuple):
    """What one piece of the original holds: the best sets, the first subject, and the best similarities afterwards."""

    matches: BestMatches
    first: int
    best: Int


def most_similar_in_parts(histories: PartedHistories) -> Guess:
    """Answer with the original subjects of highest Jaccard coefficient; see `matching.most_similar`.

    Where in all pieces together more than `MAX_TIES` subjects are as similar, only the lowest of each are given.
    """
    rows = np.full(histories.targets, NO_ANSWER, np.int64)
    counts = np.zeros(histories.targets, np.int64)
    ties: list[Int] | None = []
    for piece in histories.pieces("released"):
        part = slice(piece.first, piece.first + piece.baskets.subjects)
        rows[part], listed = _best_of_pieces(histories, piece.baskets)
        if listed is None or ties is None or sum(map(len, ties)) + len(listed[1]) > MAX_TIES:
            ties = None
        else:
            counts[part] = listed[0]
            ties.append(listed[1])
    return _guess(histories.choices, rows, counts, ties)


def _guess(choices: int, rows: Int, counts: Int, ties: list[Int] | None) -> Guess:
    """Add those who are like nobody: all are as similar to them, and the lowest is the answer."""
    unlike = rows == NO_ANSWER
    rows = np.where(unlike, 0, rows)
    if ties is None:
        return Guess(rows)
    everybody = np.arange(choices if unlike.any() else 0, dtype=np.int64)
    listed = np.concatenate([*ties, everybody]) if ties else everybody
    ends = offsets(counts)
    start = np.where(unlike, ends[-1], ends[:-1])
    return Guess(rows, Candidates(listed, start, np.where(unlike, len(listed), ends[1:])))


def _best_of_pieces(histories: PartedHistories, shown: Baskets) -> tuple[Int, tuple[Int, Int] | None]:
    """Compare some released subjects with all pieces of the original.

    Returns the lowest of the best original subjects, and how many are as good, and who; None if there are too many.
    """
    best, by_piece = similarity.no_bound(shown.subjects), []
    for piece in histories.pieces("original"):
        known = (piece.baskets.start, piece.baskets.items)
        matches = similarity.most_similar(known, (shown.start, shown.items), histories.goods, best)
        by_piece.append(_Found(matches, piece.first, best.copy()))
    rows = np.full(shown.subjects, NO_ANSWER, np.int64)
    owners, ties, complete = [np.empty(0, np.int64)], [np.empty(0, np.int64)], True
    for matches, first, reached in by_piece:
        # A similarity that a later piece surpassed is not the best.
        holds = (matches.rows >= 0) & (reached == best).all(axis=1)
        rows = np.where(holds & (rows < 0), matches.rows + first, rows)
        if matches.ties is None:
            complete = False
            continue
        asked = np.flatnonzero(holds)
        sizes = (matches.stop - matches.start)[asked]
        if sizes.sum() > MAX_TIES:
            complete = False
            continue
        owners.append(np.repeat(asked, sizes))
        ties.append(matches.ties[concatenated_ranges(matches.start[asked], sizes)] + first)
    if not complete:
        return rows, None
    all_owners, every = np.concatenate(owners), np.concatenate(ties)
    counts = np.bincount(all_owners, minlength=shown.subjects)
    return rows, (counts, every[np.argsort(all_owners, kind="stable")])
