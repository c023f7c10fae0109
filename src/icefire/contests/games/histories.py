"""Game on a history with many rows per customer: which original customer is this released one?"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire.audit.knowledge.replay import NOTHING_KNOWN, KnownRecipe
from icefire.contests.common.game import (
    CORRESPONDENCE,
    CUSTOMERS,
    ORIGINAL,
    ORIGINAL_CUSTOMERS,
    RELEASED,
    TRUTH,
    PublishedRelease,
)
from icefire.contests.games import base, linkage, plain_text
from icefire.core import seeds
from icefire.core.history import History, HistoryCase, HistoryComparison
from icefire.core.history.publishing import shuffled
from icefire.core.release import Truth
from icefire.io import files, folder
from icefire.io.histories import read as read_history

GROWTH = 50
"""Dummy rows make a history longer; a release has at most so many times the original's rows."""


class HistoryGame(linkage.LinkageGame):
    """A team hands in customers, their transactions, and for each customer the original one."""

    handed_in = (CUSTOMERS, RELEASED, CORRESPONDENCE)
    handed_out = (CUSTOMERS, RELEASED)
    checked = (ORIGINAL_CUSTOMERS, ORIGINAL, CUSTOMERS, RELEASED, CORRESPONDENCE)

    def count_originals(self, given: Path) -> int:
        """Count the original customers."""
        return plain_text.size(given / ORIGINAL_CUSTOMERS)[0]

    def write_unchanged(self, given: Path) -> None:
        """Release customers and transactions row for row."""
        shutil.copyfile(given / ORIGINAL, given / RELEASED)
        shutil.copyfile(given / ORIGINAL_CUSTOMERS, given / CUSTOMERS)
        files.write_integers(np.arange(plain_text.size(given / ORIGINAL_CUSTOMERS)[0]), given / CORRESPONDENCE)

    def unreadable(self, given: Path) -> list[str]:
        """A release has no more customers than the original, but may have more transactions."""
        people, described = plain_text.size(given / ORIGINAL_CUSTOMERS)
        bought, columns = plain_text.size(given / ORIGINAL)
        return [
            *plain_text.problems(given / CUSTOMERS, people, described),
            *plain_text.problems(given / RELEASED, GROWTH * bought, columns),
            *plain_text.problems(given / CORRESPONDENCE, people, 1),
        ]

    def publish(self, given: Path, out: Path, seed: int) -> PublishedRelease:
        """Rename the customers and shuffle all rows."""
        release = self._history(given / RELEASED, given / CUSTOMERS)
        truth = folder.read_truth(given / CORRESPONDENCE).rows
        renamed, order = shuffled(release, seeds.generator(seed, "arena"))
        assert renamed.customers is not None
        renamed.frame.write_csv(out / RELEASED, include_header=False)
        renamed.customers.write_csv(out / CUSTOMERS, include_header=False)
        files.write_integers(truth[order], out / TRUTH)
        return PublishedRelease(len(order), base.content(_people_as_text(release)))

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        """Measure the release and attack it."""
        known = self.read_original(given)
        shown = self._history(given / RELEASED, given / CUSTOMERS)
        return self._judge(known, shown, folder.read_truth(given / TRUTH), seed, self.known_recipe(given, known))

    def judge_original(self, given: Path, seed: int) -> dict[str, Any]:
        """Judge the original as if it had been released unchanged but for the customers' names."""
        known = self.read_original(given)
        shown, order = shuffled(known, seeds.generator(seed, "arena"))
        return self._judge(known, shown, Truth(order), seed)

    def read_original(self, given: Path) -> History:
        """Read the original customers and transactions."""
        return self._history(given / ORIGINAL, given / ORIGINAL_CUSTOMERS)

    def _judge(
        self, known: History, shown: History, truth: Truth, seed: int, recipe: KnownRecipe = NOTHING_KNOWN
    ) -> dict[str, Any]:
        truth = truth.checked(shown.subjects, known.subjects)
        return self.judge_comparison(HistoryComparison(HistoryCase(known, shown), truth), seed, recipe)

    def _history(self, path: Path, customers: Path) -> History:
        reading = dict(self.contest.reading)
        how, customers_how = reading.pop("how"), reading.pop("customers_how")
        return read_history(path, reading, customers=customers, how=how, customers_how=customers_how)


def _people_as_text(history: History) -> pl.Series:
    """Write every customer with all rows as one piece of text, whatever the customer is called."""
    assert history.customers is not None
    subject = history.fields.subject
    lines = pl.DataFrame({subject: history.frame[subject], "line": base.rows_as_text(history.frame.drop(subject))})
    bought = lines.group_by(subject).agg(pl.col("line").sort().str.join("\n"))
    described = base.rows_as_text(history.customers.drop(subject))
    people = pl.DataFrame({subject: history.customers[subject], "who": described})
    return people.join(bought, on=subject, how="left").select(pl.concat_str("who", "line", separator="\n"))["who"]
