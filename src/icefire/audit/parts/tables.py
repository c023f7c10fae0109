"""Open two tables for an engine that holds them in parts, and find who is who."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from icefire.audit.adapter import ReleaseFiles
from icefire.audit.correspondence import TruthSource, as_truth, truth_by_order
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError, ParameterError, SchemaError
from icefire.core.parts import row_type
from icefire.core.reading import Expected
from icefire.core.release import Release, Truth
from icefire.core.schema import Schema
from icefire.engines.raw_tables import PolarsTable, SourceTable
from icefire.io import folder
from icefire.io.format import Format
from icefire.io.given_roles import read_for_use
from icefire.io.large_text import converted
from icefire.io.read import declared_categories
from icefire.io.scanned_files import scanned_files
from icefire.io.tables import read_source

LOOKED_AT = 100_000
"""First rows from which the kinds of columns are read, and in which identifiers are sought."""
AT_ONCE = 1 << 22
"""Rows that are numbered at a time."""
NO_ROLES = (
    "no roles were given, and they are not inferred from a part of a table; pass --qi COLUMNS and --sa COLUMNS, or "
    "--schema FILE"
)


@dataclass(frozen=True, slots=True)
class LargeTables:
    """Two tables that are read in parts, and what came with them."""

    original: SourceTable
    released: SourceTable
    schema: Schema
    truth: Truth | Path | None = None
    recipe: dict[str, Any] = field(default_factory=dict)

    def find_truth(self, source: TruthSource) -> Truth:
        """Return the original row of each released row, in the one way that was named."""
        source.check()
        if source.key is not None:
            raise ParameterError(
                "--key: names of people are compared by the engine local alone; pass --truth FILE or --aligned"
            )
        if source.aligned:
            truth = truth_by_order(self.original.height, self.released.height, "rows")
        elif isinstance(source.truth, Mapping):
            raise ParameterError(
                "--truth: names of people are compared by the engine local alone; give the number of the original row "
                "for each released row"
            )
        elif source.truth is not None:
            truth = as_truth(source.truth)
        elif self.truth is not None:
            truth = as_truth(self.truth)
        else:
            raise ParameterError(
                "how released rows correspond to original ones is not known; pass --truth FILE or --aligned"
            )
        return truth.checked(self.released.height, self.original.height)


def open_large(original: Any, files: ReleaseFiles, options: Mapping[str, Any]) -> LargeTables:
    """Open both tables without reading them; small text files and tables of other libraries are read whole.

    Args:
        original: The original table.
        files: The release.
        options: Keywords of `read`.

    Raises:
        InputError: If a table cannot be read, or is a history.
        SchemaError: If no roles were given.
    """
    given = {name: value for name, value in options.items() if value and name != "customers_how"}
    scanned = scan(original, given.get("how"), Expected(declared_categories(given.get("schema"))))
    if scanned is not None:
        given.pop("how", None)
    data = read_for_use(original if scanned is None else scanned.head(LOOKED_AT), **given)
    if not isinstance(data, Dataset):
        raise InputError("histories run on the engine local alone; leave --engine out")
    if scanned is not None and data.schema.origin == "inferred":
        raise SchemaError(NO_ROLES)
    known = PolarsTable(data.frame.lazy(), data.name, data.digest) if scanned is None else scanned
    source, truth, recipe = files.source, None, {}
    if isinstance(source, Release):
        return LargeTables(known, PolarsTable(source.released.frame.lazy()), data.schema, source.truth, source.recipe)
    if isinstance(source, str | os.PathLike) and folder.is_release(Path(source)):
        truth, recipe = folder.truth_of(Path(source)), folder.recipe(Path(source))
        source = folder.table(Path(source))
    shown = scan(source, files.how, data.expected) or _read_whole(source, files, data.expected)
    return LargeTables(known, shown, data.schema, truth, recipe)


def open_on_cluster(session: Any, original: Any, files: ReleaseFiles, options: Mapping[str, Any]) -> LargeTables:
    """Open two tables with Spark: addresses or paths of Parquet files that the whole cluster can read.

    Args:
        session: The session of Spark.
        original: Path or address of the original.
        files: The release; with its own truth only if it is a release folder of this machine.
        options: Keywords of `read`.

    Raises:
        InputError: If a table is none that Spark reads.
        SchemaError: If no roles were given.
    """
    given = {name: value for name, value in options.items() if value and name not in ("customers_how", "how")}
    known = table_on_cluster(session, original)
    data = read_for_use(known.head(LOOKED_AT), **given)
    if not isinstance(data, Dataset):
        raise InputError("histories run on the engine local alone; leave --engine out")
    if data.schema.origin == "inferred":
        raise SchemaError(NO_ROLES)
    shown, truth, recipe = os.fspath(files.source), None, {}
    if folder.is_release(Path(shown)):
        truth, recipe = folder.truth_of(Path(shown)), folder.recipe(Path(shown))
        shown = str(folder.table(Path(shown)))
    return LargeTables(known, table_on_cluster(session, shown), data.schema, truth, recipe)


def table_on_cluster(session: Any, source: Any) -> SourceTable:
    """Open one table with Spark.

    Raises:
        InputError: If it is none that Spark reads.
    """
    from icefire.engines.spark_table import SparkTable

    check_address(source)
    return SparkTable(session, os.fspath(source))


def check_address(source: Any) -> None:
    """Refuse what Spark does not read, before it is started.

    Raises:
        InputError: If the source is no path or address, or a file that is no Parquet by its name.
    """
    from icefire.engines.spark_source import check_stored_as_parquet

    if not isinstance(source, str | os.PathLike):
        raise InputError(
            "the engine spark reads Parquet files that the whole cluster can reach, but got a "
            f"{type(source).__name__}; give a path or an address"
        )
    check_stored_as_parquet(os.fspath(source))


def scan(source: Any, how: Format | None = None, expected: Expected | None = None) -> PolarsTable | None:
    """Open files to be read in parts: Parquet, Arrow, large text files, a folder of them, a lazy frame.

    Args:
        source: What the user named.
        how: How a text file is read.
        expected: What is known of its columns.

    Returns:
        The table; None for other sources.
    """
    files = scanned_files(source) or converted(source, how, expected or Expected())
    return None if files is None else PolarsTable(files.frame, files.name, files.digest, files.kept)


def _read_whole(source: Any, files: ReleaseFiles, expected: Expected) -> PolarsTable:
    read = read_source(source, files.how, expected)
    return PolarsTable(read.frame.lazy(), "released" if read.name == "table" else read.name, read.digest)


def shuffled(truth: Truth, originals: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shuffle the release as the driver does: the place of every released row, the truth and the row by place."""
    order = np.arange(len(truth), dtype=row_type(len(truth)))
    rng.shuffle(order)  # draws what `permutation` draws
    places = np.empty_like(order)
    for first in range(0, len(order), AT_ONCE):  # some rows at a time, so that no further array is as long
        rows = order[first : first + AT_ONCE]
        places[rows] = np.arange(first, first + len(rows))
    origin = truth.rows.astype(row_type(originals), copy=False)[order]
    return places, origin, order
