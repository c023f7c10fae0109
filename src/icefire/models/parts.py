"""Privacy models measured on a table in parts: the value of the worst class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.errors import UndefinedError
from icefire.core.parts import Bucket, Job, PartedTables, distinct_of_columns, refuse_parameters
from icefire.kernels.grouping import class_statistics
from icefire.kernels.types import Float, Int, Int32
from icefire.models.statistics import DEFAULT_C, STATISTICS
from icefire.models.table import EVERY, Suppressed

NUMBERS = tuple(f"statistic {place}" for place in EVERY)
TABLE = 1 << 20
"""Whole numbers that span less than this are numbered by a table."""
AT_ONCE = 6
"""Sensitive attributes that are read together."""


def worst_in_parts(
    tables: PartedTables,
    name: str,
    *,
    qi: Sequence[str] | None = None,
    sa: Sequence[str] | None = None,
    default: Sequence[str] | None = None,
    suppressed: Suppressed = "own_value",
    c: float = DEFAULT_C,
) -> float:
    """Return the worst value of a statistic over the classes of the release; see `models.worst`.

    Counts are whole numbers and the distribution of the whole release is counted first, so that every class has the
    very value it has in one process.
    """
    keys = tables.schema.pick(qi, tables.schema.qi, "qi")
    names = tables.schema.pick(sa, tables.schema.sa if default is None else default, "sa")
    if not names:
        raise UndefinedError(f"{name} has no sensitive attribute to work on; name some with the parameter sa")
    gaps = any(tables.facts("released", key).missing for key in keys)
    refuse_parameters(name, {"suppressed": (suppressed, suppressed == "wildcard" and gaps)})
    known: dict[str, Float] = tables.cached(("models", keys, c), dict)
    todo = [column for column in dict.fromkeys((*names, *tables.schema.sa)) if column not in known]
    for first in range(0, len(todo), AT_ONCE):
        known |= _profiles(tables, keys, tuple(todo[first : first + AT_ONCE]), c)
    statistic = STATISTICS[name]
    values = [float(known[column][statistic.place]) for column in names]
    return min(values) if statistic.higher else max(values)


def _profiles(tables: PartedTables, keys: tuple[str, ...], names: tuple[str, ...], c: float) -> dict[str, Float]:
    """Return for every attribute the worst value of each statistic."""
    counted = distinct_of_columns(tables, "released", names)

    def part(bucket: Bucket) -> pl.DataFrame:
        classes = blocks.blocks_of_table(bucket.y, keys)
        results = []
        for name, (values, totals) in counted.items():
            codes = _codes(bucket.y[name], values)
            results.append(class_statistics.worst_statistics(codes, totals, classes.x_rows, classes.x_start, EVERY, c))
        columns = dict(zip(NUMBERS, np.array(results).T, strict=True))
        return pl.DataFrame({"name": list(counted), **columns})

    job = Job("privacy models", keys, part, {"name": pl.String, **dict.fromkeys(NUMBERS, pl.Float64)}, None, names)
    profiles = pl.concat(frame for frame in tables.run_job(job) if frame.height)
    higher = class_statistics.LAST_HIGHER >= EVERY
    out = {}
    for name in names:
        rows = profiles.filter(pl.col("name") == name).select(NUMBERS).to_numpy()
        out[name] = np.where(higher, rows.min(axis=0), rows.max(axis=0))
    return out


def _codes(column: pl.Series, values: pl.Series) -> Int32:
    """Number the values of a bucket as the whole table numbers them: ascending, missing last."""
    known: Int = values.drop_nulls().to_numpy()
    if column.dtype.is_integer() and len(known) and known[-1] - known[0] < TABLE:
        lowest, span = int(known[0]), int(known[-1] - known[0]) + 1
        table = np.full(span + 1, len(known), np.int32)
        table[known.astype(np.int64) - lowest] = np.arange(len(known))
        codes: Int32 = table[(column.cast(pl.Int64) - lowest).fill_null(span).to_numpy()]
        return codes
    return np.searchsorted(known, column.cast(pl.Float64).fill_null(np.inf).to_numpy()).astype(np.int32)
