"""Obstacles to a release in parts: rows published verbatim, a false correspondence, columns that no attack looked at.

They are found by the rules of one process (`verbatim`, `contradiction`, `obstacles`), counted bucket by bucket. Columns
that the engine does not carry are not compared: they are named as not looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import polars as pl

from icefire.audit.obstacles import contradiction
from icefire.audit.obstacles.verbatim import EqualRows, is_coincidence, too_many_equal
from icefire.audit.parts.tables import LargeTables
from icefire.audit.tables import JOINT_ATTACK
from icefire.core import registry
from icefire.core.errors import InputError, ParameterError, listing
from icefire.core.parts import ROW, Bucket, Job, Scan, distinct_of_columns, row_array
from icefire.core.schema import Kind, Role
from icefire.core.scorecard import Reason
from icefire.engines.tables import EngineTables, JudgedTables
from icefire.kernels.types import Bool, Float, Int
from icefire.words import t

EQUAL: Mapping[str, pl.DataType | type[pl.DataType]] = {ROW: pl.Int64, "answer": pl.Int64}
SINGLE: Mapping[str, pl.DataType | type[pl.DataType]] = {"single": pl.Int64, "chance": pl.Float64}


def obstacles_in_parts(
    tables: EngineTables, large: LargeTables, truth: Int, attacks: Collection[str], limit: float, seed: int
) -> tuple[list[Reason], list[str]]:
    """Collect what stands in the way of a released table.

    Args:
        tables: The tables in parts.
        large: The same as they were opened, with all columns.
        truth: The original row of each released row, in the order of `ROW`.
        attacks: Names of the attacks that ran.
        limit: Largest share of people that may be identified.
        seed: Draws strangers.

    Returns:
        The reasons, and what could not be assessed.
    """
    reasons = columns_not_looked_at(tables, large, attacks)
    try:
        matched = equal_rows_in_parts(tables)
    except ParameterError:
        # So many rows have one key that they do not fit into memory at once.
        return reasons, ["rows published verbatim", "the claimed correspondence"]
    reasons += too_many_equal(matched, truth, limit)
    reasons += _contradicted(tables, matched, truth, seed)
    return reasons, []


def columns_not_looked_at(tables: EngineTables, large: LargeTables, attacks: Collection[str]) -> list[Reason]:
    """Find released columns that tell people apart but took part in no attack."""
    numeric = [column.name for column in tables.schema.columns if column.kind is Kind.NUMBER]
    used = {"qi": tables.schema.qi, "sa": tuple(name for name in tables.schema.sa if name in numeric)}
    parameters = {name for attack in attacks for name in registry.get("attack", attack).parameters}
    seen = {column for name, columns in used.items() if name in parameters for column in columns}
    seen |= set(large.schema.named(Role.ID))
    if JOINT_ATTACK in attacks:
        seen |= set(tables.carried)
    unseen = [name for name in large.released.dtypes if name not in seen]
    large.released.look_at((), unseen)
    names = [name for name in unseen if _differs(large, name)]
    known = [name for name in names if name in large.original.dtypes]
    new = [name for name in names if name not in known]
    reasons = []
    for words, columns in (("verdict.reason.column_not_attacked", known), ("verdict.reason.column_new", new)):
        if columns:
            reasons.append(Reason("not_assessed", t(words, columns=listing(columns)), {"columns": columns}))
    return reasons


def _differs(large: LargeTables, name: str) -> bool:
    """Tell whether a released column has several values; one that cannot be counted may have."""
    try:
        return large.released.counts(name).height > 1
    except InputError:
        return True


def equal_rows_in_parts(tables: EngineTables) -> EqualRows:
    """Find the released rows that equal exactly one original row in all columns that the engine carries.

    Raises:
        ParameterError: If so many rows have one key that they do not fit into memory.
    """
    keys = tuple(code.name for code in tables.coded.codes)

    def part(bucket: Bucket) -> pl.DataFrame:
        people = bucket.blocks(keys).candidates
        known = np.append(bucket.x[ROW].to_numpy(), -1)
        first = np.minimum(people.start, max(len(people.rows) - 1, 0))
        places = people.rows[first] if len(people.rows) else np.full(bucket.y.height, -1)
        return pl.DataFrame({ROW: bucket.y[ROW], "answer": known[np.where(people.sizes == 1, places, -1)]})

    rows = row_array(tables, tables.run_job(Job("verbatim", keys, part, EQUAL)), "answer", -1)
    equal: Bool = rows >= 0
    if not equal.any():
        return EqualRows(equal, rows, by_coincidence=True)
    single, independent = _by_chance(tables, keys)
    return EqualRows(equal, rows, is_coincidence(rows[equal], single, independent))


def _by_chance(tables: EngineTables, keys: tuple[str, ...]) -> tuple[int, float]:
    """Return how many original rows occur once, and how many released rows would equal one of them by chance."""
    counts = distinct_of_columns(tables, "released", keys)
    targets = tables.targets

    def part(bucket: Bucket) -> pl.DataFrame:
        alone = bucket.x.filter(bucket.x.select(keys).is_unique())
        chance: Float = np.full(alone.height, float(targets))
        for name, (values, rows) in counts.items():
            chance *= _count_of(alone[name], values, rows) / targets
        return pl.DataFrame({"single": [alone.height], "chance": [float(chance.sum())]})

    sums = [frame.sum().row(0) for frame in tables.run_job(Job("single rows", keys, part, SINGLE, released=None))]
    return sum(int(single) for single, _ in sums), sum(float(chance) for _, chance in sums)


def _count_of(column: pl.Series, values: pl.Series, rows: Int) -> Float:
    """Return how many released rows have each value of a column; values ascend, missing last."""
    known = values.drop_nulls().to_numpy()
    missing = float(rows[-1]) if values.null_count() else 0.0
    wanted = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if not len(known):
        return np.where(np.isnan(wanted), missing, 0.0)
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(np.isnan(wanted), missing, np.where(known[place] == wanted, rows[place], 0.0))


def _contradicted(tables: EngineTables, matched: EqualRows, truth: Int, seed: int) -> list[Reason]:
    """Doubt a correspondence that contradicts rows which equal somebody else, and not by coincidence."""
    sure = matched.equal & (not matched.by_coincidence)
    wrong = sure & (matched.rows != truth)
    if sure.mean() < contradiction.LEAST_EQUAL or wrong.sum() <= contradiction.CONTRADICTED * sure.sum():
        return []
    strangers = truth.copy()
    strangers[wrong] = np.random.default_rng(seed).permutation(truth[wrong])
    claimed, by_chance = _cells_in_common(tables, wrong, truth), _cells_in_common(tables, wrong, strangers)
    if claimed > by_chance + contradiction.ABOVE_CHANCE:
        return []
    text = t("verdict.reason.correspondence", wrong=int(wrong.sum()), plain=int(sure.sum()))
    return [Reason("correspondence", text, {"rows": int(wrong.sum()), "plain": int(sure.sum())})]


def _cells_in_common(tables: EngineTables, some: Bool, origin: Int) -> float:
    """Return the mean share of cells that some released rows have in common with original rows."""
    names = [code.name for code in tables.coded.codes]
    equal = 0
    for name in names:
        before = JudgedTables(tables, origin).original_column(name)

        def compare(frame: pl.DataFrame, name: str = name, before: Float = before) -> pl.DataFrame:
            rows = frame[ROW].to_numpy()
            known = pl.Series(before[origin[rows]]).fill_nan(None)
            same = known.eq_missing(frame[name].cast(pl.Float64)).to_numpy() & some[rows]
            return pl.DataFrame({"equal": [int(same.sum())]})

        scan = Scan(f"cells of {name}", "released", (name,), compare, {"equal": pl.Int64})
        equal += sum(int(frame["equal"].sum()) for frame in tables.scan(scan))
    return equal / max(int(some.sum()) * len(names), 1)
