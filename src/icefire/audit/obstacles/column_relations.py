"""How released columns follow from original ones, learned from rows whose origin is known.

Numbers are linear functions of the original columns, on one of several scales, and of their products; categories follow
from one column. Of both a part may have been kept (`kept_parts`, `kept_characters`, `kept_words`), and which cells are
missing. Where several released numbers were changed by the same noise, their differences are learned instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from icefire.audit.obstacles.category_tables import best_table
from icefire.audit.obstacles.date_parts import column_of
from icefire.audit.obstacles.kept_characters import learn_kept_characters
from icefire.audit.obstacles.kept_parts import KeptPart, learn_kept_part, learn_part_of_another
from icefire.audit.obstacles.kept_words import KeptWords, learn_kept_words
from icefire.audit.obstacles.moved_columns import moved_to_own_rows
from icefire.audit.obstacles.row_features import (
    LEVELS,
    codes_of,
    features_of_rows,
    logs,
    places,
    plain,
    squares,
    standard,
    varies,
)
from icefire.core.dataset import numbers
from icefire.kernels.types import Bool, Float, Int
from icefire.regression.ridge import LinearModel, best_model

USED = (6, 30, 400)
"""How many of them a model may use: those that correlate most."""
CLEAR_SHARE = 0.4
"""Where less is predicted, it is asked whether the features chosen also predict other rows."""
MOST_CODES, ROWS_OF_CODE = 512, 4
"""Levels of a column whose values may be codes, at most, and rows of each, on average, at least."""
ROWS_OF_CURVE = 2
"""Rows for each feature of a curve, at least."""
MOST_TOGETHER = 60
"""Numbers whose components are learned, at most."""
NAMED = 3
"""Released columns that a sum is named by."""
TURNS = 2
"""How often sums of released numbers are turned."""
USED_FOR_SUMS = (6, 30)
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
    kept_parts: list[KeptPart | KeptWords]
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
    known = _Known(moved_to_own_rows(x, y, truth, taught), truth, taught)
    learned = [_learn_column(y[name], known) for name in y.columns]
    unsummed = _LearnedColumn("", [one for each in learned for one in each.models if not np.isnan(one[0]).any()])
    best = max(
        unsummed, *(_learn_sums(y, known, scale) for scale in (plain, logs)), key=lambda each: _told(each, taught)
    )
    whole = best.models
    single = [one for each in learned for one in each.models if np.isnan(one[0]).any()]
    features = known.features
    released, predicted = _uncorrelated(whole, features, y.height)
    alone = [(scaled, model.predicted(features), _spread(model.residuals, scaled)) for scaled, model in single]
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


class _Known:
    """What is known of the original rows, and which rows are learned from."""

    def __init__(self, x: pl.DataFrame, truth: Int, taught: Int) -> None:
        self.x, self.truth, self.taught, self.own_rows = x, truth, taught, truth[taught]
        self.features, self.names, self.of_one_column, self.straight = features_of_rows(x)
        self.codes = {name: codes_of(x[name]) for name in x.columns}
        exact = {name: _exact_codes(x[name]) for name in x.columns}
        self.exact_codes = {name: codes for name, codes in exact.items() if codes is not None}
        self.blanks = {name: _blanks(x[name]) for name in x.columns if 0 < x[name].null_count() < x.height}


@dataclass
class _LearnedColumn:
    """How one released column follows from the original; see `Relations`."""

    name: str
    models: list[tuple[Float, LinearModel]] = field(default_factory=list)
    tables: list[tuple[Float, Int, Int]] = field(default_factory=list)
    kept_parts: list[KeptPart | KeptWords] = field(default_factory=list)
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
            gains.append(_gain_of(model))
    gain, table, source = _category_table(y, known)
    if gain > LEAST_GAIN and _few_numbers(y):
        if gain <= sum(gains) + LEAST_GAIN:
            gain = 0.0
        else:
            learned, gains = _LearnedColumn(y.name), [0.0]
    if gain > LEAST_GAIN:
        learned.tables.append(table)
        learned.add(_share_of(gain), [column_of(source)])
        gains.append(gain)
    another = learn_part_of_another(known.x, y, known.truth, known.taught)
    if another is not None and another[0].gain > sum(gains):
        return _LearnedColumn(y.name, kept_parts=[another[0]], share=_share_of(another[0].gain), sources=[another[1]])
    if y.name not in known.x.columns:
        return learned
    part = learn_kept_part(known.x[y.name], y, known.truth, known.taught)
    if part is not None:
        learned.kept_parts.append(part)
        learned.add(_share_of(part.gain), [y.name])
        gains.append(part.gain)
    characters = learn_kept_characters(known.x[y.name], y, known.truth, known.taught)
    words = learn_kept_words(known.x[y.name], y, known.truth, known.taught)
    if words is not None and words.gain > max(sum(gains), characters.gain):
        return _LearnedColumn(y.name, kept_parts=[words], share=_share_of(words.gain), sources=[y.name])
    if characters.gain > sum(gains):
        return _LearnedColumn(y.name, tables=characters.tables, share=_share_of(characters.gain), sources=[y.name])
    return learned


def _few_numbers(y: pl.Series) -> bool:
    """Tell whether a column holds numbers that may be codes of categories."""
    return y.dtype.is_numeric() and not y.null_count() and (y.n_unique() <= LEVELS or _exact_codes(y) is not None)


def _exact_codes(column: pl.Series) -> Int | None:
    """Return the level of every row of a column with many levels, each of several rows; None for other columns."""
    if not LEVELS < column.n_unique() <= min(MOST_CODES, len(column) / ROWS_OF_CODE):
        return None
    codes: Int = column.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
    return codes


def _gain_of(model: LinearModel) -> float:
    """Return the log-likelihood per row that a model adds."""
    return -0.5 * float(np.log(max(1.0 - model.share, FINEST**2)))


def _learn_sums(y: pl.DataFrame, known: _Known, scale: Callable[[Float], Float | None]) -> _LearnedColumn:
    """Learn sums of released numbers, so turned that as many as possible are predicted well.

    Noise that several columns have in common is then in few of the sums. The first ones are principal components; where
    what is not predicted is related, they are turned and learned again.
    """
    every = {column.name: numbers(column) for column in y if column.dtype.is_numeric()}
    columns = {name: scale(column) for name, column in every.items() if not np.isnan(column).any()}
    scaled = {n: standard(column) for n, column in columns.items() if column is not None and varies(column)}
    if not 2 <= len(scaled) <= MOST_TOGETHER:
        return _LearnedColumn("")
    together = np.column_stack(list(scaled.values()))
    variances, axes = np.linalg.eigh(np.cov(together, rowvar=False))
    models = _models_of(together @ axes[:, variances > FINEST], known)
    for _ in range(TURNS if any(model.share > LEAST_SHARE for _, model in models) else 0):
        left = np.column_stack([m.residuals if m.share > 0.0 else column[known.taught] for column, m in models])
        models = _models_of(np.column_stack([column for column, _ in models]) @ np.linalg.eigh(left.T @ left)[1], known)
    models = [(column, model) for column, model in models if model.share > LEAST_SHARE]
    if not models:
        return _LearnedColumn("")
    column, model = max(models, key=lambda each: each[1].share)
    weights = np.abs(np.linalg.lstsq(together, column, rcond=None)[0])
    names = [name for _, name in sorted(zip(weights, scaled, strict=True), reverse=True)[:NAMED]]
    return _LearnedColumn(
        ", ".join(names), models, share=model.share, sources=_sources(model, known.features, known.names)
    )


def _models_of(columns: Float, known: _Known) -> list[tuple[Float, LinearModel]]:
    """Return columns on a common scale, each with its model."""
    is_number = np.array([known.x[column_of(name)].dtype.is_numeric() for name in known.names[: known.of_one_column]])
    is_number = np.append(is_number, np.zeros(len(known.names) - len(is_number), np.bool_))
    return [_model_of(standard(column), known, is_number, USED_FOR_SUMS) for column in columns.T]


def _told(learned: _LearnedColumn, taught: Int) -> float:
    """Return the log-likelihood per row that models of released numbers add together."""
    if not learned.models:
        return 0.0
    before = np.corrcoef(np.column_stack([scaled[taught] for scaled, _ in learned.models]), rowvar=False)
    left = np.column_stack([model.residuals / scaled[taught].std() for scaled, model in learned.models])
    finest = FINEST**2 * np.eye(left.shape[1])
    sizes = [np.linalg.slogdet(np.atleast_2d(each) + finest)[1] for each in (before, left.T @ left / len(left))]
    return 0.5 * float(sizes[0] - sizes[1])


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
        scaled, model = _model_of((scaled - np.nanmean(scaled)) / np.nanstd(scaled), known, is_own)
        if best is None or model.share > best[1].share:
            best = scaled, model
    return best or (shown, _nothing(len(known.taught)))


def _model_of(scaled: Float, known: _Known, is_own: Bool, used: tuple[int, ...] = USED) -> tuple[Float, LinearModel]:
    """Return a released column of numbers, and its model learned from the rows that have a value."""
    some = ~np.isnan(scaled[known.taught])
    features = known.features[known.own_rows[some]]
    outcome = scaled[known.taught[some]]
    model = _chosen(features, outcome, is_own, known, used)
    if LEAST_SHARE < model.share < CLEAR_SHARE:
        others = _share_of_others(features, outcome, is_own, known, used)
        model = model if others > LEAST_SHARE else _nothing(len(outcome))
    return scaled, model


def _share_of_others(features: Float, outcome: Float, is_own: Bool, known: _Known, used: tuple[int, ...]) -> float:
    """Return the share of the variance of one half that is predicted by what was chosen for the other, and vice versa.

    Among many features some correlate with anything.
    """
    left = np.empty(len(outcome))
    for start in (0, 1):
        taught = np.arange(len(outcome)) % 2 == start
        model = _chosen(features[taught], outcome[taught], is_own, known, used)
        if model.share <= LEAST_SHARE:
            return 0.0
        left[~taught] = outcome[~taught] - model.predicted(features[~taught])
    return 1.0 - float((left**2).mean()) / max(float(outcome.var()), FINEST)


def _chosen(features: Float, outcome: Float, is_own: Bool, known: _Known, used: tuple[int, ...]) -> LinearModel:
    """Return the model by the column of the same name, or by those that correlate most, or also by products.

    The column of the same name is also tried as a curve.
    """
    of_one_column, straight = known.of_one_column, known.straight
    if len(outcome) < FEWEST or not features.shape[1]:
        return _nothing(len(outcome))
    related = np.abs((features - features.mean(axis=0)).T @ (outcome - outcome.mean()))
    order = np.argsort(-related[:straight], kind="stable")
    most = max(1, len(outcome) // 2)
    without = order[order < of_one_column]
    sizes = sorted({min(size, len(without), most) for size in used})
    choices = [np.flatnonzero(is_own[:straight]), *(without[:size] for size in sizes)]
    curved = np.flatnonzero(is_own)
    if straight < len(is_own) and is_own[straight:].any() and ROWS_OF_CURVE * len(curved) <= len(outcome):
        choices.append(curved)
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
    """Return the table of a category, or of which cells are missing if that says more; of many numbers the latter.

    Returns:
        The gain per row, the table with the levels of all rows (see `Relations.tables`), and the column it comes from.
    """
    is_category = not y.dtype.is_numeric() or y.n_unique() <= LEVELS
    ways = [(codes_of(y), known_rows.codes)] if is_category else []
    codes = _exact_codes(y)
    ways += [(codes, known_rows.exact_codes)] if codes is not None and known_rows.exact_codes else []
    ways += [(_blanks(y), known_rows.blanks)] if y.null_count() else []
    best: tuple[float, tuple[Float, Int, Int], str] = 0.0, (np.zeros((1, 1)), _blanks(y), _blanks(y)), ""
    for shown, known in ways:
        learned = best_table(shown, known, known_rows.own_rows, known_rows.taught)
        if learned is not None and learned.gain > best[0]:
            best = learned.gain, (learned.log_ratios, shown, known[learned.source]), learned.source
    return best
