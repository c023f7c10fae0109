"""The model by which released numbers follow from original columns: which features it uses, on which scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from icefire.audit.obstacles.date_parts import column_of
from icefire.audit.obstacles.learned_columns import KnownRows
from icefire.audit.obstacles.row_features import logs, places, plain, squares
from icefire.audit.obstacles.standard_features import mean_and_deviation, varies
from icefire.kernels.types import Bool, Float
from icefire.regression.ridge import LinearModel, best_model

USED = (6, 30, 400)
"""How many features a model may use: those that correlate most."""
USED_PRODUCTS = 30
"""How many features may be used where products are among them."""
CLEAR_SHARE = 0.4
"""Where less is predicted, it is asked whether the features chosen also predict other rows."""
ROWS_OF_CURVE = 2
"""Rows for each feature of a curve, at least."""
FEWEST = 3
"""Rows that a model is learned from."""
LEAST_SHARE = 0.02
"""Share of the variance from which on a released column says something."""
STRANGE, MOST = 6.0, 0.6
"""Residuals so many times the usual one are strange, and the share of the rows that are not, at least."""
FINEST = 1e-6
"""Least standard deviation of residuals, in that of the column: equal values are not infinitely likelier."""


def model_of_column(shown: Float, known: KnownRows, own: str) -> tuple[Float, LinearModel]:
    """Return a released column on the scale on which it is predicted best, and the model."""
    best: tuple[Float, LinearModel] | None = None
    is_own = np.array([column_of(name) == own for name in known.names], np.bool_)
    for scale in (plain, logs, places, squares):
        scaled = scale(shown)
        if scaled is None or not varies(scaled):
            continue
        mean, deviation = mean_and_deviation(scaled)
        scaled, model = model_of_numbers((scaled - mean) / deviation, known, is_own)
        if best is None or model.share > best[1].share:
            best = scaled, model
    return best or (shown, _nothing(len(known.taught)))


def model_of_numbers(
    scaled: Float, known: KnownRows, is_own: Bool, used: tuple[int, ...] = USED
) -> tuple[Float, LinearModel]:
    """Return a released column of numbers, and its model learned from the rows that have a value."""
    some = ~np.isnan(scaled[known.taught])
    features = known.of_taught[some]
    outcome = scaled[known.taught[some]]
    model = _chosen(features, outcome, is_own, known, used)
    if LEAST_SHARE < model.share < CLEAR_SHARE:
        others = _share_of_others(features, outcome, is_own, known, used)
        model = model if others > LEAST_SHARE else _nothing(len(outcome))
    return scaled, model


def _share_of_others(features: Float, outcome: Float, is_own: Bool, known: KnownRows, used: tuple[int, ...]) -> float:
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


def _chosen(features: Float, outcome: Float, is_own: Bool, known: KnownRows, used: tuple[int, ...]) -> LinearModel:
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


def sources_of(model: LinearModel, known: KnownRows, most: int = 3) -> list[str]:
    """Name the original columns that move the prediction most."""
    moved: dict[str, float] = {}
    for place, coefficient in zip(model.features.tolist(), model.coefficients.tolist(), strict=True):
        feature = known.features[place]
        name = column_of(feature.name)
        moved[name] = moved.get(name, 0.0) + abs(coefficient) * feature.spread
    return sorted(moved, key=lambda name: -moved[name])[:most]


def gain_of(model: LinearModel) -> float:
    """Return the log-likelihood per row that a model adds."""
    return -0.5 * float(np.log(max(1.0 - model.share, FINEST**2)))


def spread_of(residuals: Float, scaled: Float) -> float:
    """Return the standard deviation of residuals; not less than `FINEST` of that of the column."""
    return max(float(np.sqrt((residuals**2).mean())), FINEST * float(np.nanstd(scaled)))
