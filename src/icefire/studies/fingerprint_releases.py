"""Random releases whose methods are known: recipes for the study `p0-fingerprint` and for training its model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from icefire.audit.fingerprint.methods import NAMES, recognised_as
from icefire.core.dataset import Dataset, numbers
from icefire.core.errors import IcefireError
from icefire.core.release import Release
from icefire.core.schema import Kind, Role
from icefire.studies import households
from icefire.studies.fingerprint_tables import TableSource

RecipeStep = dict[str, Any]

LEAST_EFFECT = 0.01
"""A step that changes a smaller share of its columns' cells, or of the rows, leaves no trace and is not drawn."""
SIZES = (1, 2, 3)
SIZE_SHARES = (0.45, 0.35, 0.20)
ATTEMPTS = 20
SINGLE = 3
"""Every third release is by a single method."""

ORDER = (
    *("synthesize", "delete", "suppress_rows", "k_anonymize", "local_suppress", "pram", "shuffle", "average", "swap"),
    *("rank_swap", "noise", "microaggregate", "round_values", "top_code", "suppress_cells", "unify"),
)
"""Steps of a combination are in this order: each leaves the traces of those before it, except for HIDING."""

HIDING = {
    frozenset(names)
    for names in (
        *(
            ("synthesize", other)
            for other in (
                "delete",
                "suppress_rows",
                "swap",
                "rank_swap",
                "shuffle",
                "pram",
                "microaggregate",
                "average",
            )
        ),
        *(("k_anonymize", other) for other in ("local_suppress", "suppress_rows", "pram")),
        *(("local_suppress", other) for other in ("suppress_rows", "suppress_cells", "pram")),
        *(("delete", other) for other in ("suppress_rows",)),
        *(("noise", other) for other in ("swap", "rank_swap", "microaggregate", "average")),
        *(("average", other) for other in ("swap", "rank_swap", "microaggregate", "shuffle")),
        *(("shuffle", other) for other in ("swap", "rank_swap", "microaggregate")),
        *(("rank_swap", other) for other in ("swap", "microaggregate")),
        ("swap", "microaggregate"),
    )
}
"""Pairs of which one takes away the traces of the other, or leaves the same ones."""


@dataclass(frozen=True)
class MadeRelease:
    """A release, and the names under which its methods are recognised."""

    release: Release[Dataset]
    methods: frozenset[str]
    steps: Sequence[RecipeStep]


def random_release(
    original: Dataset, rng: np.random.Generator, size: int | None = None, hiding: bool = False
) -> MadeRelease | None:
    """Make a release by methods drawn at random; None where none of several attempts has an effect.

    Args:
        original: The table.
        rng: Source of all draws.
        size: How many methods. Default: one to three.
        hiding: Whether pairs in which a method hides another are allowed.
    """
    for _ in range(ATTEMPTS):
        count = int(rng.choice(SIZES, p=SIZE_SHARES)) if size is None else size
        names = [str(name) for name in rng.permutation(NAMES)[:count]]
        if not hiding and any(frozenset((a, b)) in HIDING for a in names for b in names if a < b or b < a):
            continue
        steps = [random_step(name, original, rng) for name in sorted(names, key=ORDER.index)]
        made_release = release_by(original, steps, int(rng.integers(1 << 30)))
        if made_release is not None:
            return made_release
    return None


def release_of(name: str, original: Dataset, rng: np.random.Generator) -> MadeRelease | None:
    """Make a release by one method, with parameters drawn at random."""
    for _ in range(ATTEMPTS):
        made_release = release_by(original, [random_step(name, original, rng)], int(rng.integers(1 << 30)))
        if made_release is not None:
            return made_release
    return None


def release_in_turn(tables: TableSource, seed: int, turn: int) -> tuple[Dataset, MadeRelease | None]:
    """Draw a table and a release of it: every third by a single method, in turn, the others at random."""
    rng = np.random.default_rng([seed, turn])
    original = tables(rng)
    if turn % SINGLE == 0:
        return original, release_of(NAMES[(turn // SINGLE) % len(NAMES)], original, rng)
    return original, random_release(original, rng)


def release_by(original: Dataset, steps: Sequence[RecipeStep], seed: int) -> MadeRelease | None:
    """Make a release; None where a step cannot run on the table or has no effect on it."""
    try:
        before = households.make_release(original, [], seed)
        for count in range(1, len(steps) + 1):
            after = households.make_release(original, steps[:count], seed)
            if effect(before, after) < LEAST_EFFECT:
                return None
            before = after
    except IcefireError:
        return None
    if before.released.height < max(20, original.height // 5):
        return None
    names = frozenset(str(recognised_as(step["method"])) for step in steps)
    return MadeRelease(before, names, steps)


def effect(before: Release[Dataset], after: Release[Dataset]) -> float:
    """Return the share of rows left out, or of the cells of the column that changed most."""
    gone = 1.0 - after.released.height / before.released.height
    place = np.full(int(before.truth.rows.max()) + 1, -1)
    place[before.truth.rows] = np.arange(len(before.truth.rows))
    old = before.released.frame[place[after.truth.rows]]
    shares = [_changed(old[name], after.released.frame[name]) for name in old.columns]
    return max([gone, *shares])


def _changed(before: pl.Series, after: pl.Series) -> float:
    """Return the share of cells that hold another value; 1 where there are more blanks, a trace in themselves."""
    if before.null_count() != after.null_count():
        return 1.0
    return float((before.cast(pl.String) != after.cast(pl.String)).fill_null(False).to_numpy().mean())


def random_step(name: str, data: Dataset, rng: np.random.Generator) -> RecipeStep:
    """Draw a method that goes by this name, and its parameters."""
    return STEPS_OF[name](data, rng)


def _numbers(data: Dataset, rng: np.random.Generator) -> dict[str, Any]:
    """Draw columns of numbers: all of the default, or some."""
    names = [c.name for c in data.schema.columns if c.kind is Kind.NUMBER and c.role in (Role.QI, Role.SA)]
    amounts = list(data.numeric_sa) or names
    if rng.random() < 0.7 or len(names) < 2:
        return {}
    pool = names if rng.random() < 0.3 else amounts
    return {"columns": _some(pool, rng)}


def _some(pool: Sequence[str], rng: np.random.Generator) -> list[str]:
    count = int(rng.integers(max(1, len(pool) // 3), len(pool) + 1))
    return [str(name) for name in rng.permutation(list(pool))[:count]]


def _uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return round(float(rng.uniform(low, high)), 3)


def _log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return round(float(np.exp(rng.uniform(np.log(low), np.log(high)))), 4)


def _classes(data: Dataset, rng: np.random.Generator) -> dict[str, Any]:
    """Draw quasi-identifiers with classes to work in: all, or few where all are unique."""
    if float(data.frame.select(data.qi).is_duplicated().to_numpy().mean()) > 0.3:
        return {}
    few = sorted(data.qi, key=lambda name: data.frame[name].n_unique())[: max(2, len(data.qi) // 3)]
    return {"qi": few}


def _k_anonymize(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    mode = {"mode": "full_domain"} if rng.random() < 0.3 else {}
    return {"method": "k_anonymize", "k": int(rng.integers(2, 11)), **mode}


def _local_suppress(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    wildcard = {"suppressed": "wildcard"} if rng.random() < 0.2 else {}
    return {"method": "local_suppress", "k": int(rng.integers(2, 6)), **wildcard}


def _suppress_cells(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    some = {} if rng.random() < 0.6 else {"columns": _some([*data.qi, *data.sa], rng)}
    return {"method": "suppress_cells", "share": _uniform(rng, 0.02, 0.3), **some}


def _unify(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    columns = [str(name) for name in rng.permutation(list(data.qi))[: int(rng.integers(1, 4))]]
    return {"method": "suppress_columns" if rng.random() < 0.3 else "unify", "columns": columns}


def _delete(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    if rng.random() < 0.7:
        return {"method": "delete", "share": _uniform(rng, 0.02, 0.5)}
    return {"method": "sample_rows", "share": _uniform(rng, 0.4, 0.95)}


def _suppress_rows(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    return {"method": "suppress_rows", "k": int(rng.integers(2, 6)), **_classes(data, rng)}


def _noise(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    kind = rng.choice(["noise", "noise", "noise", "laplace", "gaussian", "correlated_noise"])
    if kind == "noise":
        shape = str(rng.choice(["normal", "normal", "laplace", "uniform"]))
        return {"method": "noise", "scale": _log_uniform(rng, 0.03, 1.5), "distribution": shape, **_numbers(data, rng)}
    if kind == "correlated_noise":
        return {"method": "correlated_noise", "scale": _log_uniform(rng, 0.05, 1.0)}
    return {"method": str(kind), "epsilon": _log_uniform(rng, 3, 60), **_numbers(data, rng)}


def _round_values(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    how = {"how": str(rng.choice(["nearest", "nearest", "down", "up", "random"]))}
    columns = _numbers(data, rng)
    if rng.random() < 0.5 or not data.numeric_sa:
        return {"method": "round_values", **how, **columns}
    spread = max(_spread(data.frame[name]) for name in columns.get("columns", data.numeric_sa))
    base = float(rng.choice([1, 2, 2.5, 5])) * 10.0 ** np.floor(np.log10(max(spread, 1e-6) / 2))
    base = max(1.0, round(base)) if spread > 4 else base
    return {"method": "round_values", "base": float(base), **how, **columns}


def _spread(column: pl.Series) -> float:
    return float(np.nanstd(numbers(column), ddof=1))


def _top_code(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    columns = _numbers(data, rng)
    if rng.random() < 0.6:
        return {"method": "top_code", "quantile": _uniform(rng, 0.8, 0.98), **columns}
    return {"method": "bottom_code", "quantile": _uniform(rng, 0.02, 0.2), **columns}


def _microaggregate(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    algorithm = str(rng.choice(["mdav", "mdav", "vmdav", "univariate"]))
    return {"method": "microaggregate", "k": int(rng.integers(2, 9)), "algorithm": algorithm, **_numbers(data, rng)}


def _average(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    return {"method": "average", **_classes(data, rng)}


def _swap(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    return {"method": "swap", **_classes(data, rng)}


def _rank_swap(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    return {"method": "rank_swap", "p": _log_uniform(rng, 2, 30), **_numbers(data, rng)}


def _shuffle(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    together = {"together": True} if rng.random() < 0.3 else {}
    pool = data.sa if rng.random() < 0.7 else data.qi
    return {"method": "shuffle", "columns": _some(pool or data.qi, rng), **together}


def _pram(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    method = "pram" if rng.random() < 0.7 else "randomized_response"
    columns = {} if rng.random() < 0.7 else {"columns": _some(data.qi, rng)}
    return {"method": method, "keep": _uniform(rng, 0.3, 0.95), **columns}


def _synthesize(data: Dataset, rng: np.random.Generator) -> RecipeStep:
    exact = {"least": 0} if rng.random() < 0.4 else {}
    return {"method": "synthesize", **exact}


STEPS_OF: dict[str, Callable[[Dataset, np.random.Generator], RecipeStep]] = {
    "k_anonymize": _k_anonymize,
    "local_suppress": _local_suppress,
    "suppress_cells": _suppress_cells,
    "unify": _unify,
    "delete": _delete,
    "suppress_rows": _suppress_rows,
    "noise": _noise,
    "round_values": _round_values,
    "top_code": _top_code,
    "microaggregate": _microaggregate,
    "average": _average,
    "swap": _swap,
    "rank_swap": _rank_swap,
    "shuffle": _shuffle,
    "pram": _pram,
    "synthesize": _synthesize,
}
