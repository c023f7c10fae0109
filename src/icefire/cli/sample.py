"""icefire sample: write synthetic data to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

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
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Seed of every random step.", show_default="the sample's own")
    ] = None,
    force: options.Force = False,
) -> None:
    """Make synthetic data: a table (shop: also its customers) and its schema.toml."""
    from icefire import samples
    from icefire.samples import writing

    drawn_seed: int = samples.load(name).DEFAULT_SEED if seed is None else seed
    with progress() as stage:
        path: Path = writing.write(name, output, rows, drawn_seed, kind, force, stage)
    out.print(f"{path} (seed {drawn_seed})", markup=False)


COMMANDS = [Command(sample, order=20)]
