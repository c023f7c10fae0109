"""icefire inspect: measure one table or history alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import out, progress
from icefire.cli.outputs import check_files, new_file, write_json
from icefire.cli.reading import Reading, show_inferred_roles
from icefire.core.errors import ParameterError


def inspect(
    table: Annotated[
        str, typer.Argument(help="The table: a file of any kind, an address, or -; no original.", show_default=False)
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
    write_schema: Annotated[
        Path | None,
        typer.Option("--write-schema", help="Write the roles here, to be corrected, and stop.", show_default=False),
    ] = None,
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
    check_files(json, write_schema, force=force)
    if write_schema is not None:
        _write_schema(reading, table, write_schema, force)
        return
    data = reading.read_and_confirm(table)
    with progress() as stage:
        inspection = icefire.inspect(
            data, measures=options.names(measures), parameters=parameters, points=known, keys=keys or (), progress=stage
        )
    if json != "-":
        report.show(inspection, out)
    write_json(inspection.to_json(), json, force)


def _write_schema(reading: Reading, table: str | Path, target: Path, force: bool) -> None:
    """Write the roles of a table to a schema file, and show them."""
    from icefire.core import schema

    data = reading.read(table)
    if data.kind != "table":
        raise ParameterError("--write-schema is for tables; the schema of a history names its columns by meaning")
    show_inferred_roles(data)
    with new_file(target, force) as draft:
        draft.write_text(schema.as_toml(data.schema), encoding="utf-8")
    out.print(f"{target}: check the roles, then use them with --schema {target}", markup=False, soft_wrap=True)


COMMANDS = [Command(inspect, order=70)]
