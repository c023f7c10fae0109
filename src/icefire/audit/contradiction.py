"""A claimed correspondence that contradicts rows whose origin is plain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from icefire.audit.verbatim import compared_columns, equal_rows
from icefire.core import registry, seeds
from icefire.core.release import Case, Comparison, Guess
from icefire.core.scorecard import Reason
from icefire.kernels.types import Bool, Int
from icefire.words import t

SURE = 0.9
"""An answer of the joint attack with at least this probability is one it is sure of."""
CONTRADICTED = 0.5
"""The correspondence is doubted where fewer of the sure answers than this agree with it."""
LEAST_SURE = 0.1
"""So many of the released rows must have a sure answer for that, a tenth of which may be wrong by chance."""
LEAST_EQUAL = 0.05
"""Or so many must equal an original row, which cannot be chance."""
MOST_CONFIRMED, FEWEST_COLUMNS = 1000, 4
"""Sure answers are confirmed in tables of so few rows and so many columns; in larger ones they are what they seem."""
TOGETHER = 5.0
"""Halves agree on people whom the claim does not name if they do so by this many standard deviations."""
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
    enough_equal = certain.mean() >= LEAST_EQUAL and (certain & wrong).sum() > CONTRADICTED * certain.sum()
    if not enough_equal and not _confirmed_by_halves(comparison, sure, seed):
        return []
    text = t("verdict.reason.correspondence", wrong=int(wrong.sum()), plain=int(sure.sum()))
    return [Reason("correspondence", text, {"rows": int(wrong.sum()), "plain": int(sure.sum())})]


def _confirmed_by_halves(comparison: Comparison, sure: Bool, seed: int) -> bool:
    """Tell whether two halves of the columns name the same people for rows that the joint attack is sure of.

    In a small table whose values were all swapped inside classes the joint attack is sure of matchings that are not
    there. Such halves agree with one another no more often than with a claim that is true.
    """
    _, y = compared_columns(comparison)
    names = [name for name in y.columns if y[name].n_unique() > 1]
    if len(y) > MOST_CONFIRMED or len(names) < FEWEST_COLUMNS:
        return True
    one, other = (_answers_by(comparison, names[start::2], seed) for start in (0, 1))
    together = int((one == other)[sure].sum())
    right = max(int((answers == comparison.truth.rows)[sure].sum()) for answers in (one, other))
    return together > right + TOGETHER * math.sqrt(right + 1)


def _answers_by(comparison: Comparison, names: Sequence[str], seed: int) -> Int:
    """Return whom the joint attack names by some of the columns."""
    x, y = (side.with_frame(side.frame.select(names)) for side in (comparison.original, comparison.released))
    joint_attack = registry.get("attack", "link").function
    answers: Int = joint_attack(Case(x, y), rng=seeds.generator(seed, "judge", "half of the columns")).first
    return answers


def _cells_in_common(comparison: Comparison, released: Int, originals: Int) -> float:
    """Mean share of cells that released rows and original rows have in common."""
    x, y = compared_columns(comparison)
    equal = [int(x[name].gather(originals).eq_missing(y[name].gather(released)).sum()) for name in y.columns]
    return sum(equal) / max(len(released) * len(equal), 1)
