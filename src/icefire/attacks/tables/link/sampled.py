"""The joint attack on tables in parts: a sample of the released rows, each searched among all original rows.

What happens to every sampled row is what happens to it in the attack `link`: channels learned from both tables, all
original rows searched, one person per row. The rows of its class, among which values may have been exchanged, and the
rows that compete with it for the same people take part besides. The answers are about the sampled rows alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from icefire.attacks.tables.link import calibration, held_out, learning
from icefire.attacks.tables.link.attack import (
    FEWEST,
    answers_of_equal_rows,
    fine_levels,
    rows_to_learn_from,
    sharpened,
)
from icefire.attacks.tables.link.belonging import columns_belong_together
from icefire.attacks.tables.link.channel_tables import TableStore
from icefire.attacks.tables.link.channels import NOTHING
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.explanation import evidence_of, explain
from icefire.attacks.tables.link.level_maps import (
    MappedColumn,
    SampledTables,
    levels_of_rows,
)
from icefire.attacks.tables.link.matching import Scorer, posterior, scorer
from icefire.attacks.tables.link.ordering import levels_to_learn
from icefire.attacks.tables.link.refinement import refine
from icefire.attacks.tables.link.rivals import rival_rows
from icefire.attacks.tables.link.sampled_rows import ComparedRows, DrawnRows, draw_rows
from icefire.attacks.tables.link.search import equal_rows
from icefire.core.parts import ROW, PartedTables
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.linkage.best_candidates import CandidateLists
from icefire.kernels.types import Int, Int32

LEARNED = 4_000_000
"""Original rows that channels are learned from; of larger tables, a random part."""
PER_ROW = 2 * 8 * FEWEST
"""Bytes of memory for each of them."""


@dataclass(frozen=True)
class SampledAnswers:
    """The released rows that were linked, ascending, with the answers."""

    rows: Int
    guess: Guess
    compared: int
    """Released rows that took part."""


def link_sample(tables: PartedTables, rng: np.random.Generator) -> SampledAnswers:
    """Link a random sample of the released rows with all original rows.

    Args:
        tables: The tables in parts.
        rng: Draws the samples.

    Returns:
        Answers about the sampled rows. Nobody is answered where no column is in both tables with two values or more.
    """
    sample = draw_rows(tables, rng)
    coarse = sample.columns.encoded(levels_to_learn(len(sample.columns.columns)))
    if not coarse:
        asked = sample.alone.asked
        nobody = Guess(np.full(len(asked), NO_ANSWER), probability=np.zeros(len(asked)))
        return SampledAnswers(asked, nobody, len(asked))
    return _Linked.made(tables, sample, coarse, rng).answers(rng)


@dataclass(frozen=True)
class _Linked:
    """What was learned, and the tables to score pairs by."""

    tables: PartedTables
    sample: ComparedRows
    used: list[MappedColumn]
    """Columns that say something."""
    columns: list[LinkColumn]
    learned: learning.Learned
    tool: Scorer
    connected: bool
    credit: float | None

    @staticmethod
    def made(
        tables: PartedTables, drawn: DrawnRows, coarse: Sequence[MappedColumn], rng: np.random.Generator
    ) -> _Linked:
        """Learn the channels, as `link` does; whole classes are compared only where values were exchanged in them."""
        sample = drawn.in_classes
        part, known = None, min(tables.originals, LEARNED, tables.working // PER_ROW)
        if known < tables.originals:
            part = np.sort(rng.choice(tables.originals, known, replace=False))
        columns = _placed(coarse, levels_of_rows(tables, "original", coarse, part), sample.levels(coarse))
        taught, others, more = rows_to_learn_from(len(sample.rows), known, rng)
        unknown, store = tables.originals - known, TableStore()
        learned = learning.learn(columns, taught, sample.classes, rng, more, store, unknown)
        connected = columns_belong_together(columns, learned, taught, others, store, unknown)
        credit = None
        if connected and not (unknown or learned.dealt or learned.supposed):
            alone = np.flatnonzero(sample.frame.drop(ROW).is_unique().to_numpy())
            credit = held_out.credit(columns, learned, others, alone, rng, store)
        names = [column.name for column in columns]
        levels = dict(zip(names, fine_levels(columns, learned, sample.classes), strict=True))
        del columns, store
        encoded = [column.encoded(levels[name]) for name, column in _by_name(drawn.columns, coarse)]
        fine = [column for column in encoded if column is not None]
        channels = dict(zip(names, learned.channels, strict=True))
        learned = replace(learned, channels=[channels[column.column.name] for column in fine])
        known_levels = levels_of_rows(tables, "original", fine)
        some = known_levels if part is None else known_levels[:, part]
        sharp = sharpened(
            _placed(fine, some, sample.levels(fine)),
            learned,
            taught,
            sample.classes if learned.dealt else None,
            TableStore(),
        )
        if not learned.dealt:
            sample = drawn.alone
        columns = _placed(fine, known_levels, sample.levels(fine))
        tool = scorer(columns, sharp, sample.classes if learned.dealt else None, room=tables.room)
        used = [column for column, channel in zip(fine, sharp, strict=True) if channel != NOTHING]
        return _Linked(tables, sample, used, columns, learned, tool, connected, credit)

    def answers(self, rng: np.random.Generator) -> SampledAnswers:
        """Answer for every row that was asked about."""
        tables, sample = self.tables, self.sample
        tool, listed = refine(self.tool, self.tool.candidates(self.tool.y_rows))
        rows, y_rows, every = self._with_rivals(tool, listed)
        matched = posterior(every, tables.originals)
        own = matched.part(np.arange(len(sample.rows)))
        checked = calibration.calibrate(tool, listed, own, rng)
        if self.credit is not None:
            checked = replace(checked, credit=self.credit)
        groups = equal_rows(y_rows)
        alike = groups.x_sizes[groups.x_labels][: len(sample.rows)]
        chosen = matched.assigned(tables.originals) if checked.one_to_one else matched.likeliest()
        answers = chosen[: len(sample.rows)]
        same = np.flatnonzero(alike > 1)
        qi = [] if self.learned.dealt else tables.schema.qi
        answers[same] = answers_of_equal_rows(tool, own, same, qi)
        probability = np.zeros(len(answers))
        if self.connected:
            probability = checked.probability(own.probability(answers), alike)
        probability = np.maximum(probability, 1.0 / tables.originals)
        places = sample.places
        notes = {
            "gain": self.learned.gain,
            "exchanged_within_classes": self.learned.dealt,
            "columns": explain(tool, answers, evidence_of(self.columns, self.learned, self.connected)),
        }
        guess = Guess(answers[places], probability=probability[places], notes=notes)
        return SampledAnswers(sample.asked, guess, len(rows))

    def _with_rivals(self, tool: Scorer, listed: CandidateLists) -> tuple[Int, Int32, CandidateLists]:
        """Return all rows that take part, their levels, and their candidates; those compared so far come first."""
        rows, y_rows = self.sample.rows, tool.y_rows
        if self.learned.dealt or not self.used:
            return rows, y_rows, listed
        matched = posterior(listed, self.tables.originals)
        rivals = np.setdiff1d(rival_rows(self.tables, tool, self.used, matched, self.sample.places), rows)
        if not len(rivals):
            return rows, y_rows, listed
        theirs = levels_of_rows(self.tables, "released", self.used, rivals).T.astype(np.int32)
        their_lists = tool.candidates(np.ascontiguousarray(theirs))
        parts = zip(listed, their_lists, strict=True)
        both = CandidateLists(*(np.concatenate(pair) for pair in parts))
        return np.append(rows, rivals), np.concatenate([y_rows, theirs]), both


def _placed(columns: Sequence[MappedColumn], known: Int32, shown: Sequence[Int32]) -> list[LinkColumn]:
    """Return columns with the levels of original rows (columns × rows) and of released ones."""
    return [column.placed(known[place], shown[place]) for place, column in enumerate(columns)]


def _by_name(tables: SampledTables, coarse: Sequence[MappedColumn]) -> list[tuple[str, Any]]:
    """Return the sampled columns that are compared, with the names under which they are."""
    columns = {column.values[0].name: column for column in tables.columns}
    return [(column.column.name, columns[column.column.name]) for column in coarse]
