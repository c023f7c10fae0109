"""The contract of measures and attacks that run on tables in parts: the same answers, row by row, as in one process."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl

from icefire.core import seeds
from icefire.core.errors import UndefinedError
from icefire.core.history import History
from icefire.core.registry import Entry
from icefire.core.release import Comparison, Guess
from icefire.engines.basket_files import HistoryMemory
from icefire.engines.coding import code_tables
from icefire.engines.histories import PartitionedHistories
from icefire.engines.memory import MemoryPlan
from icefire.engines.partitioned import PartitionedTables
from icefire.engines.raw_histories import RawHistory
from icefire.engines.raw_tables import PolarsTable
from icefire.engines.tables import EngineTables, JudgedTables
from icefire.testing.examples import Example

TINY = MemoryPlan(batch_rows=7, bucket_rows=6, working=1 << 30)
"""So little that the smallest examples have several batches and buckets, and classes are cut."""
TINY_PIECES = HistoryMemory(batch_rows=50, piece_rows=60)
"""So little that the smallest histories have several batches and pieces."""
RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""Sums of floats in another order may differ by so much; whole numbers and answers never differ."""


def check_engines(entry: Entry, examples: Sequence[Example]) -> None:
    """Check that what says it runs in parts gives the same in tiny buckets on disk as in one process."""
    if entry.in_parts is None:
        return
    if entry.data == "history":
        for example in examples:
            _check_histories(entry, example)
        return
    for example in examples:
        tables = in_tiny_buckets(example.original.frame, example.released.frame, example.original.schema)
        try:
            check_in_parts(entry, example.comparison(), tables)
        finally:
            tables.close()


def _check_histories(entry: Entry, example: Example) -> None:
    case = example.case()
    parts = in_tiny_pieces(case.known, case.released)
    assert entry.in_parts is not None
    try:
        whole = entry.function(case, rng=seeds.generator(1, entry.name), **entry.bind({}))
        _check_answers(entry, whole, entry.in_parts(parts, rng=seeds.generator(1, entry.name), **entry.bind({})))
    finally:
        parts.close()


def in_tiny_pieces(original: History, released: History) -> PartitionedHistories:
    """Return two histories in pieces of a few subjects."""
    known, shown = (
        RawHistory(
            side.frame.lazy(),
            side.fields,
            customers=None if side.customers is None else side.names,
        )
        for side in (original, released)
    )
    return PartitionedHistories(known, shown, TINY_PIECES)


def in_tiny_buckets(original: pl.DataFrame, released: pl.DataFrame, schema: Any) -> PartitionedTables:
    """Return two tables in buckets of a few rows."""
    x, y = PolarsTable(original.lazy(), "original"), PolarsTable(released.lazy(), "released")
    return PartitionedTables(x, y, code_tables(x, y, schema), TINY)


def check_in_parts(entry: Entry, comparison: Comparison, tables: EngineTables, **given: Any) -> None:
    """Check one measure or attack on tables that an engine holds against the same tables in one process."""
    parameters = entry.bind(given)
    assert entry.in_parts is not None, f"{entry.name}: runs on the engine local alone"
    if entry.sort == "attack":
        whole = entry.function(comparison.case, rng=seeds.generator(1, entry.name), **parameters)
        parts = entry.in_parts(tables, rng=seeds.generator(1, entry.name), **parameters)
        _check_answers(entry, whole, parts)
        return
    judged, in_parts = JudgedTables(tables, comparison.truth.rows), entry.in_parts
    value = _value(lambda: entry.function(comparison, **parameters))
    results = _value(lambda: in_parts(judged, **parameters))
    equal = (
        value == results
        if value is None or results is None
        else math.isclose(value, results, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    )
    assert equal, f"{entry.name}: {value} in one process, {results} in parts"


def _check_answers(entry: Entry, whole: Guess, parts: Guess) -> None:
    other = np.flatnonzero((whole.rows != parts.rows).any(axis=1))
    assert not len(other), (
        f"{entry.name}: {len(other)} answers differ in parts; the first is about row {other[0]}: "
        f"{whole.rows[other[0]]} in one process, {parts.rows[other[0]]} in parts"
    )


def _value(compute: Callable[[], float]) -> float | None:
    try:
        return float(compute())
    except UndefinedError:
        return None
