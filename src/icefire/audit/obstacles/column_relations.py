"""How released columns follow from original ones, learned from rows whose origin is known.

Numbers are linear functions of the original columns, on one of several scales, and of their products; categories follow
from one column. Of both a part may have been kept (`kept_parts`, `kept_characters`), and which cells are missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from icefire.audit.obstacles.category_tables import best_table
from icefire.audit.obstacles.date_parts import column_of
from icefire.audit.obstacles.kept_characters import learn_kept_characters
from icefire.audit.obstacles.kept_parts import KeptPart, learn_kept_part
from icefire.audit.obstacles.row_features import codes_of, features_of_rows, logs, places, plain, squares, varies
from icefire.core.dataset import numbers
from icefire.kernels.types import Bool, Float, Int
from icefire.regression.ridge import LinearModel, best_model

USED = (6, 30, 400)
"""How many of them a model may use: those that correlate most."""
USED_PRODUCTS = 30
"""How many features may be used where products are among them."""
FEWEST = 3
"""Rows that a model is learned from."""
LEAST_SHARE, LEAST_GAIN = 0.02, 0.02
"""Share of the variance, and log-likelihood per row, from which on a released column says something."""
STRANGE, MOST = 6.0, 0.6
"""Residuals so many times the usual one are strange, and the share of the rows that are not, at least."""
SHRINK = 0.05
"""Part of the covariance of residuals that is taken as uncorrelated."""
FINEST = 1e-6
"""Least standard deviation of residuals, in that of the column: equal values are not infinitely likelier."""


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
    tables: list[tuple[Float, Int, Int]]
    """Of every category column the log ratios (released × original level), and the levels of all rows."""
    kept_parts: list[KeptPart]
    shares: dict[str, float]
    """How closely each released column follows from the original: share of variance, or of the entropy."""
    sources: dict[str, list[str]]
    """The original columns that say most about a released one."""

    def scores(self, rows: Int) -> Float:
        """Return the log-likelihood of every original row for some released rows, up to a constant of each row."""
        near = self.released[rows] @ self.predicted.T
        scores: Float = near - 0.5 * (self.predicted**2).sum(axis=1)
        for shown, known in zip(self.single.T, self.single_predicted.T, strict=True):
            some = shown[rows]
            scores -= np.where(np.isnan(some)[:, None], 0.0, 0.5 * (np.nan_to_num(some)[:, None] - known) ** 2)
        for table, shown, known in self.tables:
            scores += table[shown[rows]][:, known]
        for part in self.kept_parts:
            scores += part.scores(rows)
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
    known = _Known(x, truth, taught)
    learned = [_learn_column(y[name], known) for name in y.columns]
    whole = [one for each in learned for one in each.models if not np.isnan(one[0]).any()]
    single = [one for each in learned for one in each.models if np.isnan(one[0]).any()]
    features = known.features
    released, predicted = _uncorrelated(whole, features, y.height)
    alone = [(scaled, model.predicted(features), _spread(model.residuals, scaled)) for scaled, model in single]
    rows = y.height
    return Relations(
        x.height,
        released,
        predicted,
        np.column_stack([s / d for s, _, d in alone]) if alone else np.empty((rows, 0)),
        np.column_stack([p / d for _, p, d in alone]) if alone else np.empty((x.height, 0)),
        [table for each in learned for table in each.tables],
        [part for each in learned for part in each.kept_parts],
        {each.name: each.share for each in learned if each.sources},
        {each.name: each.sources for each in learned if each.sources},
    )


class _Known:
    """What is known of the original rows, and which rows are learned from."""

    def __init__(self, x: pl.DataFrame, truth: Int, taught: Int) -> None:
        self.x, self.truth, self.taught, self.own_rows = x, truth, taught, truth[taught]
        self.features, self.names, self.of_one_column = features_of_rows(x)
        self.codes = {name: codes_of(x[name]) for name in x.columns}
        self.blanks = {name: _blanks(x[name]) for name in x.columns if 0 < x[name].null_count() < x.height}


@dataclass
class _LearnedColumn:
    """How one released column follows from the original; see `Relations`."""

    name: str
    models: list[tuple[Float, LinearModel]] = field(default_factory=list)
    tables: list[tuple[Float, Int, Int]] = field(default_factory=list)
    kept_parts: list[KeptPart] = field(default_factory=list)
    share: float = 0.0
    sources: list[str] = field(default_factory=list)

    def add(self, share: float, sources: list[str]) -> None:
        """Take note of a way in which the column follows from others; the first one names them."""
        self.share, self.sources = max(self.share, share), self.sources or sources


def _learn_column(y: pl.Series, known: _Known) -> _LearnedColumn:
    """Learn how a released column follows from the original ones."""
    learned, gains = _LearnedColumn(y.name), [0.0]
    if y.dtype.is_numeric():
        scaled, model = _model(numbers(y), known, y.name)
        if model.share > LEAST_SHARE:
            learned.models.append((scaled, model))
            learned.add(model.share, _sources(model, known.features, known.names))
            gains.append(-0.5 * float(np.log(max(1.0 - model.share, FINEST**2))))
    gain, table, source = _category_table(y, known)
    if gain > LEAST_GAIN:
        learned.tables.append(table)
        learned.add(_share_of(gain), [column_of(source)])
        gains.append(gain)
    if y.name not in known.x.columns:
        return learned
    part = learn_kept_part(known.x[y.name], y, known.truth, known.taught)
    if part is not None:
        learned.kept_parts.append(part)
        learned.add(_share_of(part.gain), [y.name])
        gains.append(part.gain)
    characters = learn_kept_characters(known.x[y.name], y, known.truth, known.taught)
    if characters.gain > sum(gains):
        return _LearnedColumn(y.name, tables=characters.tables, share=_share_of(characters.gain), sources=[y.name])
    return learned


def _share_of(gain: float) -> float:
    """Return the share of the entropy that a gain of log-likelihood is."""
    return 1.0 - float(np.exp(-gain))


def _model(shown: Float, known: _Known, own: str) -> tuple[Float, LinearModel]:
    """Return a released column on the scale on which it is predicted best, and the model."""
    best: tuple[Float, LinearModel] | None = None
    is_own = np.array([column_of(name) == own for name in known.names], np.bool_)
    for scale in (plain, logs, places, squares):
        scaled = scale(shown)
        if scaled is None or not varies(scaled):
            continue
        scaled = (scaled - np.nanmean(scaled)) / np.nanstd(scaled)
        some = ~np.isnan(scaled[known.taught])
        features = known.features[known.own_rows[some]]
        model = _chosen(features, scaled[known.taught[some]], is_own, known.of_one_column)
        if best is None or model.share > best[1].share:
            best = scaled, model
    return best or (shown, _nothing(len(known.taught)))


def _chosen(features: Float, outcome: Float, is_own: Bool, of_one_column: int) -> LinearModel:
    """Return the model by the column of the same name, or by those that correlate most, or also by products."""
    if len(outcome) < FEWEST or not features.shape[1]:
        return _nothing(len(outcome))
    related = np.abs((features - features.mean(axis=0)).T @ (outcome - outcome.mean()))
    order = np.argsort(-related, kind="stable")
    most = max(1, len(outcome) // 2)
    without = order[order < of_one_column]
    sizes = sorted({min(size, len(without), most) for size in USED})
    choices = [np.flatnonzero(is_own), *(without[:size] for size in sizes)]
    if len(order) > of_one_column:
        choices.append(order[: min(USED_PRODUCTS, most)])
    return _without_strangers(best_model(features, outcome, choices), features, outcome)


def _without_strangers(model: LinearModel, features: Float, outcome: Float) -> LinearModel:
    """Fit again without the rows that are far from what the model says: some values may have been drawn anew.

    The residuals of such rows count as the farthest of the others.
    """
    usual = STRANGE * float(np.median(np.abs(model.residuals)))
    kept = np.abs(model.residuals) <= usual
    if kept.all() or kept.mean() < MOST:
        return model
    again = best_model(features[kept], outcome[kept], [model.features])
    if again.share <= model.share:
        return model
    residuals = outcome - again.predicted(features)
    residuals[kept] = again.residuals
    far = float(np.abs(again.residuals).max())
    return replace(again, residuals=np.clip(residuals, -far, far))


def _nothing(rows: int) -> LinearModel:
    return LinearModel(np.empty(0, np.int64), np.empty(0), 0.0, np.zeros(rows), 0.0)


def _sources(model: LinearModel, features: Float, names: Sequence[str], most: int = 3) -> list[str]:
    """Name the original columns that move the prediction most."""
    moved: dict[str, float] = {}
    for place, coefficient in zip(model.features.tolist(), model.coefficients.tolist(), strict=True):
        name = column_of(names[place])
        moved[name] = moved.get(name, 0.0) + abs(coefficient) * float(features[:, place].std())
    return sorted(moved, key=lambda name: -moved[name])[:most]


def _spread(residuals: Float, scaled: Float) -> float:
    return max(float(np.sqrt((residuals**2).mean())), FINEST * float(np.nanstd(scaled)))


def _uncorrelated(columns: Sequence[tuple[Float, LinearModel]], features: Float, rows: int) -> tuple[Float, Float]:
    """Return released and predicted values with residuals that are uncorrelated and of variance 1."""
    if not columns:
        return np.empty((rows, 0)), np.empty((len(features), 0))
    released = np.column_stack([scaled for scaled, _ in columns])
    predicted = np.column_stack([model.predicted(features) for _, model in columns])
    spread = np.array([_spread(model.residuals, scaled) for scaled, model in columns])
    residuals = np.column_stack([model.residuals for _, model in columns]) / spread
    covariance = (1 - SHRINK) * residuals.T @ residuals / len(residuals) + SHRINK * np.eye(len(spread))
    variances, axes = np.linalg.eigh(covariance)
    turn = axes / np.sqrt(np.maximum(variances, 1e-9)) / spread[:, None]
    return released @ turn, predicted @ turn


def _blanks(column: pl.Series) -> Int:
    """Return 1 for every missing cell and 0 for others."""
    blanks: Int = column.is_null().to_numpy().astype(np.int64)
    return blanks


def _category_table(y: pl.Series, known_rows: _Known) -> tuple[float, tuple[Float, Int, Int], str]:
    """Return the table of a category, or of which cells are missing if that says more; of numbers always the latter.

    Returns:
        The gain per row, the table with the levels of all rows (see `Relations.tables`), and the column it comes from.
    """
    ways = [] if y.dtype.is_numeric() else [(codes_of(y), known_rows.codes)]
    ways += [(_blanks(y), known_rows.blanks)] if y.null_count() else []
    best: tuple[float, tuple[Float, Int, Int], str] = 0.0, (np.zeros((1, 1)), _blanks(y), _blanks(y)), ""
    for shown, known in ways:
        learned = best_table(shown, known, known_rows.own_rows, known_rows.taught)
        if learned is not None and learned.gain > best[0]:
            best = learned.gain, (learned.log_ratios, shown, known[learned.source]), learned.source
    return best
