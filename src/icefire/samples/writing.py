"""Write a sample to disk in chunks, so that its size is not limited by memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Literal

import polars as pl

from icefire import samples
from icefire.core.types import Progress, no_progress
from icefire.io.writing import whole_folder


def write(
    name: str,
    output: Path,
    rows: int | None,
    seed: int,
    kind: Literal["csv", "parquet"],
    force: bool,
    progress: Progress = no_progress,
) -> Path:
    """Write a sample and its roles to a folder; returns the path of the table."""
    module = samples.load(name)
    wanted = module.DEFAULT_ROWS if rows is None else samples.checked_rows(module, rows)
    counted: str | None = getattr(module, "COUNTED", None)
    write_pieces = _write_csv if kind == "csv" else _write_parquet
    with whole_folder(output, "sample", force) as draft:
        table = draft / f"{name}.{kind}"
        write_pieces(_with_progress(module.chunks(wanted, seed), wanted, counted, progress), table)
        if counted:
            write_pieces(module.customers(wanted, seed), draft / f"customers.{kind}")
        schema = _meanings(module, kind) if counted else _roles(module)
        (draft / "schema.toml").write_text(schema, encoding="utf-8")
    return output / table.name


def _with_progress(
    pieces: Iterator[pl.DataFrame], wanted: int, counted: str | None, progress: Progress
) -> Iterator[pl.DataFrame]:
    done = 0
    for piece in pieces:
        yield piece
        done += piece[counted].n_unique() if counted else piece.height
        progress(f"{done:,} of {wanted:,} {counted or 'row'}s")


def _write_csv(pieces: Iterator[pl.DataFrame], path: Path) -> None:
    with path.open("wb") as file:
        for number, piece in enumerate(pieces):
            piece.write_csv(file, include_header=number == 0)


def _write_parquet(pieces: Iterator[pl.DataFrame], path: Path) -> None:
    from polars.io.plugins import register_io_source

    first = next(pieces)

    def source(columns: list[str] | None, *_: object) -> Iterator[pl.DataFrame]:
        yield first if columns is None else first.select(columns)
        yield from pieces if columns is None else (piece.select(columns) for piece in pieces)

    register_io_source(source, schema=first.schema).sink_parquet(path)


def _meanings(module: ModuleType, kind: str) -> str:
    """Say which column of a history means what, and where its customers are."""
    columns = {**module.FIELDS.present, "customers": f"customers.{kind}"}
    return "".join(f'{meaning} = "{name}"\n' for meaning, name in columns.items())


def _roles(module: ModuleType) -> str:
    """Say which columns identify, which are quasi-identifiers and which are sensitive."""
    roles = {"id": getattr(module, "ID", ()), "qi": module.QI, "sa": module.SA}
    lists = {role: "".join(f'  "{name}",\n' for name in names) for role, names in roles.items() if names}
    return "".join(f"{role} = [\n{names}]\n" for role, names in lists.items())
