"""Game on purchases with a pseudonym per customer and month: which pseudonyms did each customer have?

A team hands in the changed rows in the order of the original. The kept ones are shuffled and handed out, with parts of
the original that attackers are taken to know; attackers answer a map of customers and months for every part.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from icefire.contests.common import cells
from icefire.contests.common.contest import Contest
from icefire.contests.common.game import (
    ANSWERS,
    ORIGINAL,
    ORIGINAL_CUSTOMERS,
    RELEASED,
    TRUTH,
    AnswerShape,
    PublishedRelease,
)
from icefire.contests.common.problem import Problem
from icefire.contests.formulas import pseudonym_maps
from icefire.contests.formulas.item_losses import DELETED, kept_rows
from icefire.contests.formulas.pseudonym_maps import LEVELS, MONTHS, PseudonymMap
from icefire.contests.games import base, plain_text
from icefire.contests.games.own_formulas import WHOLE, OwnFormulasGame
from icefire.core import seeds
from icefire.core.scorecard import MeasureResult
from icefire.core.scorecard.attacks import AttackResult

KNOWN = {level: f"known_{level}.csv" for level in LEVELS}
COLUMNS = ("level", "customer", *(f"month {month}" for month in range(MONTHS)))
"""Columns of the answers: one line for each level and customer."""
RENAMED = pl.format("p{}", "customer").alias("customer")
"""One pseudonym per customer, for the original as it is."""
ReadRows = Callable[[Path], pl.DataFrame]
MeasurePurchases = Callable[[pl.DataFrame, pl.DataFrame], Mapping[str, MeasureResult]]
AttackMap = Callable[
    [PseudonymMap, pl.DataFrame, Mapping[str, pl.DataFrame], Sequence[str]], Mapping[str, AttackResult]
]


class MonthPseudonymsGame(OwnFormulasGame):
    """A team hands in one changed or deleted row for every original row, in their order: the order is the secret.

    Args:
        contest: What is played.
        organisers_limits: Limits by measure.
        read: Reads purchases.
        read_people: Reads customers.
        measure: Measures a release against its original.
        attack: Runs the sample attacks.
    """

    handed_out = (RELEASED, *KNOWN.values())
    checked = (ORIGINAL_CUSTOMERS, ORIGINAL, RELEASED)

    def __init__(
        self,
        contest: Contest,
        organisers_limits: Mapping[str, float],
        *,
        read: ReadRows,
        read_people: ReadRows,
        measure: MeasurePurchases,
        attack: AttackMap,
    ) -> None:
        super().__init__(contest, organisers_limits)
        self._read, self._read_people, self._measure, self._attack = read, read_people, measure, attack

    def count_originals(self, given: Path) -> int:
        """Count the customers."""
        return plain_text.size(given / ORIGINAL_CUSTOMERS)[0]

    def answer_shape(self, rows: int, originals: int) -> AnswerShape:
        """A line of twelve cells for every level and customer."""
        return AnswerShape(len(LEVELS) * originals, rows, "maps")

    def write_unchanged(self, given: Path) -> None:
        """Release every row as it is, under one pseudonym per customer."""
        known = self._read(given / ORIGINAL)
        known.with_columns(RENAMED).write_csv(given / RELEASED, include_header=False)

    def unreadable(self, given: Path) -> list[str]:
        """A release has as many lines as the original."""
        return plain_text.problems(given / RELEASED, *plain_text.size(given / ORIGINAL))

    def publish(self, given: Path, out: Path, seed: int) -> PublishedRelease:
        """Shuffle the kept rows, draw what is known at each level, and keep the map."""
        known, shown = self._read(given / ORIGINAL), self._read(given / RELEASED)
        kept = kept_rows(shown)
        order = seeds.generator(seed, "arena").permutation(kept.height)
        kept[order].write_csv(out / RELEASED, include_header=False)
        for level, name in KNOWN.items():
            pseudonym_maps.known_part(known, level, seed).write_csv(out / name, include_header=False)
        customers = self._customers(given)
        self._write_map(pseudonym_maps.true_map(known, shown, customers), customers, out / TRUTH)
        shutil.copyfile(given / RELEASED, out / WHOLE)
        return PublishedRelease(kept.height, base.content(base.rows_as_text(shown)))

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        """Measure the release as it was handed in, and attack it as it was handed out."""
        known, whole, published = (self._read(given / name) for name in (ORIGINAL, WHOLE, RELEASED))
        customers = self._customers(given)
        truth = pseudonym_maps.true_map(known, whole, customers)
        parts = {str(level): self._read(given / name) for level, name in KNOWN.items()}
        return self.report(self._measure(known, whole), self._attack(truth, published, parts, customers))

    def judge_original(self, given: Path, seed: int) -> dict[str, Any]:
        """Judge the original as if it had been released under one pseudonym per customer."""
        known = self._read(given / ORIGINAL)
        shown = known.with_columns(RENAMED)
        customers = self._customers(given)
        parts = {str(level): pseudonym_maps.known_part(known, level, seed) for level in LEVELS}
        truth = pseudonym_maps.true_map(known, shown, customers)
        return self.report(self._measure(known, shown), self._attack(truth, shown, parts, customers))

    def guess_problems(self, given: Path, shape: AnswerShape) -> list[str]:
        """Check that every level and customer has one line, in order."""
        path = given / ANSWERS
        unreadable = plain_text.problems(path, shape.targets, len(COLUMNS))
        if unreadable:
            return unreadable
        answers, problems = cells.read(path, COLUMNS)
        if answers is None:
            return [str(problem) for problem in problems]
        customers = self._customers(given)
        if answers.height != len(LEVELS) * len(customers):
            size = f"{len(LEVELS)} levels of {len(customers):,} customers"
            return [f"{path.name}: {answers.height:,} rows; {len(LEVELS) * len(customers):,} are needed: {size}"]
        levels = [str(level) for level in LEVELS for _ in customers]
        out_of_turn = answers.frame["level"].fill_null("") != pl.Series(levels)
        wrong = answers.wrong("level", out_of_turn, "25, 50, 75, 100 in turn")
        other = answers.frame["customer"].fill_null("") != pl.Series(customers * len(LEVELS))
        wrong += answers.wrong("customer", other, "every customer once in each level, ascending as numbers")
        return [str(problem) for problem in wrong]

    def score_guess(self, given: Path) -> dict[str, Any]:
        """Count the customers whose twelve months are all right, over all levels."""
        truth = _as_map(cells.read(given / TRUTH, COLUMNS[1:]))
        answers = _as_map(cells.read(given / ANSWERS, COLUMNS))
        size = len(truth)
        hits = [
            pseudonym_maps.count_right(truth, answers[place * size : (place + 1) * size])
            for place in range(len(LEVELS))
        ]
        total = sum(hits)
        levels = {
            str(level): {"hits": right, "targets": size, "rate": right / size}
            for level, right in zip(LEVELS, hits, strict=True)
        }
        return {"hits": total, "targets": size * len(LEVELS), "rate": total / (size * len(LEVELS)), "levels": levels}

    def _customers(self, given: Path) -> list[str]:
        return pseudonym_maps.sorted_customers(self._read_people(given / ORIGINAL_CUSTOMERS)["customer"])

    def _write_map(self, table: PseudonymMap, customers: Sequence[str], path: Path) -> None:
        columns = {"customer": list(customers)} | {f"month {m}": table[:, m].tolist() for m in range(MONTHS)}
        pl.DataFrame(columns).write_csv(path, include_header=False)


def _as_map(read: tuple[cells.Cells | None, list[Problem]]) -> PseudonymMap:
    table, _ = read
    assert table is not None
    months = table.frame.select(COLUMNS[2:]).with_columns(pl.all().fill_null(DELETED))
    return months.to_numpy().astype(object)
