"""What every method, measure and attack on histories must hold to; `icefire.testing` runs it by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from icefire.core import seeds
from icefire.core.dataset import ORIGIN
from icefire.core.errors import IcefireError, UndefinedError
from icefire.core.history import Fields, History, HistoryCase, HistoryComparison, publish
from icefire.core.history.publishing import with_origin
from icefire.core.registry import Entry
from icefire.core.release import Truth
from icefire.testing import attacks

FULL = Fields("customer", "goods", "receipt", "date", "time", "price", "number")


def check(entry: Entry) -> None:
    """Run the contract of this entry's sort on histories with all columns and with the two needed ones only."""
    checks: dict[str, Callable[[Entry, HistoryComparison], None]] = {
        "method": _check_method,
        "measure": _check_measure,
        "attack": _check_attack,
    }
    for comparison in examples():
        if all(comparison.original.has(need) for need in entry.needs if need not in ("original", "truth")):
            checks[entry.sort](entry, comparison)


def examples() -> list[HistoryComparison]:
    """Small releases: unchanged, with rows gone, with a customer who bought nothing, with two columns only."""
    full = _history(14, FULL)
    bare = History(full.frame.select("customer", "goods"), Fields("customer", "goods"))
    empty = full.with_customers(
        pl.DataFrame({"customer": [*full.names, "nobody"], "sex": ["f", "m"] * 7 + ["f"], "country": ["Here"] * 15})
    )
    made = []
    for number, data in enumerate((full, bare, empty)):
        carried = with_origin(data)
        kept = carried.take(np.flatnonzero(np.arange(data.height) % 4 != number))
        release = publish(kept, data.names, {}, number)
        made.append(HistoryComparison(HistoryCase(data, release.released), release.truth))
    return made


def _history(subjects: int, fields: Fields) -> History:
    rng = np.random.default_rng(3)
    rows = 12 * subjects
    who = np.concatenate([np.arange(subjects), rng.integers(0, subjects, rows - subjects)])
    visit = rng.integers(0, 4, rows)
    frame = pl.DataFrame(
        {
            "customer": [f"c{code:02d}" for code in who],
            "receipt": [f"r{code}-{v}" for code, v in zip(who, visit, strict=True)],
            "date": [f"2020/{1 + v}/{1 + code % 28}" for code, v in zip(who, visit, strict=True)],
            "time": ["9:30"] * rows,
            "goods": [f"g{int(g)}" for g in rng.geometric(0.12, rows)],
            "price": rng.integers(1, 40, rows) / 4,
            "number": rng.integers(1, 6, rows),
        }
    )
    return History(frame, fields)


def _same(entry: Entry, tables: list[History], run: Callable[[], Any]) -> Any:
    before = [table.frame.clone() for table in tables]
    result = run()
    for table, copy in zip(tables, before, strict=True):
        assert table.frame.equals(copy), f"{entry.name}: the histories handed in are not changed"
    return result


def _check_method(entry: Entry, comparison: HistoryComparison) -> None:
    data = with_origin(comparison.original)

    def run(on: History) -> History:
        made: History = entry.function(on, rng=seeds.generator(1, entry.name), **entry.bind({}))
        return made

    made = _same(entry, [data], lambda: run(data))
    assert isinstance(made, History), f"{entry.name}: a method returns a History"
    assert made.fields == data.fields, f"{entry.name}: a method keeps the meaning of the columns"
    assert made.frame.columns == data.frame.columns, f"{entry.name}: a method keeps the columns, origin included"
    assert made.height > 0, f"{entry.name}: some rows remain"
    assert set(made.frame[ORIGIN]) <= set(range(data.subjects)), f"{entry.name}: every row has an origin"
    owners = made.frame.group_by(made.fields.subject).agg(pl.col(ORIGIN).n_unique())
    assert (owners[ORIGIN] == 1).all(), f"{entry.name}: the rows of a subject have one origin"
    again = run(data)
    assert made.frame.equals(again.frame), f"{entry.name}: the same seed gives the same rows"
    if made.customers is not None:
        assert again.customers is not None
        assert made.customers.equals(again.customers), f"{entry.name}: the same seed gives the same customers"
    for rows in (0, 1):
        _survives(entry, data.take(np.arange(rows)))


def _survives(entry: Entry, data: History) -> None:
    """Run on next to nothing: a history comes back, or an error in words."""
    try:
        made = entry.function(data, rng=seeds.generator(1, entry.name), **entry.bind({}))
    except IcefireError:
        return
    assert made.frame.columns == data.frame.columns, f"{entry.name}: {data.height} rows keep their columns"


def _check_measure(entry: Entry, comparison: HistoryComparison) -> None:
    def run(on: HistoryComparison) -> float | None:
        try:
            return float(entry.function(on, **entry.bind({})))
        except UndefinedError:
            return None

    value = _same(entry, [comparison.original, comparison.released], lambda: run(comparison))
    assert value is None or np.isfinite(value), f"{entry.name}: a measure is finite, or says it is undefined"
    assert value == run(comparison), f"{entry.name}: the same histories give the same value"
    if entry.better == "lower" and "original" in entry.needs:
        same = HistoryCase(comparison.original, comparison.original)
        best = run(HistoryComparison(same, Truth(np.arange(comparison.original.subjects))))
        assert best is not None, f"{entry.name}: is defined for an unchanged history"
        assert abs(best) < 1e-12, f"{entry.name}: an unchanged history has no error"


def _check_attack(entry: Entry, comparison: HistoryComparison) -> None:
    original, released = comparison.original, comparison.released
    if "customers" in entry.needs and released.customers is None:
        return
    attacks.says_what_it_knows(entry)
    attacks.answers(entry, lambda: HistoryCase(original, released), [original, released])
