"""icefire inspect: measure one table or history alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import note, out, progress
from icefire.cli.outputs import check_files, new_file, write_json
from icefire.cli.reading import Reading, show_inferred_roles
from icefire.core.errors import ParameterError
from icefire.words import said

if TYPE_CHECKING:
    from icefire.audit.inspection.history_statistics import Resemblance
    from icefire.core.parameters import Columns

PICTURES = (".png", ".svg")
LISTS = (".csv", ".parquet")


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
    html: Annotated[Path | None, typer.Option("--html", help="Write an HTML page.", show_default=False)] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            help="Histories: draw how alike two people are (.png or .svg).",
            show_default=False,
        ),
    ] = None,
    candidates: Annotated[
        Path | None,
        typer.Option(
            "--candidates",
            help="Tables: list for each row the rows it could be swapped with (.csv or .parquet).",
            show_default=False,
        ),
    ] = None,
    candidate_limit: Annotated[
        float, typer.Option("--candidate-limit", min=0, help="Largest iloss between a row and its candidates.")
    ] = 4.0,
    candidate_numbers: Annotated[
        str | None,
        typer.Option(
            "--candidate-numbers", help="Columns of candidates compared as numbers.", show_default="those of the schema"
        ),
    ] = None,
    candidate_categories: Annotated[
        str | None,
        typer.Option("--candidate-categories", help="Columns compared as categories.", show_default="the others"),
    ] = None,
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
    from icefire.report.html.inspection import write_inspection
    from icefire.report.text import inspection as report
    from icefire.risk.known_points import parse_points

    known = None if points is None else parse_points(points)
    parameters = options.settings_by_owner(param)
    check_files(json, write_schema, html, picture, candidates, force=force)
    _check_endings(picture, candidates)
    if write_schema is not None:
        _write_schema(reading, table, write_schema, force)
        return
    data = reading.read_and_confirm(table)
    _check_kind(data.kind, picture, candidates)
    with progress() as stage:
        inspection = icefire.inspect(
            data, measures=options.names(measures), parameters=parameters, points=known, keys=keys or (), progress=stage
        )
    if json != "-":
        report.show(inspection, out)
    write_json(inspection.to_json(), json, force)
    if html is not None:
        write_inspection(inspection, html, force)
        note(f"html: {html}")
    if picture is not None and isinstance(inspection, icefire.HistoryInspection):
        _draw(inspection.statistics.jaccard, picture, force)
    if candidates is not None:
        numbers, categories = options.names(candidate_numbers), options.names(candidate_categories)
        compared = (
            None if numbers is None else tuple(numbers),
            None if categories is None else tuple(categories),
        )
        _list_candidates(data, candidate_limit, compared, candidates, force)


def _check_endings(picture: Path | None, candidates: Path | None) -> None:
    """Refuse files that cannot be written, before any work."""
    from icefire.core.extras import require

    if picture is not None:
        if picture.suffix.lower() not in PICTURES:
            raise ParameterError(f"--picture got {str(picture)!r}; name a file that ends with {' or '.join(PICTURES)}")
        require("matplotlib", "plots", "--picture")
    if candidates is not None and candidates.suffix.lower() not in LISTS:
        raise ParameterError(f"--candidates got {str(candidates)!r}; name a file that ends with {' or '.join(LISTS)}")


def _check_kind(kind: str, picture: Path | None, candidates: Path | None) -> None:
    if picture is not None and kind != "history":
        raise ParameterError("--picture draws how alike the people of a history are; this is a table: leave it out")
    if candidates is not None and kind != "table":
        raise ParameterError("--candidates is for tables with one row per person; this is a history: leave it out")


def _draw(alike: Resemblance, target: Path, force: bool) -> None:
    """Draw the distribution of the Jaccard coefficient."""
    from icefire.studies import plots, resemblance_plot

    with new_file(target, force) as draft:
        plots.save_as(lambda: resemblance_plot.resemblance(alike), draft, target.suffix.lower())
    note(f"picture: {target}")


def _list_candidates(data: Any, limit: float, compared: tuple[Columns, Columns], target: Path, force: bool) -> None:
    """Write the swap candidates of every row."""
    import icefire
    from icefire.audit.swap_candidates import as_text
    from icefire.io.tables import write_frame

    with progress() as stage:
        stage("listing candidates")
        lines = icefire.swap_candidates(data, limit=limit, numbers=compared[0], categories=compared[1])
    with new_file(target, force) as draft:
        write_frame(as_text(lines) if target.suffix.lower() == ".csv" else lines, draft)
    note(f"candidates: {target}")


def _write_schema(reading: Reading, table: str | Path, target: Path, force: bool) -> None:
    """Write the roles of a table to a schema file, and show them."""
    from icefire.core import schema

    data = reading.read(table)
    if data.kind != "table":
        raise ParameterError("--write-schema is for tables; the schema of a history names its columns by meaning")
    show_inferred_roles(data)
    with new_file(target, force) as draft:
        draft.write_text(schema.as_toml(data.schema), encoding="utf-8")
    out.print(said(f"{target}: check the roles, then use them with --schema {target}"), markup=False, soft_wrap=True)


COMMANDS = [Command(inspect, order=70)]
