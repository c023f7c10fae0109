"""Candidates of a record: the released rows within a limit of loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from icefire.attacks.membership.records import ANSWERS
from icefire.core.release import NO_ANSWER
from icefire.kernels.records import candidate_pairs as record_pairs
from icefire.kernels.records import candidates
from icefire.kernels.records.loss import Records
from icefire.kernels.records.nearest import nearest_records
from icefire.kernels.types import Float, Int, Int32

PAIRS = 1 << 22
"""Candidates held in memory at a time."""


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Candidates of some records: those of the t-th are rows[start[t]:start[t + 1]], ascending."""

    records: Int
    """Which of the records asked about these are."""
    start: Int
    rows: Int32
    squared: Float
    loss: Float

    @property
    def sizes(self) -> Int:
        """Number of candidates of each record."""
        return np.diff(self.start)

    def best(self, values: Float, count: int = 1) -> Int:
        """Return of each record the pairs of largest value, ties to the lowest row; -1 where there are fewer."""
        return record_pairs.best_pairs(self.start, values, count)

    def another(self, taken: Int, draws: Float) -> Int:
        """Return of each record a pair drawn from all but those taken (one column each); -1 where none is left.

        The draws are uniform between 0 and 1, one for each record.
        """
        places = np.sort(np.where(taken < 0, np.iinfo(np.int64).max, taken), axis=1)
        left = self.sizes - (taken >= 0).sum(axis=1)
        pair = self.start[:-1] + (draws * left).astype(np.int64)
        for column in range(places.shape[1]):
            pair += pair >= places[:, column]
        return np.where(left > 0, pair, NO_ANSWER)

    def named(self, pairs: Int) -> Int:
        """Return the released rows of pairs, -1 where there is none."""
        return np.where(pairs < 0, NO_ANSWER, np.append(self.rows, NO_ANSWER)[pairs])


def shortlists(known: Records, shown: Records, limit: float) -> Iterator[Shortlist]:
    """Find the candidates of all records, some records at a time."""
    for some, start, rows in candidates.batches(known, shown, limit, most=PAIRS):
        yield Shortlist(some, start, rows, *record_pairs.pair_distances(known.take(some), shown, start, rows))


def complete_answers(answers: Int, known: Records, shown: Records) -> Int:
    """Put rows of least loss that are not among the answers yet where a record has fewer than three answers."""
    lacking = np.flatnonzero((answers == NO_ANSWER).any(axis=1))
    if not len(lacking):
        return answers
    filled = answers[lacking]
    near = nearest_records(known.take(lacking), shown, 2 * ANSWERS, "loss").rows
    for place in range(ANSWERS):
        fresh = (near[:, :, None] != filled[:, None, :]).all(axis=2)
        first = near[np.arange(len(lacking)), fresh.argmax(axis=1)]
        filled[:, place] = np.where((filled[:, place] == NO_ANSWER) & fresh.any(axis=1), first, filled[:, place])
    complete = answers.copy()
    complete[lacking] = filled
    return complete
