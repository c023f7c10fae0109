"""icefire sample: write synthetic data to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from icefire._version import DEFAULT_SEED
from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import out, progress


def sample(
    name: Annotated[str, typer.Argument(help="Which sample; see: icefire list samples.", show_default=False)],
    output: options.OutputFolder,
    rows: Annotated[
        int | None, typer.Option("-n", "--rows", help="Number of rows (shop: of customers).", show_default=False)
    ] = None,
    kind: Annotated[Literal["csv", "parquet"], typer.Option("--format", help="Kind of file.")] = "csv",
    seed: options.Seed = DEFAULT_SEED,
    force: options.Force = False,
) -> None:
    """Make synthetic data: a table (shop: also its customers) and its schema.toml."""
    from icefire.samples import writing

    with progress() as stage:
        path: Path = writing.write(name, output, rows, seed, kind, force, stage)
    out.print(f"{path} (seed {seed})", markup=False)


COMMANDS = [Command(sample, order=20)]
