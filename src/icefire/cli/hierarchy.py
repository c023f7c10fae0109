"""icefire hierarchy: infer, show and check hierarchies; export what a release made of each value."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli import options
from icefire.cli.commands import Command, CommandGroup
from icefire.cli.console import WRONG_USE, note, out, progress
from icefire.cli.outputs import inputs
from icefire.cli.reading import confirm_roles
from icefire.core import formatting
from icefire.core.errors import IcefireError, InputError, OutputError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from icefire.core.dataset import Dataset
    from icefire.hierarchy import Hierarchy

TableArgument = Annotated[
    str, typer.Argument(metavar="DATA", help="The table: a file of any kind, an address, or -.", show_default=False)
]
HierarchyPath = Annotated[
    Path, typer.Argument(metavar="DIR|FILE", help="Folder of COLUMN.csv files, or one of them.", show_default=False)
]


@dataclass(frozen=True, slots=True)
class TableReading:
    """Options that say how a table is read and which columns are quasi-identifiers."""

    qi: options.Qi = None
    schema: options.SchemaOption = None
    yes: options.Yes = False
    files: options.TextFiles = field(default_factory=options.TextFiles)

    def read(self, path: str | Path, key: str | None = None) -> Dataset:
        """Read the table; inferred roles are used only if somebody agrees to them."""
        import icefire

        if self.qi is not None and self.schema is not None:
            raise ParameterError("--schema and --qi both give roles; use one of them")
        with progress() as stage:
            stage("reading")
            table = icefire.read(path, how=self.files.format, key=key, qi=options.names(self.qi), schema=self.schema)
        if table.kind != "table":
            raise InputError(
                f"{Path(path).name!r} holds many rows per person; hierarchies are for tables with one row each"
            )
        confirm_roles(table, self.yes, given_by="--qi COLUMNS")
        if not table.qi:
            raise InputError(f"{Path(path).name!r} has no quasi-identifiers; name some with --qi")
        return table


def infer(
    data: TableArgument,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder to write COLUMN.csv files to.", show_default=False)
    ] = None,
    force: options.Force = False,
    *,
    reading: TableReading,
) -> None:
    """Make a hierarchy for every quasi-identifier of a table; print and write them."""
    from icefire import hierarchy
    from icefire.io.places import check_folder
    from icefire.io.writing import whole_folder
    from icefire.report.text import hierarchies as report

    if output is not None:
        check_folder(output, "hierarchies", force, inputs())
    table = reading.read(data)
    if output is not None:
        _check_names(table.qi)
    with progress() as stage:
        stage("inferring")
        hierarchies = [hierarchy.infer(table.frame[name]) for name in table.qi]
    report.show_levels(hierarchies, out)
    if output is not None:
        with whole_folder(output, "hierarchies", force, inputs()) as draft:
            for inferred in hierarchies:
                inferred.write(draft / f"{inferred.name}.csv")
        files = formatting.counted(len(hierarchies), "file")
        note(f'{output}: {files}; use them in a recipe: hierarchies = "{output}"')


def show(place: HierarchyPath) -> None:
    """Print hierarchies: their levels and some groups of each."""
    from icefire import hierarchy
    from icefire.report.text import hierarchies as report

    report.show_levels([hierarchy.read(path) for path in _files(place)], out)


def check(place: HierarchyPath, data: TableArgument, *, reading: TableReading) -> None:
    """Find what is wrong with hierarchies for a table; exit 2 if anything is."""
    from icefire.report.text import hierarchies as report

    if not place.exists():
        raise InputError(f"{str(place)!r} does not exist; give a folder with one CSV file per column, or one file")
    table = reading.read(data)
    names = table.qi if place.is_dir() else (_column_of(place, table),)
    hierarchies, problems = [], []
    for name in names:
        try:
            hierarchies.append(_fitted(place, name, table))
        except IcefireError as error:
            problems.append(" ".join(str(error).split()))
    for problem in problems:
        print(f"icefire: error: {problem}", file=sys.stderr)
    if problems:
        raise typer.Exit(WRONG_USE)
    report.show_levels(hierarchies, out)
    _show_hints(hierarchies)
    count = len(hierarchies)
    out.print(f"fine: {formatting.counted(count, 'column')}, {formatting.counted(table.height, 'row')}", markup=False)


def _show_hints(hierarchies: Sequence[Hierarchy]) -> None:
    for known in hierarchies:
        if not known.closed:
            out.print(
                f"hint: {known.name!r} ends in {len(known.labels[-1]):,} values; with one, *, every k can be reached",
                markup=False,
                soft_wrap=True,
            )


def export(
    original: options.Original,
    released: options.Released,
    output: options.OutputFolder,
    origin: options.Origin,
    force: options.Force = False,
    *,
    reading: TableReading,
) -> None:
    """Write what was released for each value, counted, a file per column."""
    from icefire.audit.adapter import ReleaseFiles
    from icefire.audit.correspondence import TruthSource
    from icefire.audit.tables import TableAdapter
    from icefire.hierarchy import applied
    from icefire.io.places import check_folder
    from icefire.io.writing import whole_folder
    from icefire.report.text import hierarchies as report

    check_folder(output, "mappings", force, inputs())
    table = reading.read(original, origin.key)
    _check_names(table.qi)
    tables = TableAdapter()
    release = tables.load(ReleaseFiles(released, reading.files.format), table)
    rows = tables.truth(table, release, TruthSource(origin.truth, origin.aligned, origin.key)).rows
    x, y = release.original, release.released
    mappings = {name: applied.applied(x.frame[name][rows], y.frame[name]) for name in x.qi}
    from icefire.io.tables import write_frame

    with whole_folder(output, "mappings", force, inputs()) as draft:
        for name, mapping in mappings.items():
            write_frame(mapping, draft / f"{name}.csv")
    report.show_mappings(mappings, out)
    note(f"{output}: made from the true origin of every row; see docs/hierarchies.md before you hand it out")


def _check_names(names: Sequence[str]) -> None:
    """Refuse a column whose name cannot be that of a file."""
    for name in names:
        if Path(f"{name}.csv").name != f"{name}.csv":
            raise OutputError(f"column {name!r} cannot name a file; rename the column, or leave it out of --qi")


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    paths = sorted(path for path in place.iterdir() if path.suffix.lower() == ".csv")
    if not paths:
        raise InputError(f"folder {str(place)!r} holds no CSV files; give a folder of hierarchies, or one file")
    return paths


def _column_of(file: Path, table: Dataset) -> str:
    """Return the column that a file is for: the longest name that its own ends in."""
    fitting = [name for name in table.frame.columns if file.name.endswith(f"{name}.csv")]
    if not fitting:
        raise InputError(
            f"{file.name!r} ends in the name of no column; {did_you_mean(file.stem, table.frame.columns)}: rename it"
        )
    return max(fitting, key=len)


def _fitted(place: Path, name: str, table: Dataset) -> Hierarchy:
    """Read the hierarchy of a column, and check that it covers the values of the table."""
    from icefire import hierarchy

    known = hierarchy.read(place if place.is_file() else hierarchy.find_file(place, name), name)
    hierarchy.fit(known, table.frame[name])
    return known


COMMANDS = [
    CommandGroup(
        "hierarchy",
        "Hierarchies: infer, show and check them; export what a release made of each value.",
        [Command(infer), Command(show), Command(check), Command(export)],
        order=120,
    )
]
