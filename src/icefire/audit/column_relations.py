"""How released columns follow from original ones, learned from rows whose origin is known.

Numbers are linear functions of the original columns, on one of several scales; categories follow from one column.
Of both a part may have been kept (`kept_parts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from icefire.audit.kept_parts import KeptPart, learn_kept_part
from icefire.core import align
from icefire.core.blocks import dense_ranks
from icefire.core.dataset import numbers
from icefire.kernels.types import Bool, Float, Int
from icefire.regression.ridge import LinearModel, best_model

FEATURES = 400
"""Features of the original rows, at most."""
USED = (6, 30, 400)
"""How many of them a model may use: those that correlate most."""
LEVELS, BINS = 64, 16
"""Categories and groups of numbers that tables are learned for, at most."""
FEWEST = 3
"""Rows of a category that make it a feature."""
FARTHEST = 10.0
"""Values farther from the median, in widths of the middle half, are taken as that far."""
LEAST_SHARE, LEAST_GAIN = 0.02, 0.02
"""Share of the variance, and log-likelihood per row, from which on a released column says something."""
PRIOR = 2.0
"""Rows of every original category that count beside those learned from."""
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
    features, names = _features(x)
    x_codes = {name: _codes(x[name]) for name in x.columns}
    own_rows = truth[taught]
    whole: list[tuple[Float, LinearModel]] = []
    single: list[tuple[Float, LinearModel]] = []
    tables: list[tuple[Float, Int, Int]] = []
    kept_parts: list[KeptPart] = []
    shares: dict[str, float] = {}
    sources: dict[str, list[str]] = {}
    for name in y.columns:
        if y[name].dtype.is_numeric():
            scaled, model = _model(numbers(y[name]), features, names, name, own_rows, taught)
            if model.share > LEAST_SHARE:
                (single if np.isnan(scaled).any() else whole).append((scaled, model))
                shares[name], sources[name] = model.share, _sources(model, features, names)
        else:
            gain, table, source = _table(_codes(y[name]), x_codes, own_rows, taught)
            if gain > LEAST_GAIN:
                tables.append((table, _codes(y[name]), x_codes[source]))
                shares[name], sources[name] = 1.0 - float(np.exp(-gain)), [source]
        part = learn_kept_part(x[name], y[name], truth, taught) if name in x.columns else None
        if part is not None:
            kept_parts.append(part)
            shares[name] = max(shares.get(name, 0.0), 1.0 - float(np.exp(-part.gain)))
            sources.setdefault(name, [name])
    released, predicted = _uncorrelated(whole, features, y.height)
    alone = [(scaled, model.predicted(features), _spread(model.residuals, scaled)) for scaled, model in single]
    rows = y.height
    return Relations(
        x.height,
        released,
        predicted,
        np.column_stack([s / d for s, _, d in alone]) if alone else np.empty((rows, 0)),
        np.column_stack([p / d for _, p, d in alone]) if alone else np.empty((x.height, 0)),
        tables,
        kept_parts,
        shares,
        sources,
    )


def _features(x: pl.DataFrame) -> tuple[Float, list[str]]:
    """Return features of the original rows, and the column of each: values, logs, places in the order, categories."""
    values = {name: numbers(x[name]) for name in x.columns if x[name].dtype.is_numeric()}
    columns: list[tuple[str, Float]] = []
    for scale in (_plain, _logs, _places):
        columns += [(name, scaled) for name, column in values.items() if (scaled := scale(column)) is not None]
    for name in x.columns:
        if name not in values:
            codes = _codes(x[name])
            counts = np.bincount(codes)
            levels = np.argsort(-counts, kind="stable")[:LEVELS]
            columns += [(name, (codes == level).astype(float)) for level in levels if counts[level] >= FEWEST]
    columns = [(name, _standard(column)) for name, column in columns if np.nanstd(column) > 0][:FEATURES]
    if not columns:
        return np.empty((x.height, 0)), []
    return np.column_stack([column for _, column in columns]), [name for name, _ in columns]


def _plain(values: Float) -> Float | None:
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, middle, high = np.quantile(known, (0.25, 0.5, 0.75))
    reach = FARTHEST * ((high - low) or float(known.std()))
    limited: Float = np.clip(values, middle - reach, middle + reach)
    return limited


def _logs(values: Float) -> Float | None:
    known = values[~np.isnan(values)]
    return np.log(values) if len(known) and known.min() > 0 else None


def _places(values: Float) -> Float | None:
    """Return the log odds of each value's place in the order."""
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return None
    first, last = (np.searchsorted(known, values, side) for side in ("left", "right"))
    place = (first + last + 1) / (2.0 * len(known) + 2.0)
    odds: Float = np.where(np.isnan(values), np.nan, np.log(place / (1.0 - place)))
    return odds


def _standard(values: Float) -> Float:
    """Return values of mean 0 and standard deviation 1; a missing one is 0."""
    scaled: Float = np.nan_to_num((values - np.nanmean(values)) / np.nanstd(values))
    return scaled


def _model(
    shown: Float, features: Float, names: Sequence[str], own: str, rows: Int, taught: Int
) -> tuple[Float, LinearModel]:
    """Return a released column on the scale on which it is predicted best, and the model."""
    best: tuple[Float, LinearModel] | None = None
    is_own = np.array([name == own for name in names], np.bool_)
    for scale in (_plain, _logs, _places):
        scaled = scale(shown)
        if scaled is None or np.nanstd(scaled) == 0:
            continue
        scaled = (scaled - np.nanmean(scaled)) / np.nanstd(scaled)
        some = ~np.isnan(scaled[taught])
        model = _chosen(features[rows[some]], scaled[taught[some]], is_own)
        if best is None or model.share > best[1].share:
            best = scaled, model
    return best or (shown, _nothing(len(taught)))


def _chosen(features: Float, outcome: Float, is_own: Bool) -> LinearModel:
    """Return the model by the column of the same name, or by those that correlate most."""
    if len(outcome) < FEWEST or not features.shape[1]:
        return _nothing(len(outcome))
    related = np.abs((features - features.mean(axis=0)).T @ (outcome - outcome.mean()))
    order = np.argsort(-related, kind="stable")
    sizes = sorted({min(size, len(order), max(1, len(outcome) // 2)) for size in USED})
    model = best_model(features, outcome, [np.flatnonzero(is_own), *(order[:size] for size in sizes)])
    return _without_strangers(model, features, outcome)


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
        moved[names[place]] = moved.get(names[place], 0.0) + abs(coefficient) * float(features[:, place].std())
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


def _codes(column: pl.Series) -> Int:
    """Return the level of every row: categories, most frequent ones first, or groups of numbers; missing is a level."""
    if column.dtype.is_numeric() and column.n_unique() > LEVELS:
        places = column.rank("average") / max(column.count(), 1)
        bins: Int = (places * BINS).floor().clip(0, BINS - 1).fill_null(BINS).cast(pl.Int64).to_numpy()
        return bins
    ranks = dense_ranks(align.as_text(column)).fill_null(-1).to_numpy().astype(np.int64) + 1
    counts = np.bincount(ranks)
    place = np.empty(len(counts), np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    levels: Int = np.minimum(place, LEVELS)[ranks]
    return levels


def _table(shown: Int, x_codes: dict[str, Int], rows: Int, taught: Int) -> tuple[float, Float, str]:
    """Return the gain and the log ratios by the original column that says most about a category, and its name."""
    best: tuple[float, Float, str] = 0.0, np.zeros((1, 1)), ""
    said = shown[taught]
    levels = int(shown.max()) + 1
    share = (np.bincount(said, minlength=levels) + 0.5) / (len(said) + 0.5 * levels)
    for name, codes in x_codes.items():
        known = codes[rows]
        counts = np.zeros((levels, int(codes.max()) + 1))
        np.add.at(counts, (said, known), 1.0)
        totals = counts.sum(axis=0)
        # Each row is predicted from all others.
        without = (counts[said, known] - 1 + PRIOR * share[said]) / (totals[known] - 1 + PRIOR)
        gain = float((np.log(without) - np.log(share[said])).mean())
        if gain > best[0]:
            table = np.log((counts + PRIOR * share[:, None]) / (totals + PRIOR)) - np.log(share)[:, None]
            best = gain, table, name
    return best
