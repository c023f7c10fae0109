"""Tables for the gate, and simple ways to change them: a personnel office, a club with few answers, a clinic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

import icefire
from icefire.core.scorecard import Verdict

ROWS = 300
QI = ("age", "sex", "job", "town")
SA = ("income", "rent", "food", "travel", "savings", "tax")
EVERY = (*QI, *SA)
NUMBER_COLUMNS = ("age", *SA)
STAFF: dict[str, Any] = {"qi": QI, "sa": SA}
CLUB: dict[str, Any] = {"qi": ("age_group", "branch"), "sa": ("sport",)}
CLINIC: dict[str, Any] = {"qi": ("sex", "year", "ward"), "sa": ("diagnosis", "days")}


def staff(seed: int = 5, rows: int = ROWS) -> pl.DataFrame:
    """People with correlated amounts, as a personnel office would hold them."""
    rng = np.random.default_rng(seed)
    wealth = rng.normal(0, 1, rows)
    amounts = {
        name: np.round(np.exp(8 + 0.2 * place + 0.5 * wealth + rng.normal(0, 0.6, rows))).astype(np.int64)
        for place, name in enumerate(SA)
    }
    return pl.DataFrame(
        {
            "age": rng.integers(18, 70, rows),
            "sex": rng.choice(["f", "m"], rows),
            "job": rng.choice([f"job {letter}" for letter in "abcdefgh"], rows),
            "town": rng.choice([f"town {number}" for number in range(12)], rows),
            **amounts,
        }
    )


def club(seed: int = 1, rows: int = ROWS) -> pl.DataFrame:
    """Few answers to few questions: rows are equal by coincidence."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age_group": rng.integers(0, 10, rows),
            "branch": rng.choice([f"branch {letter}" for letter in "abcde"], rows),
            "sport": rng.choice([f"sport {letter}" for letter in "abcdefghij"], rows),
        }
    )


def clinic(seed: int = 3, rows: int = ROWS) -> pl.DataFrame:
    """Text that is sensitive, dates, and what was ticked or left blank."""
    rng = np.random.default_rng(seed)
    ticks = {
        f"symptom {number}": pl.Series(np.where(rng.random(rows) < 0.4, "x", "")).replace("", None)
        for number in range(24)
    }
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], rows),
            "year": rng.integers(1930, 2005, rows),
            "ward": rng.choice([f"ward {number}" for number in range(9)], rows),
            "diagnosis": rng.choice([f"D{number:02d}" for number in range(40)], rows),
            "days": rng.integers(1, 60, rows),
            **ticks,
        }
    )


def with_number(table: pl.DataFrame, numbers: Any) -> pl.DataFrame:
    """The table with a number for everybody."""
    return table.with_columns(pl.Series("number", numbers))


def noisy(table: pl.DataFrame, scale: float, names: Sequence[str] = SA, seed: int = 1) -> pl.DataFrame:
    """Normal noise in numbers, in standard deviations."""
    rng = np.random.default_rng(seed)
    changed = []
    for name in names:
        values = table[name].to_numpy().astype(float)
        changed.append(pl.Series(name, values + rng.normal(0, scale * values.std(), len(values))))
    return table.with_columns(changed)


def moved_together(table: pl.DataFrame, names: Sequence[str], seed: int = 2) -> pl.DataFrame:
    """Columns moved to other rows as a whole: each row then holds the values of two people."""
    order = np.random.default_rng(seed).permutation(table.height)
    return table.with_columns(table[name].gather(order) for name in names)


def shuffled(table: pl.DataFrame, names: Sequence[str] | None = None, seed: int = 2) -> pl.DataFrame:
    """Columns shuffled independently; default all."""
    rng = np.random.default_rng(seed)
    chosen = table.columns if names is None else names
    return table.with_columns(table[name].gather(rng.permutation(table.height)) for name in chosen)


def strangers(rows: int = ROWS, seed: int = 7) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A correspondence that is not true."""
    return np.random.default_rng(seed).permutation(rows)


def judge(original: Any, released: Any, **options: Any) -> Verdict:
    """The verdict on a released table whose rows are in the order of the original, unless said otherwise."""
    if "truth" not in options and "key" not in options:
        options = {"aligned": True, **options}
    return icefire.audit(original, released, **options).scorecard.verdict


def judge_recipe(table: pl.DataFrame, roles: dict[str, Any], *steps: dict[str, Any], **options: Any) -> Verdict:
    """The verdict on what a recipe makes of a table."""
    release = icefire.anonymize(table, {"step": list(steps)}, **roles)
    return icefire.audit(table, release, **roles, **options).scorecard.verdict
