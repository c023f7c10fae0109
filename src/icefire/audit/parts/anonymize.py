"""Anonymise a table larger than memory: open it in parts, run the recipe in partitions, publish a release folder."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import polars as pl

from icefire._version import __version__
from icefire.audit.parts.recipe import PartitionedRecipe, check_ways, origins
from icefire.audit.parts.tables import NO_ROLES, check_address, scan, table_on_cluster
from icefire.audit.provenance import PACKAGES
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.errors import InputError, ParameterError, SchemaError
from icefire.core.schema import Role
from icefire.core.scorecard import Provenance, Roles, Scorecard, Table
from icefire.core.types import Progress
from icefire.engines.bucket_files import told_where_full
from icefire.engines.memory import PROCESS, available_memory, parse_memory
from icefire.engines.partition_files import PartitionFiles, joined
from icefire.engines.partitions import Partitions
from icefire.engines.raw_tables import PolarsTable, SourceTable, plain
from icefire.io import files
from icefire.io.folder import SCORECARD, ReleasePlace
from icefire.io.given_roles import read_for_use
from icefire.io.places import SEED, TRUTH
from icefire.io.writing import whole_folders
from icefire.kernels.types import Int
from icefire.recipe.preflight import check
from icefire.recipe.steps import Recipe
from icefire.recipe.tables import SAFE_IDS

LOOKED_AT = 100_000
"""First rows, on which the steps are checked before any work."""
CELL_BYTES = 80
"""Memory that a step takes for each cell of a partition."""
ROW_BYTES = 16
"""Memory kept for each row: its origin, and its place while the truth is written."""
LEAST_ROWS = 10_000
"""Smaller partitions would not do for steps that work within them."""
SHARE = 0.8
"""Share of the free memory that is used where no limit is given."""
SPARK_ROWS = 250_000
"""Rows of a partition on a cluster."""
NO_ROOM = "make room, or set TMPDIR to a folder on another disk: the partitions take about as much as the table"
NO_OUTPUT = "make room, or name a folder on another disk with --output; nothing was written"
RELEASED = "released.parquet"


@dataclass(frozen=True, slots=True)
class WrittenRelease:
    """A release that was written in parts and is not held in memory."""

    path: Path
    originals: int
    rows: int
    recipe: dict[str, Any]
    seed: int
    seed_was_drawn: bool = False
    subjects: int | None = None
    """People of a history; None for a table."""


def anonymize_in_partitions(
    source: Any,
    recipe: Recipe,
    place: ReleasePlace,
    options: Mapping[str, Any],
    engine: Literal["partitioned", "spark"],
    memory_limit: str | int | None,
    progress: Progress,
) -> WrittenRelease:
    """Apply a recipe to Parquet or Arrow files in partitions, and write the release folder.

    Args:
        source: The files.
        recipe: The steps and their seed.
        place: Where the release is written.
        options: Keywords of `read`; they must give roles.
        engine: Where the partitions are: on the disk of this machine, or on a Spark cluster.
        memory_limit: Memory that may be used on this machine. Default: four fifths of what is free.
        progress: Called with the name of each stage.

    Raises:
        InputError: If the source cannot be read in parts.
        ParameterError: If a step does not work in partitions, or the memory is too little.
        SchemaError: If no roles are given.
        OutputError: If the folder cannot be written.
    """
    check_ways(recipe)
    progress("reading")
    session = _session(source) if engine == "spark" else None
    table, data = _opened(source, options, session)
    check(data, recipe)
    rows = _rows_at_once(table, memory_limit) if session is None else SPARK_ROWS
    with tempfile.TemporaryDirectory(prefix="icefire-") as scratch:
        with told_where_full(Path(scratch), NO_ROOM), closing(_dealt(table, Path(scratch), rows)) as partitions:
            notes = PartitionedRecipe(recipe, data.schema, rows, progress).run_steps(partitions)
            parts = partitions.files()
        truth = origins(parts)
        if not len(truth):
            raise ParameterError(
                f"the recipe leaves out all {table.height:,} rows of {table.name!r}; loosen the steps that leave rows "
                "out"
            )
        as_run = recipe.as_run(notes)
        card = _scorecard(table, data, len(truth), as_run, _said(session, rows))
        with told_where_full(Path(place.path), NO_OUTPUT):
            _write(parts, truth, card, recipe.seed, place, _hidden(data, as_run))
    return WrittenRelease(Path(place.path), table.height, len(truth), as_run, recipe.seed)


def _session(source: Any) -> Any:
    from icefire.engines.spark_session import spark_session

    check_address(source)
    return spark_session()


def _said(session: Any, rows: int) -> str:
    """Say how the engine worked."""
    how = f"{rows:,} rows at a time"
    return f"partitioned, {how}" if session is None else f"spark {session.version}, {how}"


def _dealt(table: SourceTable, folder: Path, rows: int) -> Partitions:
    """Return the table as the engine holds it in partitions."""
    if isinstance(table, PolarsTable):
        return PartitionFiles(_with_origin(table), folder, rows)
    from icefire.engines.spark_partitions import SparkPartitions
    from icefire.engines.spark_table import SparkTable

    assert isinstance(table, SparkTable)
    return SparkPartitions(table, folder)


def _opened(source: Any, options: Mapping[str, Any], session: Any) -> tuple[SourceTable, Dataset]:
    """Open the files, and read some rows to check roles and steps."""
    table = scan(source) if session is None else table_on_cluster(session, source)
    if table is None:
        raise InputError(
            "the engine partitioned anonymises Parquet and Arrow files, or folders of them; store the table so, or use "
            "the engine local"
        )
    given = {name: value for name, value in options.items() if value and name not in ("how", "customers_how")}
    data = read_for_use(table.head(LOOKED_AT), **given)
    if not isinstance(data, Dataset):
        raise InputError("name the columns of a history with --subject and --item, or the roles of a table")
    if data.schema.origin == "inferred":
        raise SchemaError(NO_ROLES)
    for name, dtype in table.dtypes.items():
        stored = pl.DataFrame(schema={name: dtype}).select(plain(name, dtype))[name].dtype
        if name in data.frame.columns and data.frame[name].dtype != stored:
            raise InputError(
                f"column {name!r} of {table.name!r} is stored as {stored} and read as {data.frame[name].dtype}, which "
                "only the engine local does; store it as what it is, or declare it in --schema"
            )
    return table, replace(data, name=table.name)


def _rows_at_once(table: SourceTable, memory_limit: str | int | None) -> int:
    limit = int(SHARE * available_memory()) if memory_limit is None else parse_memory(memory_limit)
    per_row = CELL_BYTES * max(len(table.dtypes), 1)
    kept = PROCESS + ROW_BYTES * table.height
    if limit < kept + LEAST_ROWS * per_row:
        least = -(-(kept + LEAST_ROWS * per_row) // 10**8) / 10
        raise ParameterError(
            f"--memory-limit: {limit / 1e9:.1f} GB are too little for {table.height:,} rows; give at least "
            f"{least:.1f}GB"
        )
    return (limit - kept) // per_row


def _with_origin(table: PolarsTable) -> pl.LazyFrame:
    columns = [plain(name, dtype) for name, dtype in table.dtypes.items()]
    return table.source.select(columns).with_row_index(ORIGIN).with_columns(pl.col(ORIGIN).cast(pl.Int64))


def _hidden(data: Dataset, as_run: Mapping[str, Any]) -> list[str]:
    """Name what is not published: the origin, and identifiers into which no step put pseudonyms."""
    notes = [step.get("notes", {}) for step in as_run.get("steps", ())]
    safe = {name for noted in notes for note in SAFE_IDS for name in noted.get(note, ())}
    return [ORIGIN, *(name for name in data.schema.named(Role.ID) if name not in safe)]


def _write(parts: list[Path], truth: Int, card: Scorecard, seed: int, place: ReleasePlace, hidden: list[str]) -> None:
    """Write the release folder and its secrets: both whole, or none."""
    place.check()
    with whole_folders(*place.folders) as (draft, secret):
        joined(parts).drop(hidden, strict=False).sink_parquet(draft / RELEASED, maintain_order=True)
        (draft / SCORECARD).write_text(card.to_json(), encoding="utf-8")
        files.write_integers(truth, secret / TRUTH)
        (secret / SEED).write_text(f"{seed}\n", encoding="utf-8")


def _scorecard(table: SourceTable, data: Dataset, rows: int, as_run: dict[str, Any], engine: str) -> Scorecard:
    """Say how the release was made; measures are left to an audit."""
    schema = data.schema
    qi, sa, ids, other = (list(schema.before_release(role)) for role in Role)
    software = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    return Scorecard(
        provenance=Provenance(
            version=__version__,
            seed=None,
            original=Table(table.name, table.height),
            released=Table(RELEASED, rows),
            correspondence="made by the recipe",
            in_original_order=False,
            created="",
            software=software | {"engine": engine},
        ),
        roles=Roles(qi, sa, ids, other, schema.origin, []),
        measures={},
        left_out={"measures": "not taken while a table is anonymised in partitions; audit the release"},
        recipe=as_run,
    )
