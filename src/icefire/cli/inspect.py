"""icefire inspect: measure one table or history alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import out, progress
from icefire.cli.outputs import check_files, write_json
from icefire.cli.reading import Reading


def inspect(
    table: Annotated[
        Path, typer.Argument(help="The table: CSV, CSV.gz, Parquet or Arrow; no original.", show_default=False)
    ],
    json: options.Json = None,
    measures: options.Measures = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", metavar="NAME.KEY=V", help="Parameter of a measure.")
    ] = None,
    points: Annotated[
        str | None,
        typer.Option(
            "--points",
            metavar="KIND:K[:SETTING]",
            help="Histories: risk of people of whom K points are known: items, counts, time (:hour|day|week|month), "
            "order, frequency, share, ratio (:tolerance), top2.",
            show_default=False,
        ),
    ] = None,
    keys: options.KeyOption = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Measure one table alone: k, ℓ, t and the other models, uniqueness, statistics of its columns."""
    import icefire
    from icefire.report.text import inspection as report
    from icefire.risk.known_points import parse_points

    known = None if points is None else parse_points(points)
    parameters = options.settings_by_owner(param)
    check_files(json, force=force)
    data = reading.read_and_confirm(table)
    with progress() as stage:
        inspection = icefire.inspect(
            data, measures=options.names(measures), parameters=parameters, points=known, keys=keys or (), progress=stage
        )
    if json != "-":
        report.show(inspection, out)
    write_json(inspection.to_json(), json, force)


COMMANDS = [Command(inspect, order=70)]
