"""Columns as numbers: one code for both tables, decided from the distinct values as for a table in one process."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from icefire.core import align
from icefire.core.codes import LEAST_LONG_CODE
from icefire.core.errors import InputError
from icefire.core.parts import ColumnFacts, Side
from icefire.core.reading import Expected
from icefire.core.schema import Column, Kind, Role, Schema
from icefire.engines.raw_tables import ROWS, VALUE, SourceTable, plain
from icefire.io.columns import RawTable as ReadColumns
from icefire.io.columns import recognised
from icefire.io.format import Format

SIDES: tuple[Side, Side] = ("original", "released")
CODED_VALUES = 20_000_000
"""Distinct values of text that one column may have: they are held in memory."""


@dataclass(frozen=True, slots=True)
class ColumnCode:
    """How one column becomes numbers in both tables."""

    name: str
    dtype: Any
    """Type of the numbers."""
    maps: Mapping[Side, pl.DataFrame] | None = None
    """By table, each value (`VALUE`) with its number (`code`); None where the values are numbers already."""

    def apply(self, side: Side, dtype: Any) -> pl.Expr:
        """Return the column as numbers, of a table where it has this type."""
        values = plain(self.name, dtype)
        if self.maps is None:
            return values.cast(self.dtype).alias(self.name)
        pairs = self.maps[side]
        known, missing = pairs.filter(pl.col(VALUE).is_not_null()), pairs.filter(pl.col(VALUE).is_null())
        number = missing["code"][0] if missing.height else None
        coded = values.replace_strict(known[VALUE], known["code"], default=None, return_dtype=self.dtype)
        return pl.when(values.is_null()).then(pl.lit(number, self.dtype)).otherwise(coded).alias(self.name)


@dataclass(frozen=True, slots=True)
class CodedTables:
    """Two tables laid out alike: schema, codes, and facts of every column that takes part."""

    schema: Schema
    codes: tuple[ColumnCode, ...]
    facts: Mapping[Side, Mapping[str, ColumnFacts]]
    heights: Mapping[Side, int]

    @property
    def places(self) -> dict[str, float]:
        """Where a missing number lies: one range above the largest original value, as `core.release.fill` has it."""
        results = {}
        for name, facts in self.facts["original"].items():
            if facts.lowest is not None and facts.highest is not None:
                results[name] = facts.highest + max(facts.highest - facts.lowest, 1.0)
        return results

    def row_bytes(self, columns: Collection[str] | None = None) -> int:
        """Bytes of one row of some columns (default: all) in memory, its number included."""
        return 8 + sum(_width(code.dtype) for code in self.codes if columns is None or code.name in columns)

    def empty(self, columns: Sequence[str], *more: str) -> pl.DataFrame:
        """Return a table without rows, with these columns and columns of whole numbers."""
        dtypes = {code.name: code.dtype for code in self.codes} | dict.fromkeys(more, pl.Int64)
        return pl.DataFrame(schema={name: dtypes[name] for name in (*dict.fromkeys(columns), *more)})


def code_tables(original: SourceTable, released: SourceTable, schema: Schema) -> CodedTables:
    """Decide for every column that both tables have how it becomes numbers, identifiers excepted.

    A column without a role that cannot be coded is left out.

    Args:
        original: The original table.
        released: The released table.
        schema: Roles of the original's columns.

    Returns:
        The plan for both tables.

    Raises:
        InputError: If a table is too short, has too many rows, or a column cannot be compared in parts.
        SchemaError: If the tables have no column in common.
    """
    _check_heights(original, released)
    shared = align.without_columns(schema, list(released.dtypes))
    columns = [column for column in shared.columns if column.role in (Role.QI, Role.SA)]
    if not columns:
        raise InputError(
            f"{released.name!r} has no quasi-identifier and no sensitive attribute of {original.name!r}; "
            "check the names of its columns and the roles"
        )
    columns += [
        column for column in shared.columns if column.role is Role.OTHER and _is_simple(column, original, released)
    ]
    numeric = [column for column in columns if _is_number(column, original) and _is_number(column, released)]
    numbers = [column.name for column in numeric]
    for table in (original, released):
        table.look_at(numbers, [column.name for column in columns if column not in numeric])
    figures = {side: table.figures(numbers) for side, table in zip(SIDES, (original, released), strict=True)}
    codes, facts = [], {side: {} for side in SIDES}  # type: ignore[var-annotated]
    for column in columns:
        try:
            if column in numeric:
                code, results = _number_code(column, original, released, figures)
            else:
                code, results = _value_codes(column, original, released)
        except InputError:
            if column.role is not Role.OTHER:
                raise
            continue
        codes.append(code)
        for side in SIDES:
            facts[side][column.name] = results[side]
    seen = {code.name: _kind(code) for code in codes}
    kinds = {column.name: seen.get(column.name, column.kind) for column in shared.columns}
    heights: dict[Side, int] = {"original": original.height, "released": released.height}
    return CodedTables(align.with_kinds(shared, kinds), tuple(codes), facts, heights)


def _is_simple(column: Column, original: SourceTable, released: SourceTable) -> bool:
    """Tell whether a column has types that engines read."""
    try:
        for table in (original, released):
            plain(column.name, table.dtypes[column.name])
    except InputError:
        return False
    return True


def _check_heights(original: SourceTable, released: SourceTable) -> None:
    for table in (original, released):
        if table.height < align.LEAST_ROWS:
            raise InputError(
                f"{table.name!r} has {table.height:,} rows; at least {align.LEAST_ROWS} are needed: check the files"
            )
    align.check_no_more_rows(released.height, released.name, original.height)


def _is_number(column: Column, table: SourceTable) -> bool:
    dtype = table.dtypes[column.name]
    return bool(dtype.is_numeric()) and column.kind is Kind.NUMBER


def _kind(code: ColumnCode) -> Kind:
    is_text = code.maps is not None and code.dtype == pl.Int32
    return Kind.CATEGORY if is_text else Kind.NUMBER


def _number_code(
    column: Column,
    original: SourceTable,
    released: SourceTable,
    figures: Mapping[Side, Mapping[str, Mapping[str, Any]]],
) -> tuple[ColumnCode, dict[Side, ColumnFacts]]:
    whole = all(table.dtypes[column.name].is_integer() for table in (original, released))
    facts: dict[Side, ColumnFacts] = {}
    for side, table in zip(SIDES, (original, released), strict=True):
        results = figures[side][column.name]
        _check_numbers(column.name, table, results)
        count = table.height - results["missing"]
        facts[side] = ColumnFacts(
            table.height,
            results["missing"],
            float(results["lowest"]),
            float(results["highest"]),
            results["total"] / count,
        )
    return ColumnCode(column.name, _narrow(facts) if whole else pl.Float64), facts


def _check_numbers(name: str, table: SourceTable, results: Mapping[str, Any]) -> None:
    if results["missing"] == table.height:
        raise InputError(f"column {name!r} of {table.name!r} is missing in every row; leave it out of the roles")
    if results["infinite"]:
        raise InputError(
            f"column {name!r} of {table.name!r}: {results['infinite']:,} values are not finite; numbers must be "
            "finite: leave missing cells empty"
        )
    if table.dtypes[name].is_integer() and max(-results["lowest"], results["highest"]) >= LEAST_LONG_CODE:
        raise InputError(
            f"column {name!r} of {table.name!r} holds numbers so long that they are names; declare it a category in "
            "--schema, or store it as text"
        )


def _narrow(facts: Mapping[Side, ColumnFacts]) -> Any:
    """Return the smallest type of whole numbers that holds a column of both tables."""
    low = min(fact.lowest or 0 for fact in facts.values())
    high = max(fact.highest or 0 for fact in facts.values())
    for dtype, bits in ((pl.Int8, 7), (pl.Int16, 15), (pl.Int32, 31)):
        if -(2**bits) <= low and high < 2**bits:
            return dtype
    return pl.Int64


def _width(dtype: Any) -> int:
    return {pl.Int8: 1, pl.Int16: 2, pl.Int32: 4}.get(dtype, 8)


def _value_codes(
    column: Column, original: SourceTable, released: SourceTable
) -> tuple[ColumnCode, dict[Side, ColumnFacts]]:
    """Number the distinct values of a column that holds text, dates or truth values in one of the tables."""
    counted = {side: table.counts(column.name) for side, table in zip(SIDES, (original, released), strict=True)}
    for side, table in zip(SIDES, (original, released), strict=True):
        _check_values(column.name, table, counted[side])
    x, y = (counted[side][VALUE].alias(column.name) for side in SIDES)
    x = align.with_declared_kinds(x.to_frame(), Schema((column,)), original.name)[column.name]
    left, right = align.harmonise(x, y, column)
    numbers = left.dtype.is_numeric() and right.dtype.is_numeric()
    if numbers and column.kind is Kind.NUMBER:
        dtype: Any = pl.Float64
        coded = [side.cast(pl.Float64) for side in (left, right)]
    else:
        dtype = pl.Int32
        order = pl.concat([left, right]).drop_nulls().unique().sort()
        places = pl.Series(range(len(order)), dtype=pl.Int32)
        coded = [side.replace_strict(order, places, default=None, return_dtype=pl.Int32) for side in (left, right)]
    maps = {
        side: counted[side].with_columns(numbers_of.alias("code"))
        for side, numbers_of in zip(SIDES, coded, strict=True)
    }
    return ColumnCode(column.name, dtype, maps), {side: _mapped_facts(maps[side], numbers) for side in SIDES}


def _check_values(name: str, table: SourceTable, counted: pl.DataFrame) -> None:
    if counted.height > CODED_VALUES:
        raise InputError(
            f"column {name!r} of {table.name!r} has {counted.height:,} distinct values that are not numbers, more than "
            f"the {CODED_VALUES:,} an engine codes; it names people: declare it an id, or leave it out of the roles"
        )
    if counted[VALUE].null_count() == counted.height:
        raise InputError(f"column {name!r} of {table.name!r} is missing in every row; leave it out of the roles")
    if counted[VALUE].dtype != pl.String:
        return
    frame, _ = recognised(
        ReadColumns(counted[VALUE].alias(name).to_frame(), "values"), table.name, Format(), Expected(is_release=True)
    )
    if frame[name].dtype != pl.String:
        raise InputError(
            f"column {name!r} of {table.name!r} holds numbers written as text with signs, which only the engine local "
            "reads; store them as numbers"
        )


def _mapped_facts(pairs: pl.DataFrame, numbers: bool) -> ColumnFacts:
    rows, missing = int(pairs[ROWS].sum()), int(pairs.filter(pl.col("code").is_null())[ROWS].sum())
    if not numbers or missing == rows:
        return ColumnFacts(rows, missing)
    there = pairs.filter(pl.col("code").is_not_null())
    total = float((there["code"].cast(pl.Float64) * there[ROWS]).sum())
    low, high = (float(value) for value in (there["code"].min(), there["code"].max()))  # type: ignore[arg-type]
    return ColumnFacts(rows, missing, low, high, total / (rows - missing))


def coded_frame(
    frame: pl.DataFrame, codes: Sequence[ColumnCode], side: Side, dtypes: Mapping[str, Any]
) -> pl.DataFrame:
    """Return rows of a table as numbers."""
    return frame.select(code.apply(side, dtypes[code.name]) for code in codes)
