"""How released columns follow from original ones, learned from rows whose origin is known.

Numbers are linear functions of the original columns, on one of several scales, and of their products; categories follow
from one column. Of both a part may have been kept (`kept_parts`, `kept_characters`, `kept_words`), and which cells are
missing. Where several released numbers were changed by the same noise, their differences are learned instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from icefire.audit.obstacles.category_tables import RowLevels, best_table
from icefire.audit.obstacles.chosen_models import LEAST_SHARE, gain_of, model_of_column, sources_of, spread_of
from icefire.audit.obstacles.date_parts import column_of
from icefire.audit.obstacles.kept_characters import learn_kept_characters
from icefire.audit.obstacles.kept_parts import KeptPart, learn_kept_part, learn_part_of_another
from icefire.audit.obstacles.kept_words import KeptWords, learn_kept_words
from icefire.audit.obstacles.learned_columns import KnownRows, LearnedReading, blanks_of, exact_codes
from icefire.audit.obstacles.moved_columns import moved_to_own_rows
from icefire.audit.obstacles.released_sums import learn_sums, told
from icefire.audit.obstacles.row_features import LEVELS, codes_of, logs, plain
from icefire.audit.obstacles.standard_features import predictions
from icefire.core.dataset import numbers
from icefire.kernels.evidence.pair_scores import add_from_table
from icefire.kernels.types import Float, Int
from icefire.regression.ridge import LinearModel

LEAST_GAIN = 0.02
"""Log-likelihood per row from which on a released column says something."""
SHRINK = 0.05
"""Part of the covariance of residuals that is taken as uncorrelated."""


@dataclass(frozen=True)
class Relations:
    """What released columns say about who a row is."""

    originals: int
    released: Float
    """Released rows × columns of numbers, so scaled that squared distances are twice the loss of log-likelihood."""
    predicted: Float
    """Original rows × the same columns: what each person's released values should be."""
    single: Float
    """Released rows × further columns of numbers, those with missing cells (NaN); see `released`."""
    single_predicted: Float
    tables: list[tuple[Float, RowLevels, RowLevels]]
    """Of every category column the log ratios (released × original level), and the levels of all rows."""
    kept_parts: list[KeptPart | KeptWords]
    shares: dict[str, float]
    """How closely each released column follows from the original: share of variance, or of the entropy."""
    sources: dict[str, list[str]]
    """The original columns that say most about a released one."""

    @cached_property
    def half_lengths(self) -> Float:
        """Half the squared length of what is predicted for every original row."""
        lengths: Float = 0.5 * (self.predicted**2).sum(axis=1)
        return lengths

    def scores(self, rows: Int) -> Float:
        """Return the log-likelihood of every original row for some released rows, up to a constant of each row."""
        near = self.released[rows] @ self.predicted.T
        near -= self.half_lengths
        scores: Float = near
        for shown, known in zip(self.single.T, self.single_predicted.T, strict=True):
            some = shown[rows]
            scores -= np.where(np.isnan(some)[:, None], 0.0, 0.5 * (np.nan_to_num(some)[:, None] - known) ** 2)
        for table, shown, known in self.tables:
            add_from_table(scores, table, shown[rows], known)
        for part in self.kept_parts:
            part.add_scores(scores, rows)
        return scores

    def closest(self, most: int) -> dict[str, list[str]]:
        """Return the released columns that follow most closely from the original, with those they come from."""
        names = sorted(self.shares, key=lambda name: -self.shares[name])[:most]
        return {name: self.sources[name] for name in names}


def learn_relations(x: pl.DataFrame, y: pl.DataFrame, truth: Int, taught: Int) -> Relations:
    """Learn from some released rows how columns follow from the original.

    Args:
        x: The original columns that are known.
        y: The released columns.
        truth: Original row of each released row.
        taught: Released rows to learn from.
    """
    known = KnownRows(moved_to_own_rows(x, y, truth, taught), truth, taught)
    learned = [_learn_column(y[name], known) for name in y.columns]
    unsummed = LearnedReading("", [one for each in learned for one in each.models if not np.isnan(one[0]).any()])
    best = max(unsummed, *(learn_sums(y, known, scale) for scale in (plain, logs)), key=lambda each: told(each, taught))
    whole = best.models
    single = [one for each in learned for one in each.models if np.isnan(one[0]).any()]
    all_predicted = predictions(known.features, [model for _, model in [*whole, *single]], x.height)
    released, predicted = _uncorrelated(whole, all_predicted[:, : len(whole)], y.height)
    predicted_alone = all_predicted[:, len(whole) :].T
    alone = [(s, p, spread_of(m.residuals, s)) for (s, m), p in zip(single, predicted_alone, strict=True)]
    rows, named = y.height, [*learned, best]
    return Relations(
        x.height,
        released,
        predicted,
        np.column_stack([s / d for s, _, d in alone]) if alone else np.empty((rows, 0)),
        np.column_stack([p / d for _, p, d in alone]) if alone else np.empty((x.height, 0)),
        [table for each in learned for table in each.tables],
        [part for each in learned for part in each.kept_parts],
        {each.name: each.share for each in named if each.sources},
        {each.name: each.sources for each in named if each.sources},
    )


def _learn_column(y: pl.Series, known: KnownRows) -> LearnedReading:
    """Learn how a released column follows from the original ones."""
    learned, gains = LearnedReading(y.name), [0.0]
    if y.dtype.is_numeric():
        scaled, model = model_of_column(numbers(y), known, y.name)
        if model.share > LEAST_SHARE:
            learned.models.append((scaled, model))
            learned.add(model.share, sources_of(model, known))
            gains.append(gain_of(model))
    gain, table, source = _category_table(y, known)
    if gain > LEAST_GAIN and _few_numbers(y):
        if gain <= sum(gains) + LEAST_GAIN:
            gain = 0.0
        else:
            learned, gains = LearnedReading(y.name), [0.0]
    if gain > LEAST_GAIN:
        learned.tables.append(table)
        learned.add(share_of(gain), [column_of(source)])
        gains.append(gain)
    another = learn_part_of_another(known.x, y, known.truth, known.taught)
    if another is not None and another[0].gain > sum(gains):
        return LearnedReading(y.name, kept_parts=[another[0]], share=share_of(another[0].gain), sources=[another[1]])
    if y.name not in known.x.columns:
        return learned
    part = learn_kept_part(known.x[y.name], y, known.truth, known.taught)
    if part is not None:
        learned.kept_parts.append(part)
        learned.add(share_of(part.gain), [y.name])
        gains.append(part.gain)
    characters = learn_kept_characters(known.x[y.name], y, known.truth, known.taught)
    words = learn_kept_words(known.x[y.name], y, known.truth, known.taught)
    if words is not None and words.gain > max(sum(gains), characters.gain):
        return LearnedReading(y.name, kept_parts=[words], share=share_of(words.gain), sources=[y.name])
    if characters.gain > sum(gains):
        return LearnedReading(y.name, tables=characters.tables, share=share_of(characters.gain), sources=[y.name])
    return learned


def _few_numbers(y: pl.Series) -> bool:
    """Tell whether a column holds numbers that may be codes of categories."""
    return y.dtype.is_numeric() and not y.null_count() and (y.n_unique() <= LEVELS or exact_codes(y) is not None)


def _uncorrelated(columns: Sequence[tuple[Float, LinearModel]], predicted: Float, rows: int) -> tuple[Float, Float]:
    """Return released and predicted values with residuals that are uncorrelated and of variance 1."""
    if not columns:
        return np.empty((rows, 0)), predicted
    released = np.column_stack([scaled for scaled, _ in columns])
    spread = np.array([spread_of(model.residuals, scaled) for scaled, model in columns])
    residuals = np.column_stack([model.residuals for _, model in columns]) / spread
    covariance = (1 - SHRINK) * residuals.T @ residuals / len(residuals) + SHRINK * np.eye(len(spread))
    variances, axes = np.linalg.eigh(covariance)
    turn = axes / np.sqrt(np.maximum(variances, 1e-9)) / spread[:, None]
    return released @ turn, predicted @ turn


def _category_table(y: pl.Series, known_rows: KnownRows) -> tuple[float, tuple[Float, RowLevels, RowLevels], str]:
    """Return the table of a category, or of which cells are missing if that says more; of many numbers the latter.

    Returns:
        The gain per row, the table with the levels of all rows (see `Relations.tables`), and the column it comes from.
    """
    is_category = not y.dtype.is_numeric() or y.n_unique() <= LEVELS
    ways: list[tuple[RowLevels, Mapping[str, RowLevels]]] = [(codes_of(y), known_rows.codes)] if is_category else []
    codes = exact_codes(y)
    ways += [(codes, known_rows.exact_codes)] if codes is not None and known_rows.exact_codes else []
    ways += [(blanks_of(y), known_rows.blanks)] if y.null_count() else []
    best: tuple[float, tuple[Float, RowLevels, RowLevels], str] = (
        0.0,
        (np.zeros((1, 1)), blanks_of(y), blanks_of(y)),
        "",
    )
    for shown, known in ways:
        learned = best_table(shown, known, known_rows.own_rows, known_rows.taught)
        if learned is not None and learned.gain > best[0]:
            best = learned.gain, (learned.log_ratios, shown, known[learned.source]), learned.source
    return best


def share_of(gain: float) -> float:
    """Return the share of the entropy that a gain of log-likelihood is."""
    return 1.0 - float(np.exp(-gain))
