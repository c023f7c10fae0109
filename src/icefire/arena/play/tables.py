"""One row per person: PWSCUP 2015 and its like."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import icefire
from icefire.arena.play import base, linkage, texts
from icefire.arena.play.game import CORRESPONDENCE, ORIGINAL, RELEASED, TRUTH, Published
from icefire.audit import run
from icefire.core import align, seeds
from icefire.core.dataset import Dataset
from icefire.core.release import Case, Comparison, Truth
from icefire.io import files, folder


class TablePlay(linkage.Linkage):
    """A team hands in a table and, for each of its rows, the original row it was made from."""

    handed_in = (RELEASED, CORRESPONDENCE)
    handed_out = (RELEASED,)

    def originals(self, files: Mapping[str, Path]) -> int:
        """Count the original rows."""
        return self._frame(files[ORIGINAL]).height

    def problems(self, given: Path) -> list[str]:
        """Check columns, cells and the correspondence."""
        lines, columns = texts.size(given / ORIGINAL)
        wrong = [
            *texts.problems(given / RELEASED, lines, columns),
            *texts.problems(given / CORRESPONDENCE, lines, 1),
        ]
        if wrong:
            return wrong
        checked = self.rules.check([given / ORIGINAL, given / RELEASED, given / CORRESPONDENCE])
        return [str(problem) for problem in checked.problems]

    def publish(self, given: Path, out: Path, seed: int) -> Published:
        """Shuffle the rows."""
        known = self._known(given)
        frame = self._frame(given / RELEASED).select(known.frame.columns)
        truth = folder.read_truth(given / CORRESPONDENCE)
        self._comparison(known, frame, truth)
        order = seeds.generator(seed, "arena").permutation(frame.height)
        frame[order].write_csv(out / RELEASED, include_header=self.rules.reading["how"].header)
        files.write_integers(truth.rows[order], out / TRUTH)
        return Published(frame.height, base.content(base.rows_as_text(frame)))

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        """Measure the release, attack it, and see whether the correspondence is believable."""
        return self._judged(self._known(given), self._frame(given / RELEASED), folder.read_truth(given / TRUTH), seed)

    def reference(self, given: Path, seed: int) -> dict[str, Any]:
        """Judge the original as if it had been released unchanged."""
        known = self._known(given)
        return self._judged(known, known.frame, Truth(np.arange(known.height)), seed)

    def _judged(self, known: Dataset, shown: pl.DataFrame, truth: Truth, seed: int) -> dict[str, Any]:
        comparison, plan = self._comparison(known, shown, truth), self.plan(seed)
        measures = run.run_measures(comparison, plan).by_name
        answers, aya = run.attack_origin(comparison, plan)
        attacks = {name: answer.result for name, answer in answers.by_name.items()}
        seen = None if aya is None else {"hits": aya.hits, "targets": len(truth), "rate": aya.rate}
        return self.report(measures, linkage.found(attacks), seen)

    def _comparison(self, known: Dataset, shown: pl.DataFrame, truth: Truth) -> Comparison:
        x, y = align.match(known, shown, RELEASED)
        return Comparison(Case(x, y), truth.checked(y.height, x.height))

    def _known(self, given: Path) -> Dataset:
        known = icefire.read(self._frame(given / ORIGINAL), **self.rules.reading)
        assert isinstance(known, Dataset)
        return known

    def _frame(self, path: Path) -> pl.DataFrame:
        return files.read_frame(path, self.rules.reading["how"])
