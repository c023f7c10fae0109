"""The original subject whose set of goods (or of other things) fits each released subject best."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.blocks import Candidates
from icefire.core.history import Baskets, History, HistoryCase
from icefire.core.history.baskets import make_baskets
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.baskets import similarity
from icefire.kernels.baskets.best_matches import BestMatches
from icefire.kernels.baskets.similarity import SimilarityRule
from icefire.kernels.types import Int


def guess_of_best(best: BestMatches) -> Guess:
    """Answer with the lowest of the best; all of them are candidates, for the exact expectation under a draw."""
    return Guess(best.rows, None if best.ties is None else Candidates(best.ties, best.start, best.stop))


def best_match(known: Baskets, shown: Baskets, rule: SimilarityRule = "jaccard") -> Guess:
    """Answer with the known sets that fit best; see `icefire.kernels.baskets.similarity` for the rules."""
    goods = max(known.goods, shown.goods)
    return guess_of_best(similarity.best_matches((known.start, known.items), (shown.start, shown.items), goods, rule))


def most_similar(known: Baskets, shown: Baskets) -> Guess:
    """Answer with the known sets of highest Jaccard coefficient; it is 0 where nothing is shared, empty sets included.

    Everybody is as similar then: the lowest is the answer, and all are candidates.
    """
    guess = best_match(known, shown)
    unlike = guess.first == NO_ANSWER
    if not known.subjects or not unlike.any():
        return guess
    rows = np.where(unlike, 0, guess.first)
    if guess.candidates is None:
        return Guess(rows)
    listed, start, stop = guess.candidates.rows, guess.candidates.start, guess.candidates.stop
    everybody = np.concatenate([listed, np.arange(known.subjects)])
    return Guess(
        rows,
        Candidates(everybody, np.where(unlike, len(listed), start), np.where(unlike, len(everybody), stop)),
    )


def joint_sets(case: HistoryCase, original: Int, released: Int) -> tuple[Baskets, Baskets]:
    """Collect what the rows of both files hold, numbered over both, as sets by subject; -1 is nothing."""
    size = max(original.max(initial=-1), released.max(initial=-1)) + 1
    sides = ((case.known, original), (case.released, released))
    known, shown = (make_baskets(h.codes[held >= 0], held[held >= 0], h.subjects, int(size)) for h, held in sides)
    return known, shown


def entry_of_rows(history: History, items: Int, goods: int) -> Int:
    """Return for each row its entry in the baskets: subjects ascending, in each the goods ascending."""
    entries: Int = np.unique(history.codes * max(goods, 1) + items, return_inverse=True)[1].reshape(-1)
    return entries


def joint_numbers(case: HistoryCase, *columns: tuple[pl.Series, pl.Series]) -> tuple[Int, Int]:
    """Number what the rows of both files hold in the columns together; -1 where one of them is missing."""
    both = [pl.concat([x, y.cast(x.dtype, strict=False)]) for x, y in columns]
    missing = np.logical_or.reduce([column.is_null().to_numpy() for column in both])
    keys, _ = blocks.pack_keys([blocks.encode(column) for column in both], len(missing))
    numbers = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
    numbers[missing] = -1
    return numbers[: case.known.height], numbers[case.known.height :]
