"""What Spark reads as a table: Parquet files and folders, Delta Lake folders, tables of its catalog."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from icefire.core.errors import InputError
from icefire.io import delta_log
from icefire.io.sources.partitions import partition_types

INFERENCE = "spark.sql.sources.partitionColumnTypeInference.enabled"
SPARK_TYPES = {"Int64": "long", "Date": "date"}
"""Types of polars, other than text, that names of folders have, and what Spark calls them."""
_TABLE = re.compile(r"^\w+(?:\.\w+){0,2}$")
_LOCAL = re.compile(r"^(?:file:/*)?(/.*|[^:]*)$")


TEXTS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".html", ".gz", ".bz2", ".xz", ".zst", ".zip")
OTHERS = (".xlsx", ".xls", ".ods", ".arrow", ".ipc", ".feather", ".orc", ".avro")
NOT_PARQUET = (*TEXTS, *OTHERS)
"""How names of files end that Spark would look into for Parquet, and then say so in many lines."""


def check_stored_as_parquet(address: str) -> None:
    """Refuse files whose names say that they are no Parquet, before Spark is started.

    Raises:
        InputError: If this is such a file.
    """
    if address.lower().endswith(NOT_PARQUET) and not Path(address).is_dir():
        raise InputError(
            f"the engine spark reads Parquet alone, and {address!r} is none by its name; write the table as Parquet, "
            "or use the engine local or partitioned"
        )


def read_table(session: Any, address: str) -> Any:
    """Open a table with Spark, without reading rows.

    Args:
        session: The session.
        address: Path or address of Parquet files or of a Delta table, or the name of a table of the catalog.

    Raises:
        InputError: If Spark cannot read it.
    """
    try:
        if _is_in_catalog(session, address):
            return session.table(address)
        with _without_inference(session):
            if _is_delta(session, address):
                return _delta(session, address)
            return _parquet(session, address)
    except InputError:
        raise
    except Exception as error:  # every kind of storage has errors of its own
        raise unreadable(address, error) from None


def unreadable(address: str, error: Exception) -> InputError:
    """Return the error of a table that Spark cannot read, with the first line of what it says."""
    reason = str(error).strip().partition("\n")[0]
    return InputError(
        f"Spark cannot read {address!r} as Parquet: {reason}; check the address, and write the table as Parquet if it "
        "is stored otherwise"
    )


def file_order(address: str) -> list[str]:
    """Return what orders the files of a table as one process orders them: the names of folders, then of the file."""
    return unquote(address).split("/")


def typed_columns(frame: Any, files: Sequence[str], address: str) -> list[Any]:
    """Return all columns; those that the names of folders say get the place and type that one process gives them.

    Args:
        frame: The table.
        files: Paths of all its files.
        address: The folder that was named.
    """
    from pyspark.sql import functions

    base = address.rstrip("/")
    below = [unquote(file.partition(base)[2] or file).lstrip("/") for file in files]
    held = partition_types(below)
    texts = {field.name for field in frame.schema.fields if field.dataType.simpleString() == "string"}
    types = {name: SPARK_TYPES.get(str(dtype)) for name, dtype in held.items() if name in texts}
    order = sorted(frame.columns, key=lambda name: (name in held, name if name in held else ""))
    columns = [(name, functions.col(f"`{name.replace('`', '``')}`")) for name in order]
    return [column.cast(types[name]).alias(name) if types.get(name) else column for name, column in columns]


@contextmanager
def _without_inference(session: Any) -> Iterator[None]:
    """Leave what the names of folders say as text: region=01 is no number."""
    before = session.conf.get(INFERENCE, "true")
    session.conf.set(INFERENCE, "false")
    try:
        yield
    finally:
        session.conf.set(INFERENCE, before)


def _is_in_catalog(session: Any, address: str) -> bool:
    return bool(_TABLE.match(address)) and not Path(address).exists() and bool(session.catalog.tableExists(address))


def _is_delta(session: Any, address: str) -> bool:
    """Tell whether there is a log of Delta Lake in a folder, wherever it lies."""
    here = _LOCAL.match(address)
    if here:
        return delta_log.is_delta(Path(here[1]))
    try:
        session.read.text(f"{address.rstrip('/')}/{delta_log.LOG}").limit(1).count()
    except Exception as error:
        if "PATH_NOT_FOUND" in str(error):
            return False
        raise
    return True


def _parquet(session: Any, address: str) -> Any:
    """Open Parquet files; refuse folders of which Spark would leave files out without a word."""
    frame = session.read.parquet(address)
    # With the columns known already, no file is opened a second time.
    every = session.read.schema(frame.schema).option("recursiveFileLookup", "true").parquet(address).inputFiles()
    left_out = sorted(set(every) - set(frame.inputFiles()))
    if left_out:
        raise InputError(
            f"{address!r} holds files in folders that Spark does not read with it, such as {left_out[0]!r}; name these "
            "folders COLUMN=VALUE, or give a folder whose files all lie in it"
        )
    return frame


def _delta(session: Any, address: str) -> Any:
    """Open the files that are the table today; a folder that only Spark reaches by the reader of Delta Lake."""
    here = _LOCAL.match(address)
    if here:
        files = [str(path) for path in delta_log.live_files(Path(here[1]))]
        return session.read.option("basePath", here[1]).parquet(*files)
    try:
        return session.read.format("delta").load(address)
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            f"{address!r} is a Delta table, which this Spark session cannot read ({reason}); start it with the package "
            "delta-spark, or write the table as plain Parquet files"
        ) from None
