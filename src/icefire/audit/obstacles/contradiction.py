"""A claimed correspondence that contradicts rows whose origin is plain, and rows that are plainly somebody else's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from icefire.audit import judge
from icefire.audit.obstacles.verbatim import compared_columns, equal_rows
from icefire.core import formatting, registry, seeds
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
NEAR = 0.5
"""A row comes from near its claimed origin if a number of both differs in rank by this share of what strangers do."""
TOGETHER = 5.0
"""Halves agree on people whom the claim does not name if they do so by this many standard deviations."""
ABOVE_CHANCE = 0.05
"""Rows that have this share of cells more in common with their claimed origin than with anybody may come from it."""


def false_correspondence(
    comparison: Comparison, guesses: Mapping[str, Guess], seed: int, limit: float = 1.0
) -> list[Reason]:
    """Doubt a correspondence that contradicts answers which cannot be wrong.

    Answers are sure where a row is published verbatim and not by coincidence, or where the joint attack gives them a
    high probability. If most of the sure answers name somebody else, and the rows have no more in common with their
    claimed origins than with anybody, the claim is false. Values that were swapped, averaged or changed by noise still
    have something in common with their origin.

    Rows that have something in common with their claimed origin, and nearly everything with another person, may have
    been exchanged as a whole: then the claim is not doubted, but the release gives that person away.

    Args:
        comparison: Both tables and the claimed correspondence.
        guesses: The answers of the attacks.
        seed: Seed of the comparisons.
        limit: Share of people that may be identified.
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
        return _rows_of_others(comparison, wrong & ~matched.equal, limit, seed)
    enough_equal = certain.mean() >= LEAST_EQUAL and (certain & wrong).sum() > CONTRADICTED * certain.sum()
    fewest = 2 if _near_its_claimed_origin(comparison, wrong, strangers) else FEWEST_COLUMNS
    if not enough_equal and not _confirmed_by_halves(comparison, sure, seed, fewest):
        return []
    text = t("verdict.reason.correspondence", wrong=int(wrong.sum()), plain=int(sure.sum()))
    return [Reason("correspondence", text, {"rows": int(wrong.sum()), "plain": int(sure.sum())})]


def _rows_of_others(comparison: Comparison, wrong: Bool, limit: float, seed: int) -> list[Reason]:
    """Refuse rows that two halves of the columns name one person for, who is not the one they are said to come from.

    Args:
        comparison: Both tables and the claimed correspondence.
        wrong: Rows of which the joint attack is sure that they are somebody else's.
        limit: Share of people that may be identified.
        seed: Seed of the comparison.
    """
    rows = np.flatnonzero(wrong)
    if judge.wilson(float(len(rows)), len(wrong))[0] <= limit:
        return []
    named = _halves_agree(comparison, seed)
    if named is None:
        return []
    one, other, asked = named
    same = (one == other) & (one != comparison.truth.rows[asked]) & wrong[asked]
    share = float(same.mean())
    if judge.wilson(float(same.sum()), len(asked))[0] <= limit:
        return []
    text = t("verdict.reason.rows_of_others", share=formatting.percent(share))
    return [Reason("verbatim", text, {"rows": int(same.sum()), "asked": len(asked), "share": share, "limit": limit})]


def _near_its_claimed_origin(comparison: Comparison, wrong: Bool, strangers: Int) -> bool:
    """Tell whether some number of the doubted rows is near that of their claimed origins: swapped inside classes."""
    x, y = compared_columns(comparison)
    for name in y.columns:
        if x[name].dtype.is_numeric() and y[name].n_unique() > 1:
            known, shown = (side[name].rank("average").to_numpy() / len(side) for side in (x, y))
            claimed = np.abs(shown[wrong] - known[comparison.truth.rows[wrong]])
            if np.nanmean(claimed) < NEAR * np.nanmean(np.abs(shown[wrong] - known[strangers])):
                return True
    return False


def _confirmed_by_halves(comparison: Comparison, sure: Bool, seed: int, fewest: int) -> bool:
    """Tell whether two halves of the columns name the same people for rows that the joint attack is sure of.

    In a small table whose values were all swapped inside classes the joint attack is sure of matchings that are not
    there. Such halves agree with one another no more often than with a claim that is true.
    """
    named = _halves_agree(comparison, seed, fewest) if len(sure) <= MOST_CONFIRMED else None
    if named is None:
        return True
    one, other, asked = named
    together = int((one == other)[sure[asked]].sum())
    right = max(int((answers == comparison.truth.rows[asked])[sure[asked]].sum()) for answers in (one, other))
    return together > right + TOGETHER * math.sqrt(right + 1)


def _halves_agree(comparison: Comparison, seed: int, fewest: int = FEWEST_COLUMNS) -> tuple[Int, Int, Int] | None:
    """Return whom either half of the columns names for some released rows, and which; None if there are few columns."""
    _, y = compared_columns(comparison)
    names = [name for name in y.columns if y[name].n_unique() > 1]
    if len(names) < fewest:
        return None
    asked = np.sort(seeds.generator(seed, "judge", "rows of halves").permutation(len(y))[:MOST_CONFIRMED])
    one, other = (_answers_by(comparison, names[start::2], asked, seed) for start in (0, 1))
    return one, other, asked


def _answers_by(comparison: Comparison, names: Sequence[str], asked: Int, seed: int) -> Int:
    """Return whom the joint attack names by some of the columns for some of the released rows."""
    x, y = (side.with_frame(side.frame.select(names)) for side in (comparison.original, comparison.released))
    y = y if len(asked) == y.height else y.take(asked)
    joint_attack = registry.get("attack", "link").function
    answers: Int = joint_attack(Case(x, y), rng=seeds.generator(seed, "judge", "half of the columns")).first
    return answers


def _cells_in_common(comparison: Comparison, released: Int, originals: Int) -> float:
    """Mean share of cells that released rows and original rows have in common."""
    x, y = compared_columns(comparison)
    equal = [int(x[name].gather(originals).eq_missing(y[name].gather(released)).sum()) for name in y.columns]
    return sum(equal) / max(len(released) * len(equal), 1)
