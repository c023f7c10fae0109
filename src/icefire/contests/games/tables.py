"""Game on a table with one row per person: which original row is this released one?"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire.contests.common.game import CORRESPONDENCE, ORIGINAL, RELEASED, TRUTH, PublishedRelease
from icefire.contests.games import base, linkage, plain_text
from icefire.core import align, seeds
from icefire.core.dataset import Dataset
from icefire.core.reading import Expected
from icefire.core.release import Case, Comparison, Truth
from icefire.io import files, folder
from icefire.io.read import read_table
from icefire.io.tables import read_frame


class TableGame(linkage.LinkageGame):
    """A team hands in a table and, for each of its rows, the original row it was made from."""

    handed_in = (RELEASED, CORRESPONDENCE)
    handed_out = (RELEASED,)
    has_aya = True
    checked = (ORIGINAL, RELEASED, CORRESPONDENCE)

    def count_originals(self, given: Path) -> int:
        """Count the original rows."""
        return self._frame(given / ORIGINAL).height

    def write_unchanged(self, given: Path) -> None:
        """Release the original row for row."""
        shutil.copyfile(given / ORIGINAL, given / RELEASED)
        lines, _ = plain_text.size(given / ORIGINAL)
        rows = np.arange(lines - self.contest.reading["how"].has_header)
        files.write_integers(rows, given / CORRESPONDENCE)

    def unreadable(self, given: Path) -> list[str]:
        """A release has no more lines than the original."""
        lines, columns = plain_text.size(given / ORIGINAL)
        return [
            *plain_text.problems(given / RELEASED, lines, columns),
            *plain_text.problems(given / CORRESPONDENCE, lines, 1),
        ]

    def publish(self, given: Path, out: Path, seed: int) -> PublishedRelease:
        """Shuffle the rows."""
        known = self.read_original(given)
        frame = self._frame(given / RELEASED, known.expected).select(known.frame.columns)
        truth = folder.read_truth(given / CORRESPONDENCE)
        self._comparison(known, frame, truth)
        order = seeds.generator(seed, "arena").permutation(frame.height)
        frame[order].write_csv(out / RELEASED, include_header=self.contest.reading["how"].has_header)
        files.write_integers(truth.rows[order], out / TRUTH)
        return PublishedRelease(frame.height, base.content(base.rows_as_text(frame)))

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        """Measure the release, attack it, and see whether the correspondence is believable."""
        known = self.read_original(given)
        shown = self._frame(given / RELEASED, known.expected)
        comparison = self._comparison(known, shown, folder.read_truth(given / TRUTH))
        return self.judge_comparison(comparison, seed, self.known_recipe(given, known))

    def fingerprint(self, given: Path, seed: int) -> dict[str, Any]:
        """Recognise the methods that made the release."""
        known = self.read_original(given)
        shown = self._frame(given / RELEASED, known.expected)
        return self.fingerprint_of(known, shown, folder.read_truth(given / TRUTH), seed)

    def judge_original(self, given: Path, seed: int) -> dict[str, Any]:
        """Judge the original as if it had been released unchanged."""
        known = self.read_original(given)
        return self.judge_comparison(self._comparison(known, known.frame, Truth(np.arange(known.height))), seed)

    def read_original(self, given: Path) -> Dataset:
        """Read the original table."""
        return read_table(self._frame(given / ORIGINAL), **self.contest.reading)

    def _comparison(self, known: Dataset, shown: pl.DataFrame, truth: Truth) -> Comparison:
        x, y = align.match(known, shown, RELEASED)
        return Comparison(Case(x, y), truth.checked(y.height, x.height))

    def _frame(self, path: Path, expected: Expected | None = None) -> pl.DataFrame:
        return read_frame(path, self.contest.reading["how"], expected)
