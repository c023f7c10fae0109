"""The registered attack: link released rows to original rows by all columns at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from icefire.attacks.tables.link import calibration, held_out, learning, reading
from icefire.attacks.tables.link.belonging import columns_belong_together
from icefire.attacks.tables.link.channel_tables import ColumnTables, TableStore, shared_store
from icefire.attacks.tables.link.channels import NOTHING, Channel, ReleasedClasses
from icefire.attacks.tables.link.columns import LinkColumn, encoded
from icefire.attacks.tables.link.exchange_classes import classes_of_quasi_identifiers, columns_of_classes
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
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess
from icefire.kernels.common import threads
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
NEW_BLANKS = 0.01
"""Share of the cells of a column by which more are missing in the release if some were suppressed."""
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
    classes = classes_of_quasi_identifiers(tables.y, [name for name in case.known.qi if name in tables.y.columns])
    dividing = columns_of_classes(tables.x, tables.y)
    if dividing:
        # The other columns were shuffled one by one in these classes, so the class is all that a row tells.
        coarse, classes = [column for column in coarse if column.name in dividing], None
    sample, others, more = rows_to_learn_from(case.targets, case.choices, rng)
    store = shared_store(case)
    learned = learning.learn_unsettled(coarse, sample, classes, rng, more, store)
    explained = reading.ReadTables(tables, coarse, learned, {})
    if not learned.dealt and not dividing and learned.gain < reading.UNSURE * np.log(case.choices):
        explained = reading.read_otherwise(explained, unreleased_columns(case, tables), sample, rng, store)
        tables, coarse, learned = explained.tables, explained.columns, explained.learned
        classes = None if explained.words else classes
    learned = learning.settled(coarse, learned, classes, store)
    connected = bool(dividing) or columns_belong_together(coarse, learned, sample, others, store)
    unknown = max(case.targets - case.choices, 0)
    credit = None
    if connected and not (unknown or learned.dealt or learned.supposed or _has_new_blanks(tables)):
        alone = np.flatnonzero(tables.y.is_unique().to_numpy())
        credit = held_out.credit(coarse, learned, others, alone, rng, store)
    fine = _fine_columns(tables, coarse, learned, classes)
    del coarse, store
    tool = _sharpened_scorer(fine, learned, sample, classes if learned.dealt else None)
    tool, listed = refine(tool, tool.candidates(tool.y_rows))
    matched = posterior(listed, case.choices, unknown)
    checked = calibration.calibrate(tool, listed, matched, rng)
    if credit is not None:
        checked = replace(checked, credit=credit)
    alike = tool.alike
    if unknown:
        # Some rows are for nobody who is known, and equal rows for different people: everybody is named once.
        answers = matched.assigned(case.choices, everybody=False)
    else:
        answers = matched.assigned(case.choices) if checked.one_to_one else matched.likeliest()
        same = np.flatnonzero(alike > 1)
        answers[same] = answers_of_equal_rows(tool, matched, same, [] if learned.dealt else case.known.qi)
    weights = matched.probability(answers)
    probability = checked.probability(weights, alike) if connected else np.zeros(case.targets)
    if unknown:
        # The simulated rows are all of people who are known; the weights also tell rows of others.
        probability = np.minimum(probability, weights)
    probability = np.maximum(probability, 1.0 / case.choices)
    shown = evidence_of(fine, learned, connected)
    notes: dict[str, Any] = {
        "gain": learned.gain,
        "exchanged_within_classes": learned.dealt or bool(dividing),
        "read_otherwise": bool(explained.words),
        "whole_rows": checked.whole,
        "credit": checked.credit if connected else 0.0,
        "columns": explain(tool, answers, shown, explained.words),
    }
    evidence = None if shown is ColumnEvidence.NONE else bits_of_answers(tool, answers)
    return tables.placed(Guess(answers, probability=probability, notes=notes, evidence=evidence))


def _has_new_blanks(tables: OrderedTables) -> bool:
    """Tell whether cells were suppressed, likely those that make people rare: nothing simulated is like that."""
    missing = [table.null_count().row(0) for table in (tables.x, tables.y)]
    pairs = zip(*missing, strict=True)
    return any(after / tables.y.height > before / tables.x.height + NEW_BLANKS for before, after in pairs)


def answers_of_equal_rows(tool: Scorer, matched: Posterior, rows: Int, qi: Sequence[str]) -> Int:
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


def rows_to_learn_from(targets: int, choices: int, rng: np.random.Generator) -> tuple[Int, Int, Int]:
    """Return released rows to learn from, others to check what was learned, and more for releases hard to learn."""
    most = max(FEWEST, PAIRS // choices)
    size, order = min(targets, SAMPLE, most), rng.permutation(targets)
    first, others = order[:size], order[size : 2 * size]
    return np.sort(first), np.sort(others), np.sort(order[2 * size : size + min(MORE * size, most)])


def _fine_columns(
    tables: OrderedTables, coarse: Sequence[LinkColumn], learned: learning.Learned, classes: ReleasedClasses | None
) -> list[LinkColumn]:
    """Encode the columns again, as finely as the memory for their tables allows."""
    most, levels = fine_levels(coarse, learned, classes), levels_to_learn(len(tables.x.columns))
    wanted = [(tables.x[c.name], tables.y[c.name], count) for c, count in zip(coarse, most, strict=True)]
    same = [_has_all_values(c, x, y, min(levels, count)) for c, (x, y, count) in zip(coarse, wanted, strict=True)]
    again = iter(encoded([column for column, is_same in zip(wanted, same, strict=True) if not is_same]))
    return [column if is_same else next(again) for column, is_same in zip(coarse, same, strict=True)]


def fine_levels(coarse: Sequence[LinkColumn], learned: learning.Learned, classes: ReleasedClasses | None) -> list[int]:
    """Return how many levels each column may have while pairs are scored."""
    most = dealt = finest(len(coarse))
    swapped = [channel.swapped for channel in learned.channels]
    if classes is not None and any(swapped):
        # Their tables have a row for every class.
        dealt = min(most, max(COARSEST, 2 * TABLES // (sum(swapped) * len(classes.start))))
    return [dealt if is_swapped else most for is_swapped in swapped]


def _has_all_values(column: LinkColumn, x: pl.Series, y: pl.Series, most: int) -> bool:
    """Tell whether every value of a column has a level of its own, so that more levels would change nothing."""
    return max(column.x.count, column.y.count) <= most and max(x.n_unique(), y.n_unique()) <= most


def _sharpened_scorer(
    columns: list[LinkColumn], learned: learning.Learned, sample: Int, classes: ReleasedClasses | None
) -> Scorer:
    """Put together the tables of sharpened channels."""
    store = TableStore(channels=2)
    channels = sharpened(columns, learned, sample, classes, store)
    plain = [(tables, replace(c, swapped=False)) for tables, c in zip(store.tables(columns), channels, strict=True)]
    return scorer(columns, channels, classes, threads.starmap(ColumnTables.table, plain))


def sharpened(
    columns: list[LinkColumn],
    learned: learning.Learned,
    sample: Int,
    classes: ReleasedClasses | None,
    store: TableStore,
) -> list[Channel]:
    """Take values as unchanged where coarse levels could not tell that from the smallest change and fine ones agree."""
    sharp = [_as_unchanged(column, channel) for column, channel in zip(columns, learned.channels, strict=True)]
    if sharp == learned.channels:
        return sharp
    learner = learning.Learner(columns, sample, classes, store)
    return max(sharp, learned.channels, key=lambda some: learner.climb(some, 0).gain)


def _as_unchanged(column: LinkColumn, channel: Channel) -> Channel:
    smallest = {"value": 0.0005, "student": 0.0005, "rank": 0.002, "box": 0.01}.get(channel.family)
    if channel != NOTHING and channel.scale == smallest and column.kept > SURE:
        return Channel("same", 0.995, swapped=channel.swapped)
    return channel
