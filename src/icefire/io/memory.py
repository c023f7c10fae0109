"""Tables of other libraries: polars, pandas with and without pyarrow, Arrow, DuckDB relations, plain dictionaries."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import InputError


def frame_of(source: Any) -> pl.DataFrame:
    """Return the table as a polars frame.

    Raises:
        InputError: If it is no table.
    """
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    if isinstance(source, Dataset):
        return source.frame
    if source is None:
        raise InputError("no table was given (None); give a path, or a polars, pandas or Arrow table")
    try:
        return _from_pandas(source) if _is_pandas(source) else pl.DataFrame(source)
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            f"cannot read a table from {type(source).__name__} ({reason}); "
            "give a path, or a polars, pandas or Arrow table whose columns each hold values of one type"
        ) from None


def _is_pandas(source: Any) -> bool:
    return type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "columns")


def _from_pandas(source: Any) -> pl.DataFrame:
    """Take the columns, and the levels of the index that have names."""
    names = [str(name) for name in source.columns]
    named = [name for name in source.index.names if name is not None and str(name) not in names]
    if named:
        source = source.reset_index(level=named)
    if len(set(source.columns)) != len(source.columns):
        raise InputError("two columns have the same name: rename one of them")
    has_arrow = importlib.util.find_spec("pyarrow") is not None
    return pl.DataFrame([_column(str(name), source[name], has_arrow) for name in source.columns])


def _column(name: str, values: Any, has_arrow: bool) -> pl.Series:
    dtype = str(values.dtype)
    if dtype == "category":
        labels = _column(name, values.cat.categories.to_series(), has_arrow).cast(pl.String)
        codes = pl.Series(values.cat.codes.to_numpy(), dtype=pl.Int64)
        return labels.gather(codes.set(codes < 0, None))
    if dtype.startswith(("interval", "period")):  # what pandas.cut and to_period make
        return pl.Series(name, values.astype(str).where(values.notna(), None).tolist(), dtype=pl.String)
    if dtype.startswith("Sparse"):
        return _column(name, values.sparse.to_dense(), has_arrow)
    if has_arrow and dtype != "object":
        taken: pl.Series = pl.from_pandas(values, nan_to_null=True)  # type: ignore[assignment]
        return taken.alias(name)
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iufb":  # not those of pandas, which know missing
        return pl.Series(name, values.to_numpy(), nan_to_null=True)
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "mM":
        return pl.Series(name, values.to_numpy())
    missing = values.isna().to_numpy()
    held = [None if gone else _plain(value) for gone, value in zip(missing, values.tolist(), strict=True)]
    if _mixes_text_and_numbers(held):
        held = [None if value is None else str(value) for value in held]
    try:
        return pl.Series(name, held, strict=True)
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"column {name!r}: {reason}") from None


def _mixes_text_and_numbers(values: list[Any]) -> bool:
    """Tell whether a column holds numbers beside texts without letters (*, 3*, 30-39, <20), as after masking some."""
    types = {type(value) for value in values if value is not None}
    if str not in types or len(types) == 1 or not types <= {str, int, float}:
        return False
    return not any(letter.isalpha() for value in set(values) if isinstance(value, str) for letter in value)


def _plain(value: Any) -> Any:
    """Return what a library wraps a value in as a value of Python."""
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime()
    return value.item() if hasattr(value, "item") else value
