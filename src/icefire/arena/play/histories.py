"""Many rows per customer: PWS Cup 2016."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

import icefire
from icefire.arena.play import base, linkage, texts
from icefire.arena.play.game import (
    CORRESPONDENCE,
    CUSTOMERS,
    ORIGINAL,
    ORIGINAL_CUSTOMERS,
    RELEASED,
    TRUTH,
    Published,
)
from icefire.audit import run
from icefire.core import seeds
from icefire.core.history import History, HistoryCase, HistoryComparison
from icefire.core.history.publishing import shuffled
from icefire.core.registry import Data
from icefire.core.release import Truth
from icefire.io import files, folder

GROWTH = 50
"""Dummy rows make a history longer; a release has at most so many times the original's rows."""


class HistoryPlay(linkage.Linkage):
    """A team hands in customers, their transactions, and for each customer the original one."""

    data: Data = "history"
    handed_in = (CUSTOMERS, RELEASED, CORRESPONDENCE)
    handed_out = (CUSTOMERS, RELEASED)

    def originals(self, files: Mapping[str, Path]) -> int:
        """Count the original customers."""
        return texts.size(files[ORIGINAL_CUSTOMERS])[0]

    def problems(self, given: Path) -> list[str]:
        """Check both tables and the correspondence."""
        (people, described), (bought, columns) = texts.size(given / ORIGINAL_CUSTOMERS), texts.size(given / ORIGINAL)
        wrong = [
            *texts.problems(given / CUSTOMERS, people, described),
            *texts.problems(given / RELEASED, GROWTH * bought, columns),
            *texts.problems(given / CORRESPONDENCE, people, 1),
        ]
        if wrong:
            return wrong
        names = (ORIGINAL_CUSTOMERS, ORIGINAL, CUSTOMERS, RELEASED, CORRESPONDENCE)
        return [str(problem) for problem in self.rules.check([given / name for name in names]).problems]

    def publish(self, given: Path, out: Path, seed: int) -> Published:
        """Rename the customers and shuffle all rows."""
        made = self._history(given / RELEASED, given / CUSTOMERS)
        truth = folder.read_truth(given / CORRESPONDENCE).rows
        renamed, order = shuffled(made, seeds.generator(seed, "arena"))
        assert renamed.customers is not None
        renamed.frame.write_csv(out / RELEASED, include_header=False)
        renamed.customers.write_csv(out / CUSTOMERS, include_header=False)
        files.write_integers(truth[order], out / TRUTH)
        return Published(len(order), base.content(_people_as_text(made)))

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        """Measure the release and attack it."""
        known = self._history(given / ORIGINAL, given / ORIGINAL_CUSTOMERS)
        shown = self._history(given / RELEASED, given / CUSTOMERS)
        return self._judged(known, shown, folder.read_truth(given / TRUTH), seed)

    def reference(self, given: Path, seed: int) -> dict[str, Any]:
        """Judge the original as if it had been released unchanged but for the customers' names."""
        known = self._history(given / ORIGINAL, given / ORIGINAL_CUSTOMERS)
        shown, order = shuffled(known, seeds.generator(seed, "arena"))
        return self._judged(known, shown, Truth(order), seed)

    def _judged(self, known: History, shown: History, truth: Truth, seed: int) -> dict[str, Any]:
        comparison = HistoryComparison(HistoryCase(known, shown), truth.checked(shown.subjects, known.subjects))
        plan = self.plan(seed)
        measures = run.run_measures(comparison, plan).by_name
        answers, _ = run.attack_origin(comparison, plan)
        attacks = {name: answer.result for name, answer in answers.by_name.items()}
        return self.report(measures, linkage.found(attacks), None)

    def _history(self, path: Path, customers: Path) -> History:
        made = icefire.read(path, **self.rules.reading, customers=customers)
        assert isinstance(made, History)
        return made


def _people_as_text(made: History) -> pl.Series:
    """Write every customer with all rows as one piece of text, whatever the customer is called."""
    assert made.customers is not None
    subject = made.fields.subject
    lines = pl.DataFrame({subject: made.frame[subject], "line": base.rows_as_text(made.frame.drop(subject))})
    bought = lines.group_by(subject).agg(pl.col("line").sort().str.join("\n"))
    people = pl.DataFrame({subject: made.customers[subject], "who": base.rows_as_text(made.customers.drop(subject))})
    return people.join(bought, on=subject, how="left").select(pl.concat_str("who", "line", separator="\n"))["who"]
