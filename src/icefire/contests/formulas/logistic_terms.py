"""Terms of a logistic regression on four fifths of a table, figure by figure."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from icefire.contests.formulas.column_statistics import parsed
from icefire.core.errors import UndefinedError
from icefire.kernels.types import Float, Int

TEST_SHARE = 0.2
SPLIT_SEED = 42
NO_VALUE = "(NA)"
STEPS = 100
CLOSE = 1e-8
EPSILON = float(np.finfo(float).eps)
NORMAL_95 = 1.959963984540054
BARELY = 1e-10
"""A singular value below this share of the largest is 0."""


def logistic_figures(frame: pl.DataFrame, target: str) -> dict[str, float]:
    """Return, for each term of the model of a target by all other columns, its six figures.

    These are the coefficient, its Wald p-value by the normal distribution, the logistic function of the coefficient and
    of both ends of its 95 % interval, and 1 - 1/VIF.

    Args:
        frame: The table, trimmed text.
        target: Column of 0 and 1.

    Returns:
        Figures by "figure: term".

    Raises:
        UndefinedError: If the target does not hold both 0 and 1, and nothing else.
    """
    outcome = parsed(frame[target])
    if set(np.unique(outcome)) != {0.0, 1.0}:
        raise UndefinedError(f"{target} must hold 0 and 1, both of them and nothing else")
    names, table = _terms(frame.drop(target))
    rows = training_rows(outcome.astype(np.int64))
    if not names:
        return {}
    beta, errors = _fitted(table[rows], outcome[rows])
    inflation = _shared_parts(table[rows])
    figures: dict[str, float] = {}
    for place, name in enumerate(names):
        coefficient, error = beta[place + 1], errors[place + 1]
        z = coefficient / error if error > 0 else math.inf
        ends = (coefficient - NORMAL_95 * error, coefficient + NORMAL_95 * error)
        figures |= {
            f"coef: {name}": float(coefficient),
            f"p: {name}": math.erfc(abs(z) / math.sqrt(2)),
            f"odds: {name}": _logistic(coefficient),
            f"low: {name}": _logistic(ends[0]),
            f"high: {name}": _logistic(ends[1]),
            f"inflation: {name}": float(inflation[place]),
        }
    return figures


def training_rows(outcome: Int) -> Int:
    """Return the rows a model is fitted on: four fifths of each class, drawn as the contest's script does.

    Args:
        outcome: Class of each row, 0 or 1.

    Returns:
        Rows in ascending order.
    """
    rng = np.random.RandomState(SPLIT_SEED)
    sizes = np.bincount(outcome, minlength=2).astype(np.int64)
    tested = math.ceil(TEST_SHARE * len(outcome))
    trained = _allotted(sizes, len(outcome) - tested, rng)
    _allotted(sizes - trained, tested, rng)
    chosen = []
    for number, count in enumerate(trained):
        members = np.flatnonzero(outcome == number)
        chosen.append(members[rng.permutation(len(members))[:count]])
    rows: Int = np.sort(np.concatenate(chosen)).astype(np.int64)
    return rows


def _allotted(sizes: Int, total: int, rng: np.random.RandomState) -> Int:
    """Divide a total among classes by their sizes; what rounding down leaves goes to the largest remainders."""
    if not sizes.sum():
        return np.zeros_like(sizes)
    exact = sizes / sizes.sum() * total
    counts = np.floor(exact)
    missing = int(total - counts.sum())
    if missing > 0:
        remainders = exact - counts
        for value in np.sort(np.unique(remainders))[::-1]:
            (tied,) = np.where(remainders == value)
            taken = min(len(tied), missing)
            counts[rng.choice(tied, size=taken, replace=False)] += 1
            missing -= taken
            if missing == 0:
                break
    whole: Int = counts.astype(np.int64)
    return whole


def _terms(frame: pl.DataFrame) -> tuple[list[str], Float]:
    """Return the terms by name and their values: numbers, and the values of text except the first."""
    names: list[str] = []
    columns: list[Float] = []
    for name in frame.columns:
        values = parsed(frame[name])
        if (~np.isnan(values)).any():
            names.append(name)
            columns.append(np.where(np.isnan(values), np.nanmedian(values), values))
            continue
        words = frame[name].replace("", NO_VALUE)
        for level in words.unique().sort().to_list()[1:]:
            names.append(f"{name}_{level}")
            columns.append((words == level).to_numpy().astype(np.float64))
    varying = [place for place, column in enumerate(columns) if column.min() < column.max()]
    table = np.column_stack([columns[place] for place in varying]) if varying else np.empty((frame.height, 0))
    return [names[place] for place in varying], table


def _fitted(table: Float, outcome: Float) -> tuple[Float, Float]:
    """Return coefficients and standard errors, the intercept first; of least norm where terms say the same.

    Where the terms separate the outcomes, coefficients grow with every step. They are then as the contest's script has
    them: the last step is the one that changes the deviance by no more than `CLOSE`; errors are those of its weights.
    """
    design = np.column_stack([np.ones(len(table)), table])
    beta, weight = np.zeros(design.shape[1]), np.zeros(len(design))
    mean = (outcome + 0.5) / 2
    eta = np.log(mean / (1 - mean))
    deviance = _deviance(outcome, mean)
    for _ in range(STEPS):
        weight = mean * (1 - mean)
        beta = _least_squares(design, eta + (outcome - mean) / weight, weight)
        eta = design @ beta
        mean = np.clip(1 / (1 + np.exp(-np.clip(eta, -500, 500))), EPSILON, 1 - EPSILON)
        before, deviance = deviance, _deviance(outcome, mean)
        if abs(deviance - before) <= CLOSE:
            break
    covariance = _pseudo_inverse((design * weight[:, None]).T @ design)
    return beta, np.sqrt(np.maximum(np.diag(covariance), 0))


def _deviance(outcome: Float, mean: Float) -> float:
    return -2 * float((outcome * np.log(mean) + (1 - outcome) * np.log(1 - mean)).sum())


def _least_squares(design: Float, target: Float, weight: Float) -> Float:
    root = np.sqrt(weight)
    solution: Float = np.linalg.pinv(design * root[:, None], rcond=1e-15) @ (target * root)
    return solution


def _pseudo_inverse(matrix: Float) -> Float:
    scale = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    scaled = matrix / np.outer(scale, scale)
    if np.linalg.matrix_rank(scaled, tol=BARELY) == len(matrix):
        inverse: Float = np.linalg.inv(scaled) / np.outer(scale, scale)
        return inverse
    return np.asarray(np.linalg.pinv(matrix))


def _shared_parts(table: Float) -> Float:
    """Return 1 - 1/VIF of each term: the share of its variance that the others explain; 0 where VIF is not finite."""
    centred = table - table.mean(axis=0)
    parts = np.zeros(table.shape[1])
    for place in range(table.shape[1]):
        own = centred[:, place]
        total = float(own @ own)
        if total <= 0 or table.shape[1] < 2:
            continue
        others = np.delete(centred, place, axis=1)
        solution = np.linalg.lstsq(others, own, rcond=None)[0]
        rest = own - others @ solution
        left = float(rest @ rest) / total
        if left > 1e-12:
            parts[place] = max(0.0, 1 - left)
    return parts


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0
