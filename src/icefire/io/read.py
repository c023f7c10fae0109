"""The verb `read`: read a table or a history and say what its columns are."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from icefire.core import align, roles
from icefire.core.dataset import Dataset, kinds
from icefire.core.history import History, fields
from icefire.core.reading import Expected
from icefire.core.schema import Kind, Schema, SchemaFile, from_file, load_schema_file, with_survey_columns
from icefire.io import histories
from icefire.io.format import Format
from icefire.io.options import DataSource, ReadOptions, takes_read_options
from icefire.io.tables import read_source

TABLE_OPTIONS = ("qi", "sa", "ids", "schema", "weight", "household", "how")
HISTORY_FILES = ("customers", "customers_how", "drop_unusable", "date_order")


@takes_read_options
def read(source: DataSource, *, key: str | None = None, **reading: Unpack[ReadOptions]) -> Dataset | History:
    """Read data and give their columns roles: by name, from a TOML file, or inferred from the values.

    With `subject` and `item`, or a schema that names them, the data are a history: many rows per person.

    Args:
        source: A path (CSV, gzipped CSV, Parquet, Arrow), a polars, pandas or Arrow table, or data read before.
        key: Column that names people in several tables; it gets the role id.

    Returns:
        The table with its roles, or the history with the meaning of its columns.

    Raises:
        InputError: If the source cannot be read.
        SchemaError: If a column that was named does not exist.
        ParameterError: If a keyword is not known.
    """
    options: dict[str, Any] = {
        name: value for name, value in reading.items() if value is not None and name != "infer_roles"
    }
    if isinstance(options.get("schema"), str | os.PathLike):
        options["schema"] = load_schema_file(options["schema"])
    if isinstance(source, Dataset):
        return _with_given_roles(source, options)
    if isinstance(source, History):
        return source
    return _read_history(source, options) if _describe_history(options) else read_table(source, key=key, **options)


def _with_given_roles(data: Dataset, options: Mapping[str, Any]) -> Dataset:
    """Return a table that was read before, with the roles that are given now; without any it keeps its own."""
    if not any(options.get(name) for name in ("qi", "sa", "ids", "schema")):
        return _with_survey_columns(data, options.get("weight"), options.get("household"))
    roles = {name: value for name, value in options.items() if name in TABLE_OPTIONS and name != "how"}
    return replace(read_table(data.frame, **roles), name=data.name, digest=data.digest)


def _with_survey_columns(data: Dataset, weight: str | None, household: str | None) -> Dataset:
    """Name the columns of weights and households; what is not named stays as it is."""
    if weight is None and household is None:
        return data
    known = data.schema
    return replace(data, schema=with_survey_columns(known, weight or known.weight, household or known.household))


def _describe_history(options: Mapping[str, Any]) -> bool:
    schema = options.get("schema")
    is_named = any(name not in TABLE_OPTIONS for name in options)
    return is_named or (isinstance(schema, SchemaFile) and schema.describes_history)


def _read_history(source: Any, options: Mapping[str, Any]) -> History:
    meanings, files_of_it = _history_options(options)
    return histories.read(source, meanings, how=options.get("how"), **files_of_it)


def history_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return the columns of a history by meaning and the other keywords that describe it; None for a table.

    Args:
        options: Keywords of `read`.
    """
    # How a table of customers is read says nothing where no such table is named.
    without = ("infer_roles", "key") if options.get("customers") else ("infer_roles", "key", "customers_how")
    given = {name: value for name, value in options.items() if value and name not in without}
    if isinstance(given.get("schema"), str | os.PathLike):
        given["schema"] = load_schema_file(given["schema"])
    return _history_options(given) if _describe_history(given) else None


def _history_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    schema = options.get("schema")
    in_file = fields.from_file(schema) if isinstance(schema, SchemaFile) and schema.describes_history else {}
    given = in_file | {name: value for name, value in options.items() if name not in TABLE_OPTIONS}
    meanings = {name: value for name, value in given.items() if name not in HISTORY_FILES}
    return meanings, {name: value for name, value in given.items() if name in HISTORY_FILES}


def read_table(
    source: Any,
    *,
    qi: Sequence[str] | None = None,
    sa: Sequence[str] | None = None,
    ids: Sequence[str] = (),
    schema: SchemaFile | Schema | None = None,
    weight: str | None = None,
    household: str | None = None,
    key: str | None = None,
    how: Format | None = None,
) -> Dataset:
    """Read a table with one row per person."""
    table = read_source(source, how, Expected(declared_categories(schema)))
    frame, name = table.frame, table.name
    align.check_rows(frame, name)
    if key is not None:
        align.check_key_column(frame, key, "original")
        ids = (*ids, key)
    if isinstance(schema, SchemaFile):
        chosen = from_file(schema, kinds(frame))
    else:
        chosen = schema or roles.choose(frame, qi, sa, ids)
    # Rows of a column in several pieces are picked ten times as slowly.
    frame = align.with_declared_kinds(frame, chosen, name).rechunk()
    align.check_sa_text(frame, chosen, name)
    data = Dataset(frame, chosen, name, table.digest, reading=table.reading)
    data = _with_survey_columns(data, weight, household)
    for column in (*data.qi, *data.sa):
        align.check_values(frame[column], name)
    return data


def declared_categories(schema: SchemaFile | Schema | str | Path | None) -> Collection[str]:
    """Return the columns that a schema, or a file with one, declares as categories: they stay text."""
    if isinstance(schema, str | Path):
        schema = load_schema_file(schema)
    if isinstance(schema, Schema):
        return [column.name for column in schema.columns if column.kind is Kind.CATEGORY]
    named = schema.entries.get(Kind.CATEGORY.value) if isinstance(schema, SchemaFile) else None
    return named if isinstance(named, list) else ()
