"""The registered attack: link released rows to original rows by all columns at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from icefire.attacks.tables.link import calibration, learning
from icefire.attacks.tables.link.channels import NOTHING, Channel, ReleasedClasses
from icefire.attacks.tables.link.columns import LinkColumn, blanks, comparable, encode, shared_columns
from icefire.attacks.tables.link.explanation import explain
from icefire.attacks.tables.link.matching import posterior, scorer
from icefire.attacks.tables.link.refinement import refine
from icefire.core import blocks
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess
from icefire.core.schema import Role
from icefire.kernels.types import Int

COARSE = 128
"""CodedLevels per column while learning."""
TABLES = 1 << 24
"""Entries of all tables for scoring: the fewer columns, the finer their levels."""
FINEST, COARSEST = 4096, 8
SAMPLE = 400
"""Released rows to learn from."""
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
    names = [c.name for c in case.original.schema.columns if c.role is not Role.ID]
    names = [name for name in names if name in case.original.frame.columns and name in case.released.frame.columns]
    tables = _ordered(case, names)
    names = tables.x.columns
    coarse = shared_columns(tables.x, tables.y, names, COARSE)
    if not coarse:
        return Guess(np.full(case.targets, NO_ANSWER), probability=np.zeros(case.targets))
    classes = _classes(tables.y, [name for name in case.original.qi if name in names])
    sample, others = _samples(case, rng)
    learned = learning.learn(coarse, sample, classes, rng)
    explained = learning.explains_other_rows(coarse, learned, others)
    fine = _fine_columns(tables, coarse, learned, classes)
    del coarse
    channels = [_sharpened(column, channel) for column, channel in zip(fine, learned.channels, strict=True)]
    tool = scorer(fine, channels, classes if learned.dealt else None)
    tool, listed = refine(tool, tool.candidates(tool.y_rows))
    matched = posterior(listed, case.choices)
    checked = calibration.calibrate(tool, listed, matched, rng)
    alike = tool.alike()
    # One row of a class is known at best where rows are the same: whoever has its very description is likeliest in it.
    equal = tool.equal(matched.rows, case.original.qi) & (alike > 1)[:, None] & (not learned.dealt)
    answers = matched.likeliest(equal & matched.near_best(NEAR))
    if checked.one_to_one:
        answers = np.where(alike > 1, answers, matched.assigned(case.choices))
    probability = checked.probability(matched.probability(answers), alike) if explained else np.zeros(case.targets)
    probability = np.maximum(probability, 1.0 / case.choices)
    notes: dict[str, Any] = {
        "gain": learned.gain,
        "exchanged_within_classes": learned.dealt,
        "whole_rows": checked.whole,
        "credit": checked.credit if explained else 0.0,
        "columns": explain(tool, answers),
    }
    return tables.placed(Guess(answers, probability=probability, notes=notes))


@dataclass(frozen=True)
class _Ordered:
    """Both tables in an order that depends on their values alone."""

    x: pl.DataFrame
    y: pl.DataFrame
    x_order: Int
    y_order: Int

    def placed(self, guess: Guess) -> Guess:
        """Return answers about these tables as answers about the tables as they came."""
        rows, probability = np.empty_like(guess.rows), np.empty(len(guess.rows))
        rows[self.y_order] = self.x_order[guess.rows]
        assert guess.probability is not None
        probability[self.y_order] = guess.probability
        return replace(guess, rows=rows, probability=probability)


def _ordered(case: Case, names: list[str]) -> _Ordered:
    pairs = [comparable(case.original.frame[name], case.released.frame[name]) for name in sorted(names)]
    x, y = (pl.DataFrame(list(side)) for side in zip(*pairs, strict=True)) if pairs else (pl.DataFrame(),) * 2
    marks = blanks(x, y)
    x, y = x.with_columns(mark for mark, _ in marks), y.with_columns(mark for _, mark in marks)
    orders = [_order(table) if names else np.arange(0) for table in (x, y)]
    return _Ordered(x[orders[0]], y[orders[1]], orders[0], orders[1])


def _order(table: pl.DataFrame) -> Int:
    order = table.select(pl.arg_sort_by(table.columns, nulls_last=True, maintain_order=True))
    return order.to_series().to_numpy().astype(np.int64)


def _samples(case: Case, rng: np.random.Generator) -> tuple[Int, Int]:
    """Return released rows to learn from, and others to check what was learned."""
    size = min(case.targets, SAMPLE, max(FEWEST, PAIRS // case.choices))
    order = rng.permutation(case.targets)
    return np.sort(order[:size]), np.sort(order[size : 2 * size])


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
    tables: _Ordered, coarse: Sequence[LinkColumn], learned: learning.Learned, classes: ReleasedClasses | None
) -> list[LinkColumn]:
    """Encode the columns again, as finely as the memory for their tables allows."""
    most = dealt = min(FINEST, int((TABLES / len(coarse)) ** 0.5))
    swapped = {column.name for column, channel in zip(coarse, learned.channels, strict=True) if channel.swapped}
    if classes is not None and swapped:
        # Their tables have a row for every class.
        dealt = min(most, max(COARSEST, 2 * TABLES // (len(swapped) * len(classes.start))))
    encoded = [encode(tables.x[c.name], tables.y[c.name], dealt if c.name in swapped else most) for c in coarse]
    return [column for column in encoded if column is not None]


def _sharpened(column: LinkColumn, channel: Channel) -> Channel:
    """Take values as unchanged where coarse levels could not tell that from the smallest change."""
    smallest = {"value": 0.0005, "student": 0.0005, "rank": 0.002, "box": 0.01}.get(channel.family)
    if channel != NOTHING and channel.scale == smallest and column.kept > SURE:
        return Channel("same", 0.995, swapped=channel.swapped)
    return channel
