"""What every method, measure and attack must keep, ours and yours.

Plug-in authors run it in their own tests:

    from icefire import contract
    contract.check("attack", "my_attack")

A broken promise raises `AssertionError` with the promise in words.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from icefire import recipe
from icefire.core import registry, roles, seeds
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.errors import IcefireError, UndefinedError
from icefire.core.registry import Entry, Sort
from icefire.core.release import Case, Comparison, Truth
from icefire.testing import attacks, histories, membership


def check(sort: Sort, name: str) -> None:
    """Check one registered function on small tables: plain, with missing values, and with rows gone."""
    entry = registry.get(sort, name)
    _check_description(entry)
    if entry.data == "history":
        histories.check(entry)
        return
    if entry.question == "membership":
        membership.check(entry)
        return
    for comparison in examples():
        _CHECKS[sort](entry, comparison)


def examples() -> list[Comparison]:
    """Small releases that between them have ties, missing values, text, deleted rows and a constant column."""
    plain = _table()
    holes = plain.with_frame(
        plain.frame.with_columns(
            pl.when(pl.int_range(pl.len()) % 5 == 0).then(None).otherwise(pl.col(name)).alias(name)
            for name in ("age", "job", "income")
        )
    )
    steps = ([{"method": "noise", "scale": 0.3}], [{"method": "delete", "share": 0.3}, {"method": "swap"}])
    made = [recipe.run(table, recipe.load({"steps": list(s)})) for table in (plain, holes) for s in steps]
    tables = [table for table in (plain, holes) for _ in steps]
    return [Comparison(Case(x, r.released), r.truth) for x, r in zip(tables, made, strict=True)]


def _table(rows: int = 40) -> Dataset:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 24, rows),
            "job": rng.choice(["cook", "nurse", "smith"], rows),
            "town": ["Here"] * rows,
            "income": rng.integers(0, 50, rows) * 100,
            "rent": rng.normal(500, 90, rows).round(2),
            "tax": [7] * rows,
        }
    )
    return Dataset(frame, roles.choose(frame, ("age", "job", "town"), ("income", "rent", "tax")))


def _check_description(entry: Entry) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", entry.name), f"{entry.name}: a name is lower case with underscores"
    assert entry.summary.endswith("."), f"{entry.name}: the docstring begins with one sentence that ends in a period"
    for parameter in entry.parameters.values():
        assert parameter.default is not inspect.Parameter.empty, f"{entry.name}: {parameter.name} has a default"


def _unchanged(entry: Entry, tables: list[Dataset], run: Callable[[], Any]) -> Any:
    """Run twice: the same result both times, and the tables handed in stay as they are."""
    before = [table.frame.clone() for table in tables]
    result = run()
    for table, copy in zip(tables, before, strict=True):
        assert table.frame.equals(copy), f"{entry.name}: the tables handed in are not changed"
    return result


def _check_method(entry: Entry, comparison: Comparison) -> None:
    data = comparison.original
    data = data.with_frame(data.frame.with_columns(pl.Series(ORIGIN, np.arange(data.height))))

    def run() -> Dataset:
        made: Dataset = entry.function(data, rng=seeds.generator(1, entry.name), **entry.bind({}))
        return made

    made = _unchanged(entry, [data], run)
    assert isinstance(made, Dataset), f"{entry.name}: a method returns a Dataset"
    assert made.schema == data.schema, f"{entry.name}: a method keeps the schema"
    assert made.frame.columns == data.frame.columns, f"{entry.name}: a method keeps the columns, origin included"
    assert 0 < made.height <= data.height, f"{entry.name}: some rows remain, and none is added"
    assert set(made.frame[ORIGIN]) <= set(range(data.height)), f"{entry.name}: every row has an origin"
    assert made.frame.equals(run().frame), f"{entry.name}: the same seed gives the same table"
    for rows in (0, 1):
        _survives(entry, data.take(np.arange(rows)))


def _survives(entry: Entry, data: Dataset) -> None:
    """Run on next to nothing: a table comes back, or an error in words."""
    try:
        made = entry.function(data, rng=seeds.generator(1, entry.name), **entry.bind({}))
    except IcefireError:
        return
    assert made.height <= data.height, f"{entry.name}: none of {data.height} rows is added to"
    assert made.frame.columns == data.frame.columns, f"{entry.name}: {data.height} rows keep their columns"


def _check_measure(entry: Entry, comparison: Comparison) -> None:
    def run(on: Comparison) -> float | None:
        try:
            return float(entry.function(on, **entry.bind({})))
        except UndefinedError:
            return None

    tables = [comparison.original, comparison.released]
    value = _unchanged(entry, tables, lambda: run(comparison))
    assert value is None or np.isfinite(value), f"{entry.name}: a measure is finite, or says it is undefined"
    assert value == run(comparison), f"{entry.name}: the same tables give the same value"
    if entry.better == "lower" and "original" in entry.needs:
        same = Case(comparison.original, comparison.original)
        best = run(Comparison(same, Truth(np.arange(comparison.original.height))))
        assert best is not None, f"{entry.name}: is defined for an unchanged table"
        assert abs(best) < 1e-12, f"{entry.name}: an unchanged table has no error"


def _check_attack(entry: Entry, comparison: Comparison) -> None:
    original, released = comparison.original, comparison.released
    attacks.says_what_it_knows(entry)
    attacks.answers(entry, lambda: Case(original, released), [original, released])


_CHECKS: dict[Sort, Callable[[Entry, Comparison], None]] = {
    "method": _check_method,
    "measure": _check_measure,
    "attack": _check_attack,
}
