"""icefire study: repeat a table or figure of the papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from icefire._version import DEFAULT_SEED
from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import out, progress


def study(
    name: Annotated[str, typer.Argument(help="Which study; see: icefire list studies.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for CSV and pictures.", show_default="study-NAME"),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--rows",
            min=100,
            help="Size of the sample: rows, or customers of the synthetic shop.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "-d",
            "--data",
            help="Folder with the contest's own files, instead of a sample.",
            show_default=False,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option("--seeds", min=1, help="How many seeds (p1-releases, p1-changes, strongest).", show_default="3"),
    ] = None,
    seed: options.Seed = DEFAULT_SEED,
    force: options.Force = False,
) -> None:
    """Repeat a table or figure of the papers on synthetic data, or on the contest's."""
    from icefire import studies

    folder = output or Path(f"study-{name}")
    with progress() as stage:
        result = studies.run_study(
            name, folder, rows=rows, seed=seed, data=data, seeds=seeds, force=force, progress=stage
        )
    result.show(out)


COMMANDS = [Command(study, order=100)]
