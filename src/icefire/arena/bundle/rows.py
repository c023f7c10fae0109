"""Database rows as lines of JSON, the same from SQLite and PostgreSQL, and back with every cell checked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Boolean, Column, Float, Integer, String, Table

from icefire.arena.storage.tables import Base, Instant
from icefire.core.errors import InputError

DatabaseRow = Mapping[str, Any]
TABLES: dict[str, Table] = {table.name: table for table in Base.metadata.sorted_tables}
"""All tables; one that refers to another comes after it."""


def name_of(table: str) -> str:
    """Return the name of a table's file in a bundle."""
    return f"tables/{table}.jsonl"


def packed(rows: Iterable[DatabaseRow]) -> bytes:
    """Return rows as lines of JSON."""
    lines = (json.dumps(row, ensure_ascii=False, sort_keys=True, default=_instant) for row in rows)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def _instant(value: object) -> str:
    assert isinstance(value, datetime)
    return value.isoformat()


def unpacked(table: str, data: bytes) -> Iterator[dict[str, Any]]:
    """Return the rows of a table, each with all its columns."""
    if table not in TABLES:
        raise InputError(f"the bundle has a table {table!r}, which this icefire does not know; use a newer one")
    for number, line in enumerate(data.splitlines(), start=1):
        where = f"{name_of(table)}, line {number}"
        try:
            row = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where} is not JSON: {error}") from None
        yield _checked(TABLES[table], row, where)


def _checked(table: Table, row: object, where: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise InputError(f"{where} is not a row")
    unknown = set(row) - set(table.columns.keys())
    if unknown:
        raise InputError(f"{where} has a column {min(unknown)!r}, which this icefire does not know; use a newer one")
    return {column.name: _cell(column, row, where) for column in table.columns}


def _cell(column: Column[Any], row: dict[str, Any], where: str) -> Any:
    if column.name not in row and column.default is not None:
        return column.default.arg  # type: ignore[attr-defined]
    value = row.get(column.name)
    if isinstance(column.type, JSON):
        return value
    if value is None and column.nullable:
        return None
    if not _fits(column, value):
        raise InputError(f"{where}: {column.name} is {str(value)[:60]!r}, which does not belong there")
    return datetime.fromisoformat(str(value)) if isinstance(column.type, Instant) else value


def _fits(column: Column[Any], value: object) -> bool:
    kind = column.type
    if isinstance(kind, Instant):
        return isinstance(value, str) and _is_instant(value)
    if isinstance(kind, String):
        return isinstance(value, str) and "\0" not in value and (kind.length is None or len(value) <= kind.length)
    if isinstance(kind, Boolean):
        return isinstance(value, bool)
    if isinstance(kind, Integer):
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 31
    return isinstance(kind, Float) and isinstance(value, int | float) and not isinstance(value, bool)


def _is_instant(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
