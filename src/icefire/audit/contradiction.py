"""A claimed correspondence that contradicts rows whose origin is plain."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from icefire.audit.verbatim import compared_columns, equal_rows
from icefire.core.release import Comparison, Guess
from icefire.core.scorecard import Reason
from icefire.kernels.types import Int
from icefire.words import t

SURE = 0.9
"""An answer of the joint attack with at least this probability is one it is sure of."""
CONTRADICTED = 0.5
"""The correspondence is doubted where fewer of the sure answers than this agree with it."""
LEAST_SURE = 0.1
"""So many of the released rows must have a sure answer for that, a tenth of which may be wrong by chance."""
LEAST_EQUAL = 0.05
"""Or so many must equal an original row, which cannot be chance."""
ABOVE_CHANCE = 0.05
"""Rows that have this share of cells more in common with their claimed origin than with anybody may come from it."""


def false_correspondence(comparison: Comparison, guesses: Mapping[str, Guess], seed: int) -> list[Reason]:
    """Doubt a correspondence that contradicts answers which cannot be wrong.

    Answers are sure where a row is published verbatim and not by coincidence, or where the joint attack gives them a
    high probability. If most of the sure answers name somebody else, and the rows have no more in common with their
    claimed origins than with anybody, the claim is false. Values that were swapped, averaged or changed by noise still
    have something in common with their origin.
    """
    matched = equal_rows(comparison)
    certain = matched.equal & (not matched.by_coincidence)
    sure, rows = certain, matched.rows
    link = guesses.get("link")
    if link is not None and link.probability is not None:
        # A row that equals somebody by coincidence convinces the joint attack, but shows nothing.
        by_link = ~matched.equal & (link.probability >= SURE) & (link.first >= 0)
        rows, sure = np.where(by_link, link.first, rows), sure | by_link
    wrong = sure & (rows != comparison.truth.rows)
    too_few = sure.mean() < LEAST_SURE and certain.mean() < LEAST_EQUAL
    if too_few or wrong.sum() <= CONTRADICTED * sure.sum():
        return []
    claimed = _cells_in_common(comparison, np.flatnonzero(wrong), comparison.truth.rows[wrong])
    strangers = np.random.default_rng(seed).permutation(comparison.truth.rows[wrong])
    if claimed > _cells_in_common(comparison, np.flatnonzero(wrong), strangers) + ABOVE_CHANCE:
        return []
    text = t("verdict.reason.correspondence", wrong=int(wrong.sum()), plain=int(sure.sum()))
    return [Reason("correspondence", text, {"rows": int(wrong.sum()), "plain": int(sure.sum())})]


def _cells_in_common(comparison: Comparison, released: Int, originals: Int) -> float:
    """Mean share of cells that released rows and original rows have in common."""
    x, y = compared_columns(comparison)
    equal = [int(x[name].gather(originals).eq_missing(y[name].gather(released)).sum()) for name in y.columns]
    return sum(equal) / max(len(released) * len(equal), 1)
