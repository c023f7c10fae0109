"""Two coded tables in parts, without what differs by engine; and the same with the truth, for the judge."""

from __future__ import annotations

import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.core.errors import ParameterError, listing
from icefire.core.parts import ROW, ColumnFacts, Job, Scan, Side, merged_groups
from icefire.core.schema import Schema
from icefire.engines.bucket_files import told_where_full
from icefire.engines.coding import CodedTables
from icefire.engines.raw_tables import VALUE
from icefire.kernels.types import Int

Value = TypeVar("Value")
NARROW: Mapping[Any, Any] = {pl.Int8: np.int8, pl.Int16: np.int16, pl.Int32: np.int32, pl.Int64: np.int64}
WORKING = 2 * 10**9
"""Bytes of memory for what is worked on at a time, where nobody set a limit."""


class EngineTables(ABC):
    """Two tables held by an engine; nothing in it leads to the truth."""

    def __init__(self, coded: CodedTables) -> None:
        self.coded = coded
        self._cache: dict[Any, Any] = {}

    @property
    def schema(self) -> Schema:
        """Columns and roles of both tables."""
        return self.coded.schema

    @property
    def originals(self) -> int:
        """Number of original rows."""
        return self.coded.heights["original"]

    @property
    def targets(self) -> int:
        """Number of released rows."""
        return self.coded.heights["released"]

    @property
    def places(self) -> Mapping[str, float]:
        """Where a missing number lies, by column."""
        return self.cached("places", lambda: self.coded.places)

    def facts(self, side: Side, column: str) -> ColumnFacts:
        """Return what is known of a whole column."""
        self.check_columns((column,))
        return self.coded.facts[side][column]

    def cached(self, key: Any, compute: Callable[[], Value]) -> Value:
        """Return the value kept under this key, or compute it now."""
        if key not in self._cache:
            self._cache[key] = compute()
        value: Value = self._cache[key]
        return value

    def check_columns(self, names: tuple[str, ...]) -> None:
        """Refuse columns that engines do not carry: identifiers, and those that cannot be coded."""
        known = [code.name for code in self.coded.codes]
        for name in names:
            if name not in known:
                raise ParameterError(
                    f"column {name!r} is not carried by this engine, which takes columns of both tables that are no "
                    f"identifiers; name some of: {listing(known)}"
                )

    @property
    def carried(self) -> tuple[str, ...]:
        """Columns that the parts hold: quasi-identifiers, sensitive attributes, and others that could be coded."""
        return tuple(code.name for code in self.coded.codes)

    def dictionary(self, side: Side, column: str) -> pl.DataFrame | None:
        """Return the values of a column of text (`value`) with their numbers (`code`); None for columns of numbers."""
        code = next(code for code in self.coded.codes if code.name == column)
        return None if code.maps is None or code.dtype != pl.Int32 else code.maps[side].select(VALUE, "code")

    def room(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Return an array of zeros that lies on the disk, until nobody holds it any more."""
        if 0 in shape:
            return np.zeros(shape, dtype)
        with tempfile.TemporaryFile(dir=self.disk) as file:
            if hasattr(os, "posix_fallocate"):  # a disk that is full is told now; later it would end the process
                with told_where_full(self.disk or Path(tempfile.gettempdir())):
                    os.posix_fallocate(file.fileno(), 0, int(np.prod(shape)) * np.dtype(dtype).itemsize)
            return np.asarray(np.memmap(file, dtype, "w+", shape=shape))

    @property
    def working(self) -> int:
        """Bytes of memory for what is worked on at a time."""
        return WORKING

    @property
    def disk(self) -> Path | None:
        """Folder on the disk with room for arrays; None for the one that the system has for such files."""
        return None

    @abstractmethod
    def run_job(self, job: Job) -> Iterator[pl.DataFrame]:
        """Run a job on every bucket."""

    @abstractmethod
    def scan(self, scan: Scan) -> Iterator[pl.DataFrame]:
        """Run a scan on every chunk of a table."""

    def scans(self, scans: Sequence[Scan]) -> Iterator[Iterator[pl.DataFrame]]:
        """Run several scans of one table one after another."""
        return (self.scan(scan) for scan in scans)

    def kept(self, name: str, compute: Callable[[], Int]) -> Int:
        """Return whole numbers, one per released row: those that were kept on disk, or computed now."""
        return np.array(self.cached(("kept", name), lambda: self._on_disk(compute())))

    def _on_disk(self, values: Int) -> Int:
        kept = self.room(values.shape, values.dtype)
        kept[:] = values
        return kept

    @abstractmethod
    def close(self) -> None:
        """Give back what the engine holds."""


class JudgedTables:
    """Tables of an engine beside the truth: what measures receive. Attacks never do."""

    def __init__(self, tables: EngineTables, truth: Int) -> None:
        """Take the tables, and the original row of each released row in the order of `ROW`."""
        self._tables, self._truth = tables, truth

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tables, name)

    def paired(self, name: str, part: Callable[[pl.Series, pl.Series], float]) -> float:
        """Add up `part` over chunks of a column: original values, and the released values that come from them."""
        before, truth = self.original_column(name), self._truth

        def compare(frame: pl.DataFrame) -> pl.DataFrame:
            known = _origins(before, truth, frame)
            return pl.DataFrame({"sum": [part(known, frame[name].cast(pl.Float64))]})

        scan = Scan(f"changes of {name}", "released", (name,), compare, {"sum": pl.Float64})
        return float(sum(frame["sum"].sum() for frame in self._tables.scan(scan)))

    def value_pairs(self, name: str) -> pl.DataFrame:
        """Return the distinct pairs of an original value (`before`) and what it became in the release (`after`)."""
        before, truth = self.original_column(name), self._truth
        columns = {"before": pl.Float64, "after": pl.Float64}

        def pairs(frame: pl.DataFrame) -> pl.DataFrame:
            known = _origins(before, truth, frame)
            return pl.DataFrame({"before": known, "after": frame[name].cast(pl.Float64)}).unique()

        scan = Scan(f"pairs of {name}", "released", (name,), pairs, columns)
        return merged_groups(self._tables.scan(scan), list(columns))

    def original_column(self, name: str) -> np.ndarray:
        """Return a column of the original as numbers, in the order of its rows; missing values are not a number."""
        code = next(code for code in self._tables.coded.codes if code.name == name)
        whole = code.dtype.is_integer() and not self._tables.facts("original", name).missing
        dtype, gap = (code.dtype, None) if whole else (pl.Float64, float("nan"))
        values: NDArray[Any] = np.empty(self._tables.originals, NARROW.get(dtype, np.float64))

        def numbers(frame: pl.DataFrame) -> pl.DataFrame:
            column = pl.col(name).cast(dtype)
            return frame.select(pl.col(ROW), column if gap is None else column.fill_null(gap))

        scan = Scan(f"values of {name}", "original", (name,), numbers, {ROW: pl.Int64, name: dtype})
        for frame in self._tables.scan(scan):
            values[frame[ROW].to_numpy()] = frame[name].to_numpy()
        return values


def _origins(before: NDArray[Any], truth: Int, frame: pl.DataFrame) -> pl.Series:
    """Return the original values that rows of the release come from."""
    return pl.Series(before[truth[frame[ROW].to_numpy()]]).cast(pl.Float64).fill_nan(None)
