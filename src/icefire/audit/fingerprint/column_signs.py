"""TraceFigures of one column that need no matching of rows: its values, their number, their limits, their steps."""

from __future__ import annotations

import numpy as np

from icefire.audit.fingerprint.pairs import ColumnPair
from icefire.kernels.types import Float, Int

TraceFigures = dict[str, float]

OFTEN = 3
"""A value occurs often from this number on: the smallest group of a method that averages by default."""
TENTHS = 10
LEAST_EXPECTED = 5
"""Rarer values are counted together where frequencies are compared."""
DECIMALS = 6
STEPS = tuple(step * 10.0**power for power in range(-3, 7) for step in (1.0, 2.0, 5.0))
WIDEST_STEP = 2.0
"""Steps beyond this many standard deviations are no rounding but a constant."""


def value_figures(column: ColumnPair) -> TraceFigures:
    """Return how the values of a column occur in both tables."""
    x, y = column.x_counts, column.y_counts
    filled = max(1, int(y.sum()))
    new = (x == 0) & (y > 0)
    repeated = new & (y >= OFTEN)
    return {
        "kept": float(y[x > 0].sum()) / filled,
        "excess": float(np.maximum(y - x, 0).sum()) / filled,
        "blank": float((column.y < 0).mean() - (column.x < 0).mean()),
        "distinct": float((y > 0).sum() / max(1, (x > 0).sum())),
        "constant": float((y > 0).sum() == 1 < (x > 0).sum()),
        "new_repeated": float(y[repeated].sum()) / filled,
        "new_single": float((y[new] == 1).sum()) / filled,
        "new_times": float(np.log2(np.median(y[new]))) if new.any() else 0.0,
        "resampled": _resampled(x, y),
        **_redrawn(*_coarse(column)),
    }


def _resampled(x: Int, y: Int) -> float:
    """Return how much the frequencies differ, as a multiple of what drawing anew from the original would leave."""
    shares = x / max(1, x.sum())
    expected = 0.4 * np.sqrt(max(1, y.sum()) * shares * (1 - shares)).sum()
    return float(min(np.maximum(y - shares * y.sum(), 0).sum() / max(expected, 1e-9), 20.0))


def _coarse(column: ColumnPair) -> tuple[Int, Int]:
    """Count values by tenths of the original's numbers, or by category: later small changes do not matter there."""
    if column.x_numbers is None or column.y_numbers is None:
        return column.x_counts, column.y_counts
    x, y = (side[~np.isnan(side)] for side in (column.x_numbers, column.y_numbers))
    borders = np.unique(np.quantile(x, np.linspace(0, 1, TENTHS + 1)[1:-1]))
    counts = [np.bincount(np.searchsorted(borders, side, "left"), minlength=TENTHS) for side in (x, y)]
    return counts[0], counts[1]


def _redrawn(x: Int, y: Int) -> TraceFigures:
    """Return chi-square of the frequencies by its degrees of freedom: about 1 if drawn anew, 0 if only exchanged."""
    common = x >= LEAST_EXPECTED
    before, after = (np.append(side[common], side[~common].sum()).astype(float) for side in (x, y))
    present = before > 0
    before, after = before[present], after[present]
    freedom = len(before) - 1
    if freedom < 1 or not after.sum():
        return {"redrawn": float("nan"), "freedom": 0.0}
    expected = before * after.sum() / before.sum()
    return {
        "redrawn": float(min(((after - expected) ** 2 / expected).sum() / freedom, 20.0)),
        "freedom": float(freedom),
    }


def number_figures(column: ColumnPair) -> TraceFigures:
    """Return how the numbers of a column lie in both tables."""
    assert column.x_numbers is not None
    assert column.y_numbers is not None
    x, y = (np.sort(side[~np.isnan(side)]) for side in (column.x_numbers, column.y_numbers))
    spread = float(x.std()) or 1.0
    middle = float(np.median(x))
    upper, upper_y = (float(np.quantile(side, 0.98)) - middle for side in (x, y))
    lower, lower_y = (middle - float(np.quantile(side, 0.02)) for side in (x, y))
    return {
        "top_mass": _mass_gain(y, x, -1),
        "top_fit": _coding_fit(x, y),
        "bottom_mass": _mass_gain(y, x, 0),
        "bottom_fit": _coding_fit(-x[::-1], -y[::-1]),
        "beyond": float(((y < x[0]) | (y > x[-1])).mean()),
        "upper_tail": upper_y / upper if upper > 0 else 1.0,
        "lower_tail": lower_y / lower if lower > 0 else 1.0,
        "spread": float(y.std()) / spread,
        "mean_shift": abs(float(y.mean() - x.mean())) / spread * float(np.sqrt(len(x))),
        "step": _step_gain(x, y),
        "roundness": _roundness(x, y, spread),
        "fraction": _fractions(y) - _fractions(x),
    }


def _mass_gain(y: Float, x: Float, end: int) -> float:
    """Return how much more of the column lies at its own end than in the original."""
    at_end = int((y == y[end]).sum())
    return float(at_end / len(y) - (x == x[end]).mean()) if at_end >= OFTEN else 0.0


def _coding_fit(x: Float, y: Float) -> float:
    """Return how well the release's largest value holds exactly the originals from there on: 1 for top coding.

    0 where the largest value is not below that of the original, or occurs less than three times more than there.
    """
    limit = y[-1]
    seen, expected, before = (y == limit).mean(), (x >= limit).mean(), (x == limit).mean()
    if limit >= x[-1] or (seen - before) * len(y) < OFTEN:
        return 0.0
    return float(min(seen, expected) / max(seen, expected))


def _step_gain(x: Float, y: Float) -> float:
    """Return by how many powers of ten the step of all values has grown."""
    steps = [_common_step(side) for side in (x, y)]
    if steps[1] == 0:
        return -1.0 if steps[0] > 0 else 0.0
    return float(np.clip(np.log10(steps[1] / max(steps[0], 10.0**-DECIMALS)), -1.0, 6.0))


def _common_step(values: Float) -> float:
    """Return the largest number of which all values are multiples; 0 where there is none."""
    distinct = np.unique(values)
    if len(distinct) < 3 or np.abs(distinct).max() > 1e12:
        return 0.0
    for digits in range(DECIMALS):
        scaled = distinct * 10.0**digits
        whole = np.rint(scaled)
        if np.abs(scaled - whole).max() < 1e-6 * max(1.0, 10.0 ** (digits - 6)):
            return float(np.gcd.reduce(whole.astype(np.int64))) / 10.0**digits
    return 0.0


def _roundness(x: Float, y: Float, spread: float) -> float:
    """Return the largest gain in the share of values other than 0 that are multiples of a usual step."""
    a, b = x[x != 0], y[y != 0]
    if not len(a) or not len(b):
        return 0.0
    steps = [step for step in STEPS if step < WIDEST_STEP * spread]
    gains = [_multiples(b, step) - _multiples(a, step) for step in steps]
    return max([0.0, *gains])


def _multiples(values: Float, step: float) -> float:
    parts = values / step
    return float((np.abs(parts - np.rint(parts)) < 1e-6 * np.maximum(1.0, np.abs(parts) * 1e-6)).mean())


def _fractions(values: Float) -> float:
    """Return the share of values that are not whole."""
    return float((values != np.rint(values)).mean())


def ranks_in(sorted_values: Float, values: Float) -> Float:
    """Return the middle rank of values in a sorted column, from 0 to 1."""
    first, last = np.searchsorted(sorted_values, values, "left"), np.searchsorted(sorted_values, values, "right")
    places: Float = (first + last) / (2.0 * max(1, len(sorted_values)))
    return places


def association_figures(columns: list[ColumnPair]) -> list[TraceFigures]:
    """Return for each column how much of its correlation with the others is kept: 1 all, 0 none.

    Numbers count by rank; a category counts as being the most frequent one of the original or not.
    """
    x, y = (np.column_stack([_score(column, side) for column in columns]) for side in ("x", "y"))
    before, after = _correlations(x), _correlations(y)
    is_qi = np.array([column.is_qi for column in columns])
    figures = []
    for place in range(len(columns)):
        others = np.arange(len(columns)) != place
        figures.append(
            {
                "tie_qi": _kept_share(before[place], after[place], others & is_qi, len(x)),
                "tie_other": _kept_share(before[place], after[place], others & ~is_qi, len(x)),
            }
        )
    return figures


def _score(column: ColumnPair, side: str) -> Float:
    codes: Int = column.x if side == "x" else column.y
    if column.numeric:
        ranks = ranks_in(np.sort(codes[codes >= 0]).astype(float), codes.astype(float))
        return np.where(codes < 0, np.nan, ranks)
    commonest = int(column.x_counts.argmax())
    return np.where(codes < 0, np.nan, (codes == commonest).astype(float))


def _correlations(scores: Float) -> Float:
    present = ~np.isnan(scores)
    sums = np.where(present, scores, 0.0).sum(axis=0)
    centred = np.where(present, scores - sums / np.maximum(present.sum(axis=0), 1), 0.0)
    spread = np.sqrt((centred**2).mean(axis=0))
    correlations: Float = centred.T @ centred / len(scores) / np.maximum(np.outer(spread, spread), 1e-12)
    return correlations


def _kept_share(before: Float, after: Float, others: Int, rows: int) -> float:
    """Return the slope of correlations after on correlations before; NaN where there were none to keep."""
    old, new = before[others], after[others]
    strength = float((old**2).sum())
    if strength < 2.0 * max(1, int(others.sum())) / rows:
        return float("nan")
    return float(np.clip((old * new).sum() / strength, -0.5, 1.5))
