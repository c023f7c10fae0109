"""Synthetic tables of another make: people in groups with habits of their own, nested places, derived amounts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from icefire.core import roles
from icefire.core.dataset import Dataset
from training.fingerprint.tables import with_gaps

Column = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def population_table(rng: np.random.Generator) -> Dataset:
    """Draw a table of 150 to 3,000 rows with one to twelve quasi-identifiers and one to ten sensitive attributes."""
    rows = int(np.exp(rng.uniform(np.log(150), np.log(3000))))
    groups = int(rng.integers(2, 13))
    group = rng.choice(groups, rows, p=rng.dirichlet(np.full(groups, 1.5)))
    qi = _quasi_identifiers(group, int(rng.integers(1, 11)), rng)
    sa = _amounts(group, int(rng.integers(1, 9)), rng)
    if rng.random() < 0.4:
        sa["answer"] = _names(_habit(group, int(rng.integers(2, 9)), rng), "r")
    numbers = [column for column in sa.values() if column.dtype.kind in "if"]
    if rng.random() < 0.3 and len(numbers) > 1:
        sa["total"] = np.round(np.sum(numbers, axis=0), 2)
    frame = pl.DataFrame({**qi, **sa})
    if rng.random() < 0.15:
        frame = _households(frame, len(qi), rng)
    if rng.random() < 0.25:
        frame = with_gaps(frame, rng)
    return Dataset(frame, roles.choose(frame, list(qi), list(sa)), "training")


def _habit(group: np.ndarray, count: int, rng: np.random.Generator, skew: float | None = None) -> np.ndarray:
    """Draw a code for each person from the frequencies of their group."""
    shared = rng.dirichlet(np.full(count, rng.uniform(0.3, 3.0) if skew is None else skew))
    strength = rng.uniform(1.0, 60.0)
    codes = np.empty(len(group), np.int64)
    for one in np.unique(group):
        inside = group == one
        codes[inside] = rng.choice(count, int(inside.sum()), p=rng.dirichlet(np.maximum(shared * strength, 1e-3)))
    return codes


def _names(codes: np.ndarray, letter: str) -> np.ndarray:
    return np.array([f"{letter}{code}" for code in range(int(codes.max()) + 1)])[codes]


def _quasi_identifiers(group: np.ndarray, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    columns: dict[str, np.ndarray] = {}
    for place in range(count):
        draw = QUASI_IDENTIFIERS[int(rng.integers(len(QUASI_IDENTIFIERS)))]
        columns[f"q{place}"] = draw(group, rng)
    if rng.random() < 0.3:
        region = _habit(group, int(rng.integers(2, 7)), rng)
        columns |= {"region": _names(region, "R"), "town": _names(region * 9 + _habit(region, 9, rng), "T")}
    return columns


def _category(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return _names(_habit(group, int(rng.integers(2, 18)), rng), "c")


def _mostly_one(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One value for most people, rare ones for the others."""
    usual = rng.random(len(group)) < rng.uniform(0.6, 0.95)
    return _names(np.where(usual, 0, _habit(group, int(rng.integers(2, 35)), rng)), "n")


def _postcode(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    codes = _habit(group, int(rng.integers(15, 120)), rng, 0.5)
    return np.array([f"{code * 37 % 1000:05d}" for code in range(int(codes.max()) + 1)])[codes]


def _code(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return _habit(group, int(rng.integers(2, 12)), rng) + 1


def _age(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    middle = rng.uniform(20, 70, int(group.max()) + 1)
    return np.clip(np.rint(rng.normal(middle[group], rng.uniform(4, 18))), 0, 99).astype(np.int64)


def _year(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return 2005 - _age(group, rng)


def _band(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Ages in bands of five or ten years, as text."""
    width = int(rng.choice([5, 10]))
    low = _age(group, rng) // width * width
    return np.array([f"{start}-{start + width - 1}" for start in low.tolist()])


def _flag(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.array(["no", "yes"])[_habit(group, 2, rng)]


def _count(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.poisson(np.exp(rng.normal(0.3, 0.6, int(group.max()) + 1))[group]).astype(np.int64)


QUASI_IDENTIFIERS: tuple[Column, ...] = (
    *(_category, _category, _mostly_one, _postcode, _code, _age, _age, _year, _band, _flag, _count),
)


def _amounts(group: np.ndarray, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    columns: dict[str, np.ndarray] = {}
    for place in range(count):
        draw = AMOUNTS[int(rng.integers(len(AMOUNTS)))]
        columns[f"s{place}"] = draw(group, rng)
    return columns


def _level(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A normal score with a mean of its own in each group."""
    return rng.normal(rng.normal(0.0, rng.uniform(0.2, 1.5), int(group.max()) + 1)[group], 1.0)


def _wage(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.rint(10.0 ** rng.uniform(2, 5) * np.exp(rng.uniform(0.2, 0.8) * _level(group, rng))).astype(np.int64)


def _price(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Prices, many of which end alike."""
    plain = np.exp(rng.uniform(0.3, 1.3) * _level(group, rng) + rng.uniform(0, 4))
    return np.where(rng.random(len(group)) < rng.uniform(0, 0.7), np.ceil(plain) - 0.01, np.round(plain, 2))


def _balance(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.round(10.0 ** rng.uniform(1, 4) * (_level(group, rng) + rng.uniform(-0.5, 1.5)), int(rng.integers(0, 3)))


def _long_tail(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.floor(rng.pareto(rng.uniform(0.8, 3.0), len(group)) * 10.0 ** rng.uniform(0, 3)).astype(np.int64)


def _seldom(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    paid = rng.random(len(group)) < rng.uniform(0.02, 0.5, int(group.max()) + 1)[group]
    return np.where(paid, _wage(group, rng), 0)


def _opinion(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return _habit(group, int(rng.integers(2, 8)), rng) + int(rng.integers(0, 2))


def _rate(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.round(100.0 / (1.0 + np.exp(-_level(group, rng))), int(rng.integers(0, 2)))


def _exact(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(1, 100) + rng.uniform(0.5, 30) * _level(group, rng)


def _limited(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cut off by nature at both ends."""
    return np.clip(np.round(2.5 + 1.5 * _level(group, rng), int(rng.integers(0, 3))), 0.0, 5.0)


def _visits(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.negative_binomial(rng.uniform(0.5, 4), rng.uniform(0.05, 0.6), len(group)).astype(np.int64)


AMOUNTS: tuple[Column, ...] = (
    *(_wage, _wage, _price, _balance, _long_tail, _seldom, _opinion, _rate, _exact, _limited, _visits),
)


def _households(frame: pl.DataFrame, quasi_identifiers: int, rng: np.random.Generator) -> pl.DataFrame:
    """Give some rows the quasi-identifiers of another one, as members of one household have."""
    same = np.where(
        rng.random(frame.height) < 0.4, rng.integers(0, frame.height, frame.height), np.arange(frame.height)
    )
    names = frame.columns[: max(1, quasi_identifiers // 2)]
    return frame.with_columns(frame[name][same] for name in names)
