"""The registered attack: link released rows to original rows by all columns at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from icefire.attacks.tables.link import calibration, learning, reading
from icefire.attacks.tables.link.channels import NOTHING, Channel, ReleasedClasses
from icefire.attacks.tables.link.columns import LinkColumn, encoded
from icefire.attacks.tables.link.explanation import ColumnEvidence, bits_of_answers, evidence_of, explain
from icefire.attacks.tables.link.matching import Posterior, Scorer, posterior, scorer
from icefire.attacks.tables.link.ordering import (
    TABLES,
    OrderedTables,
    finest,
    levels_to_learn,
    ordered_tables,
    unreleased_columns,
)
from icefire.attacks.tables.link.refinement import refine
from icefire.core import blocks
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess
from icefire.kernels.types import Int

COARSEST = 8
SAMPLE = 400
"""Released rows to learn from."""
MORE = 4
"""How many times as many for releases that are hard to learn."""
PAIRS = 1 << 24
"""Pairs held at once while learning, in tables that are not too large for this."""
FEWEST = 48
"""Released rows to learn from in the largest tables."""
CLASS_SIZES = (1.5, 64.0)
"""Mean sizes of classes in which values may have been dealt."""
ALIKE = 1.5
"""ReleasedClasses with fewer different records than this are averages: nothing was dealt in them."""
SURE = 0.9
NEAR = 0.7
"""Share of the largest posterior weight from which on candidates are as good as the best."""


@attack(
    "link",
    knows="everybody's values in all released columns, and that each has one row; learns how columns were changed",
)
def link(case: Case, *, rng: np.random.Generator) -> Guess:
    """Weigh all released columns by how much each was changed, and match rows one to one.

    The attacker knows all columns of the original that are released, whatever their role, identifiers excepted, but
    not how the release was made. Which kind of change each column went through (equal, swapped, moved in rank, noise,
    generalised, replaced) is learned from the two tables alone, by the likelihood of a hidden matching; so is whether
    values were exchanged inside the classes of equal quasi-identifiers. Every answer carries the probability that it
    is right. Success is naming the right person.

    Args:
        case: What the attacker holds: the original table and the released one.
        rng: The generator of the sample learned from, and of the simulated release that gives probabilities.

    Returns:
        One original row per released row with its probability, and notes: what each column went through. No answer
        where no column is in both tables with two values or more.
    """
    tables = ordered_tables(case)
    coarse = tables.columns(levels_to_learn(len(tables.x.columns)))
    if not coarse:
        return Guess(np.full(case.targets, NO_ANSWER), probability=np.zeros(case.targets))
    classes = _classes(tables.y, [name for name in case.known.qi if name in tables.y.columns])
    sample, others, more = _samples(case, rng)
    learned = learning.learn(coarse, sample, classes, rng, more)
    explained = reading.ReadTables(tables, coarse, learned, {})
    if not learned.dealt and learned.gain < reading.VAGUE * np.log(case.choices):
        explained = reading.read_otherwise(explained, unreleased_columns(case, tables), sample, rng)
        tables, coarse, learned = explained.tables, explained.columns, explained.learned
        classes = None if explained.words else classes
    connected = learning.columns_belong_together(coarse, learned, sample, others)
    fine = _fine_columns(tables, coarse, learned, classes)
    del coarse
    channels = _sharpened(fine, learned, sample, classes)
    tool = scorer(fine, channels, classes if learned.dealt else None)
    tool, listed = refine(tool, tool.candidates(tool.y_rows))
    unknown = max(case.targets - case.choices, 0)
    matched = posterior(listed, case.choices, unknown)
    checked = calibration.calibrate(tool, listed, matched, rng)
    alike = tool.alike
    if unknown:
        # Some rows are for nobody who is known, and equal rows for different people: everybody is named once.
        answers = matched.assigned(case.choices, everybody=False)
    else:
        answers = matched.assigned(case.choices) if checked.one_to_one else matched.likeliest()
        same = np.flatnonzero(alike > 1)
        answers[same] = _of_equal_rows(tool, matched, same, [] if learned.dealt else case.known.qi)
    weights = matched.probability(answers)
    probability = checked.probability(weights, alike) if connected else np.zeros(case.targets)
    if unknown:
        # The simulated rows are all of people who are known; the weights also tell rows of others.
        probability = np.minimum(probability, weights)
    probability = np.maximum(probability, 1.0 / case.choices)
    shown = evidence_of(fine, learned, connected)
    notes: dict[str, Any] = {
        "gain": learned.gain,
        "exchanged_within_classes": learned.dealt,
        "whole_rows": checked.whole,
        "credit": checked.credit if connected else 0.0,
        "columns": explain(tool, answers, shown, explained.words),
    }
    evidence = None if shown is ColumnEvidence.NONE else bits_of_answers(tool, answers)
    return tables.placed(Guess(answers, probability=probability, notes=notes, evidence=evidence))


def _of_equal_rows(tool: Scorer, matched: Posterior, rows: Int, qi: Sequence[str]) -> Int:
    """Answer rows that are the same as others: one of them is known at best.

    Whoever has the very description is likeliest in it.

    Args:
        tool: The learned channels.
        matched: The candidates of all released rows.
        rows: The rows to answer.
        qi: The columns of the description; empty where values were exchanged between rows.
    """
    some = matched.part(rows)
    if not qi:
        return some.likeliest()
    return some.likeliest(tool.equal(rows, some.rows, qi) & some.near_best(NEAR))


def _samples(case: Case, rng: np.random.Generator) -> tuple[Int, Int, Int]:
    """Return released rows to learn from, others to check what was learned, and more for releases hard to learn."""
    most = max(FEWEST, PAIRS // case.choices)
    size, order = min(case.targets, SAMPLE, most), rng.permutation(case.targets)
    first, others = order[:size], order[size : 2 * size]
    return np.sort(first), np.sort(others), np.sort(order[2 * size : size + min(MORE * size, most)])


def _classes(y: pl.DataFrame, qi: list[str]) -> ReleasedClasses | None:
    """Return the classes of equal quasi-identifiers, if they are neither single rows nor large nor all one record."""
    if not qi:
        return None
    groups = blocks.blocks_of_table(y, sorted(qi))
    records = blocks.blocks_of_table(y, sorted(y.columns)).count
    several = int((groups.x_sizes > 1).sum())
    alike = records - (groups.count - several) < ALIKE * several
    if alike or not CLASS_SIZES[0] < y.height / groups.count < CLASS_SIZES[1]:
        return None
    return ReleasedClasses(tuple(qi), groups.x_labels, groups.x_rows, groups.x_start)


def _fine_columns(
    tables: OrderedTables, coarse: Sequence[LinkColumn], learned: learning.Learned, classes: ReleasedClasses | None
) -> list[LinkColumn]:
    """Encode the columns again, as finely as the memory for their tables allows."""
    most = dealt = finest(len(coarse))
    swapped = {column.name for column, channel in zip(coarse, learned.channels, strict=True) if channel.swapped}
    if classes is not None and swapped:
        # Their tables have a row for every class.
        dealt = min(most, max(COARSEST, 2 * TABLES // (len(swapped) * len(classes.start))))
    return encoded([(tables.x[c.name], tables.y[c.name], dealt if c.name in swapped else most) for c in coarse])


def _sharpened(
    columns: list[LinkColumn], learned: learning.Learned, sample: Int, classes: ReleasedClasses | None
) -> list[Channel]:
    """Take values as unchanged where coarse levels could not tell that from the smallest change and fine ones agree."""
    sharp = [_as_unchanged(column, channel) for column, channel in zip(columns, learned.channels, strict=True)]
    if sharp == learned.channels:
        return sharp
    learner = learning.Learner(columns, sample, classes if learned.dealt else None)
    return max(sharp, learned.channels, key=lambda channels: learner.climb(channels, 0).gain)


def _as_unchanged(column: LinkColumn, channel: Channel) -> Channel:
    smallest = {"value": 0.0005, "student": 0.0005, "rank": 0.002, "box": 0.01}.get(channel.family)
    if channel != NOTHING and channel.scale == smallest and column.kept > SURE:
        return Channel("same", 0.995, swapped=channel.swapped)
    return channel
