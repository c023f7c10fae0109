"""The attack `replay`: the attacker knows the recipe, but not its seed."""

from __future__ import annotations

from dataclasses import replace as changed

import numpy as np
import polars as pl

from icefire.attacks.answers import no_answers
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.link.channel_tables import related_case
from icefire.attacks.tables.link.columns import comparable
from icefire.attacks.tables.link.likelihood import log_likelihood
from icefire.attacks.tables.link.ordering import compared_names
from icefire.core import blocks
from icefire.core.blocks import Blocks
from icefire.core.dataset import Dataset
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess, ReplayedCopy

DIGITS = 10
"""Numbers that agree in so many digits are equal: machines differ in the last ones."""
EXPLAINS = 0.1
"""A copy explains the release if its log-likelihood per row is higher than that of the original by at least this."""


@attack(
    "replay",
    knows="the recipe of the release but not its seed, and everybody's values in all released columns",
)
def replay(case: Case, *, rng: np.random.Generator) -> Guess:
    """Repeat the steps of the recipe that draw nothing on the own copy of the original, then link the copy.

    The attacker knows how the release was made (or tries what is likely), not the seed. Steps that draw nothing give
    the same classes, means and labels again. If every released row then is a row of the copy, equal rows answer;
    otherwise the joint attack `link` learns what the other steps did. Of several copies, and of the original itself,
    the one that explains the release best is taken. Success is naming the right person.

    Args:
        case: What the attacker holds: the original table, the released one, and copies of the original after the
            steps that can be repeated.
        rng: The generator of the samples that are learned from.

    Returns:
        One original row per released row with its probability, and notes: the steps that were repeated, and whether
        they explain the release. No answer where nothing is known of the recipe.
    """
    if not case.replayed:
        return changed(no_answers(case.targets), probability=np.zeros(case.targets))
    for copy in case.replayed:
        groups = _equal_rows(case, copy) if copy.complete else None
        if groups is not None:
            return _by_equal_rows(groups, copy)
    copy, copied, gain = _likeliest(case, rng)
    guess = link(copied, rng=rng)
    if copy.steps and guess.notes.get("gain", 0.0) <= 0:
        # Other classes than those of the release, as where rows were sampled before: the copy explains nothing.
        copy, gain = _unchanged(case), 0.0
        guess = link(case, rng=rng)
    rows = np.append(copy.rows, NO_ANSWER)[guess.first]
    return changed(guess, rows=rows, notes={**guess.notes, "steps": list(copy.steps), "explained": gain >= EXPLAINS})


def _case_with(case: Case, copy: ReplayedCopy[Dataset]) -> Case:
    return related_case(case, copy.data, case.released)


def _unchanged(case: Case) -> ReplayedCopy[Dataset]:
    """Return the original as a copy without steps."""
    return ReplayedCopy(case.known, np.arange(case.choices), ())


def _likeliest(case: Case, rng: np.random.Generator) -> tuple[ReplayedCopy[Dataset], Case, float]:
    """Return the copy that explains the release best, the case of it, and what it gains; the original if no copy does.

    The original counts as a copy without steps. The gain is in log-likelihood per row over the original.
    """
    seed = int(rng.integers(1 << 62))
    plain = log_likelihood(case, np.random.default_rng(seed))
    best, best_case, highest = _unchanged(case), case, plain
    for copy in case.replayed:
        copied = _case_with(case, copy)
        reached = log_likelihood(copied, np.random.default_rng(seed))
        if reached > highest:
            best, best_case, highest = copy, copied, reached
    return best, best_case, highest - plain


def _equal_rows(case: Case, copy: ReplayedCopy[Dataset]) -> Blocks | None:
    """Return equal rows of the copy and of the release, if every released row has one of its own in the copy."""
    names = compared_names(_case_with(case, copy))
    pairs = [comparable(copy.data.frame[name], case.released.frame[name]) for name in names]
    if not pairs:
        return None
    x, y = (pl.DataFrame([_rounded(column) for column in side]) for side in zip(*pairs, strict=True))
    groups = blocks.blocks_of_tables(x, y, names)
    return groups if bool((groups.y_sizes <= groups.x_sizes).all()) else None


def _rounded(column: pl.Series) -> pl.Series:
    return column.round_sig_figs(DIGITS) if column.dtype.is_float() else column


def _by_equal_rows(groups: Blocks, copy: ReplayedCopy[Dataset]) -> Guess:
    """Answer all released rows that are equal by one and the same person, the first of those it can be.

    Nothing tells equal rows apart. This way one answer in every group is right for sure, not only on average.
    """
    listed = groups.candidates
    notes = {"steps": list(copy.steps), "explained": True, "equal_rows": True}
    return Guess(copy.rows[listed.rows[listed.start]], probability=1.0 / listed.sizes, notes=notes)
