"""Read a table or a history, and say what its columns are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from icefire.core import align, roles
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, did_you_mean
from icefire.core.history import History, fields
from icefire.core.schema import Schema
from icefire.io import files, histories
from icefire.io.files import Format


def read(
    source: Any,
    *,
    qi: Sequence[str] | None = None,
    sa: Sequence[str] | None = None,
    ids: Sequence[str] = (),
    schema: str | Path | Schema | None = None,
    key: str | None = None,
    how: Format | None = None,
    **history: Any,
) -> Dataset | History:
    """Read a table and give its columns roles: by name, from a TOML file, or inferred from the values.

    The source is a path (CSV, gzipped CSV, Parquet, Arrow) or a polars, pandas or Arrow table. A `key` column names
    people in several tables; it gets the role id. With `subject` and `item` (or a schema that names them) the source
    is a history: many rows per person. Then `receipt`, `date`, `time`, `price` and `number` name its other columns,
    `customers` its table of people, and `drop_unusable` leaves out and counts rows that cannot be used.
    """
    if isinstance(source, Dataset | History):
        return source
    described = None if schema is None or isinstance(schema, Schema) else fields.from_toml(Path(schema))
    if described or any(value is not None for value in history.values()):
        return _read_history(source, how, (described or {}) | history)
    return read_table(source, qi, sa, ids, schema, key, how)


def _read_history(source: Any, how: Format | None, given: Mapping[str, Any]) -> History:
    told = {name: value for name, value in given.items() if value is not None}
    others = {name: told.pop(name) for name in ("customers", "customers_how", "drop_unusable") if name in told}
    unknown = next((name for name in told if name not in fields.MEANINGS), None)
    if unknown:
        raise ParameterError(f"read has no keyword {unknown!r}; {did_you_mean(unknown, fields.MEANINGS)}")
    return histories.read(source, told, how=how, **others)


def read_table(
    source: Any,
    qi: Sequence[str] | None,
    sa: Sequence[str] | None,
    ids: Sequence[str],
    schema: str | Path | Schema | None,
    key: str | None,
    how: Format | None,
) -> Dataset:
    """Read a table with one row per person."""
    frame = files.read_frame(source, how)
    is_path = isinstance(source, str | os.PathLike)
    name = Path(source).name if is_path else "table"
    align.check_rows(frame, name)
    if key is not None:
        align.check_key_column(frame, key, "original")
        ids = (*ids, key)
    chosen = schema if isinstance(schema, Schema) else roles.choose(frame, qi, sa, ids, schema)
    align.check_sa_text(frame, chosen, name)
    data = Dataset(frame, chosen, name, files.digest(Path(source)) if is_path else "")
    for column in (*data.qi, *data.sa):
        align.check_values(frame[column], name)
    return data
