"""Databases: SQLite, DuckDB (extra `duckdb`) and PostgreSQL (extra `postgres`); opened for reading only."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import polars as pl

from icefire.core.errors import InputError, listing
from icefire.core.extras import needed
from icefire.core.reading import Expected
from icefire.io.addresses import Place, without_secrets
from icefire.io.columns import RawTable
from icefire.io.format import Format
from icefire.io.sources.registry import Source


@contextmanager
def _local_file(place: Place) -> Iterator[Path]:
    """Give the path of a database; what came packed or by standard input is written to a temporary file."""
    if place.content is None:
        yield place.path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "database"
        copy.write_bytes(place.content)
        yield copy


def _query(place: Place, how: Format, expected: Expected, tables: list[str]) -> str:
    """Return the query given, or that of the table named or of the only one there is."""
    if place.part is not None:
        return f"SELECT * FROM {'.'.join(_quoted(name) for name in place.part.split('.'))}"
    if how.query is not None and not expected.is_release:
        return how.query
    if len(tables) != 1:
        has = f"has several tables ({listing(tables)})" if tables else "has no tables"
        raise InputError(
            f"{place.name!r} {has}; name one after #, as in {place.name}#{(tables or ['people'])[0]}, "
            "or pass --query 'SELECT …'"
        )
    return f"SELECT * FROM {'.'.join(_quoted(name) for name in tables[0].split('.'))}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _failed(place: Place, error: Exception) -> InputError:
    reason = without_secrets(str(error)).strip().partition("\n")[0]
    return InputError(f"{place.shown!r} cannot be read: {reason}; check the address, the query and your rights")


def _frame(names: list[str], rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    """Make a table of rows of a database; a column of several types is text."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"the query has two columns named {twice!r}; give each its own name with AS")
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return pl.DataFrame([_column(name, list(values)) for name, values in zip(names, columns, strict=True)])


def _column(name: str, values: list[Any]) -> pl.Series:
    if any(isinstance(value, UUID) for value in values):
        values = [None if value is None else str(value) for value in values]
    try:
        return pl.Series(name, values, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        kinds = {type(value) for value in values if value is not None}
        if kinds <= {int, float} and float in kinds:
            return pl.Series(name, [None if value is None else float(value) for value in values])
        return pl.Series(name, [None if value is None else str(value) for value in values], pl.String)


def _sqlite(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def read_sqlite(place: Place, how: Format, expected: Expected) -> RawTable:
    """Read a table or query of an SQLite file."""
    try:
        with (
            _local_file(place) as path,
            closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base,
        ):
            listed = base.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
            )
            tables = sorted(name for (name,) in listed)
            cursor = base.execute(_query(place, how, expected, tables))
            names = [column[0] for column in cursor.description or ()]
            return RawTable(_frame(names, cursor.fetchall()), "SQLite", mixes_types=True)
    except sqlite3.Error as error:
        raise _failed(place, error) from None


def read_duckdb(place: Place, how: Format, expected: Expected) -> RawTable:
    """Read a table or query of a DuckDB file."""
    duckdb = needed("duckdb", "duckdb", "reading a DuckDB file")
    try:
        with _local_file(place) as path, closing(duckdb.connect(str(path), read_only=True)) as base:
            listed = base.execute(
                "SELECT table_schema || '.' || table_name FROM information_schema.tables "
                "WHERE table_schema NOT IN ('information_schema', 'pg_catalog')"
            ).fetchall()
            tables = sorted(name.removeprefix("main.") for (name,) in listed)
            cursor = base.execute(_query(place, how, expected, tables))
            names = [column[0] for column in cursor.description or ()]
            return RawTable(_frame(names, cursor.fetchall()), "DuckDB")
    except duckdb.Error as error:
        raise _failed(place, error) from None


def read_postgres(place: Place, how: Format, expected: Expected) -> RawTable:
    """Read a table or query of a PostgreSQL database; the transaction is read-only."""
    psycopg = needed("psycopg", "postgres", "reading a PostgreSQL database")
    try:
        with psycopg.connect(place.location, connect_timeout=10) as base:
            base.read_only = True
            listed = base.execute(
                "SELECT table_schema || '.' || table_name FROM information_schema.tables "
                "WHERE table_schema NOT IN ('information_schema', 'pg_catalog')"
            ).fetchall()
            tables = sorted(name.removeprefix("public.") for (name,) in listed)
            cursor = base.execute(_query(place, how, expected, tables))
            names = [column.name for column in cursor.description or ()]
            return RawTable(_frame(names, cursor.fetchall()), "PostgreSQL")
    except psycopg.Error as error:
        raise _failed(place, error) from None


SOURCES = [
    Source(
        "sqlite",
        "SQLite",
        read_sqlite,
        (".sqlite", ".sqlite3", ".db"),
        recognises=lambda head: head.startswith(b"SQLite format 3\x00"),
        is_database=True,
    ),
    Source(
        "duckdb",
        "DuckDB",
        read_duckdb,
        (".duckdb", ".ddb"),
        recognises=lambda head: head[8:12] == b"DUCK",
        is_database=True,
    ),
    Source("postgres", "PostgreSQL", read_postgres, schemes=("postgresql", "postgres"), is_database=True),
]
