"""Hierarchies before a release, and the mapping after it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from icefire.cli import options
from icefire.cli.console import WRONG_USE, err, note, out, progress
from icefire.core.errors import IcefireError, InputError, OutputError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from icefire.core.dataset import Dataset
    from icefire.hierarchy import Hierarchy

app = typer.Typer(
    help="Hierarchies: infer, show and check them; export what a release made of each value.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

EXAMPLES = 12
"""Groups named per level, as far as they fit on the line."""

Data = Annotated[
    Path, typer.Argument(metavar="DATA", help="The table: CSV, CSV.gz, Parquet or Arrow.", show_default=False)
]
Place = Annotated[
    Path, typer.Argument(metavar="DIR|FILE", help="Folder of COLUMN.csv files, or one of them.", show_default=False)
]


@app.command()
def infer(
    data: Data,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder to write COLUMN.csv files to.", show_default=False)
    ] = None,
    force: options.Force = False,
    qi: options.Qi = None,
    schema: options.SchemaFile = None,
    no_header: options.NoHeader = False,
    columns: options.Columns = None,
    delimiter: options.Delimiter = None,
    missing: options.Missing = None,
) -> None:
    """Make a hierarchy for every quasi-identifier of a table; print and write them."""
    from icefire import hierarchy
    from icefire.io import files

    table = _read(data, options.text_format(no_header, columns, delimiter, missing), qi, schema)
    if output is not None:
        _check_names(table.qi)
    with progress() as stage:
        stage("inferring")
        made = [hierarchy.infer(table.frame[name]) for name in table.qi]
    out.print(_drawn(made))
    if output is not None:
        with files.whole_folder(output, force) as draft:
            for known in made:
                known.write(draft / f"{known.name}.csv")
        note(f'{output}: {len(made)} files; use them in a recipe: hierarchies = "{output}"')


@app.command()
def show(place: Place) -> None:
    """Print hierarchies: their levels and some groups of each."""
    from icefire import hierarchy

    out.print(_drawn([hierarchy.read(path) for path in _files(place)]))


@app.command()
def check(
    place: Place,
    data: Data,
    qi: options.Qi = None,
    schema: options.SchemaFile = None,
    no_header: options.NoHeader = False,
    columns: options.Columns = None,
    delimiter: options.Delimiter = None,
    missing: options.Missing = None,
) -> None:
    """Find what is wrong with hierarchies for a table; exit 2 if anything is."""
    if not place.exists():
        raise InputError(f"{str(place)!r} does not exist; give a folder with one CSV file per column, or one file")
    table = _read(data, options.text_format(no_header, columns, delimiter, missing), qi, schema)
    names = table.qi if place.is_dir() else (_column_of(place, table),)
    found, faults = [], []
    for name in names:
        try:
            found.append(_fitted(place, name, table))
        except IcefireError as error:
            faults.append(" ".join(str(error).split()))
    for fault in faults:
        print(f"icefire: error: {fault}", file=sys.stderr)
    if faults:
        raise typer.Exit(WRONG_USE)
    out.print(_drawn(found))
    for known in found:
        if not known.closed:
            out.print(
                f"hint: {known.name!r} ends in {len(known.labels[-1]):,} values; with one, *, every k can be reached",
                markup=False,
                soft_wrap=True,
            )
    out.print(f"fine: {len(found)} column{'s' if len(found) != 1 else ''}, {table.height:,} rows", markup=False)


@app.command()
def export(
    original: options.Original,
    released: options.Released,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write.", show_default=False)],
    truth: Annotated[Path | None, typer.Option("--truth", help="File: the original row of each released row.")] = None,
    aligned: Annotated[bool, typer.Option("--aligned", help="Both files are in the same order.")] = False,
    key: Annotated[str | None, typer.Option("--key", help="Column that names the person in both files.")] = None,
    force: options.Force = False,
    qi: options.Qi = None,
    schema: options.SchemaFile = None,
    no_header: options.NoHeader = False,
    columns: options.Columns = None,
    delimiter: options.Delimiter = None,
    missing: options.Missing = None,
) -> None:
    """Write what was released for each value, counted, a file per column."""
    from icefire.audit.adapter import ReleaseFiles
    from icefire.audit.correspondence import TruthSource
    from icefire.audit.tables import TableAdapter
    from icefire.hierarchy import applied
    from icefire.io import files

    how = options.text_format(no_header, columns, delimiter, missing)
    table = _read(original, how, qi, schema, key)
    _check_names(table.qi)
    tables = TableAdapter()
    release = tables.load(ReleaseFiles(released, how), table)
    rows = tables.truth(table, release, TruthSource(truth, aligned, key)).rows
    x, y = release.original, release.released
    mappings = {name: applied.applied(x.frame[name][rows], y.frame[name]) for name in x.qi}
    with files.whole_folder(output, force) as draft:
        for name, mapping in mappings.items():
            files.write_frame(mapping, draft / f"{name}.csv")
    out.print(_summary(mappings))
    note(f"{output}: made from the true origin of every row; see docs/hierarchies.md before you hand it out")


def _read(data: Path, how: Any, qi: str | None, schema: Path | None, key: str | None = None) -> Dataset:
    """Read the table, and say which columns are meant if nobody said so."""
    import icefire
    from icefire.audit.provenance import describe_roles
    from icefire.core.dataset import Dataset
    from icefire.report import text

    if qi is not None and schema is not None:
        raise ParameterError("--schema and --qi both give roles; use one of them")
    with progress() as stage:
        stage("reading")
        table = icefire.read(data, how=how, key=key, qi=options.names(qi), schema=schema)
    if not isinstance(table, Dataset):
        raise InputError(f"{data.name!r} holds many rows per person; hierarchies are for tables with one row each")
    if table.schema.origin == "inferred":
        text.show_roles(describe_roles(table), err)
    if not table.qi:
        raise InputError(f"{data.name!r} has no quasi-identifiers; name some with --qi")
    return table


def _check_names(names: Sequence[str]) -> None:
    """Refuse a column whose name cannot be that of a file."""
    for name in names:
        if Path(f"{name}.csv").name != f"{name}.csv":
            raise OutputError(f"column {name!r} cannot name a file; rename the column, or leave it out of --qi")


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    found = sorted(path for path in place.iterdir() if path.suffix.lower() == ".csv")
    if not found:
        raise InputError(f"folder {str(place)!r} holds no CSV files; give a folder of hierarchies, or one file")
    return found


def _column_of(file: Path, table: Dataset) -> str:
    """Return the column that a file is for: the longest name that its own ends in."""
    fitting = [name for name in table.frame.columns if file.name.endswith(f"{name}.csv")]
    if not fitting:
        raise InputError(
            f"{file.name!r} ends in the name of no column; {did_you_mean(file.stem, table.frame.columns)}: rename it"
        )
    return max(fitting, key=len)


def _fitted(place: Path, name: str, table: Dataset) -> Hierarchy:
    """Read the hierarchy of a column, and lay it over the values of the table."""
    from icefire import hierarchy

    known = hierarchy.read(place if place.is_file() else hierarchy.find(place, name), name)
    hierarchy.fit(known, table.frame[name])
    return known


def _drawn(made: Sequence[Hierarchy]) -> Table:
    """Draw the levels of all columns, one line each, cut to the width of the terminal."""
    lines = []
    for known in made:
        for level, labels in enumerate(known.labels):
            shown = ["(missing)" if label is None else label for label in labels.head(EXAMPLES)]
            said = ", ".join(shown) + (", …" if len(labels) > EXAMPLES else "")
            lines.append((known.name if level == 0 else "", str(level), f"{len(labels):,}", said))
    return _table(("column", "level", "groups", "what values become"), lines)


def _summary(mappings: dict[str, Any]) -> Table:
    """Draw how many values each column had, has now, and in how many ways one value was released at most."""
    lines = []
    for name, mapping in mappings.items():
        ways = mapping.group_by("value").len()["len"].max()
        lines.append((name, f"{mapping['value'].n_unique():,}", f"{mapping['released'].n_unique():,}", f"{ways:,}"))
    return _table(("column", "values", "released", "ways at most"), lines, numbers=3)


def _table(titles: tuple[str, str, str, str], lines: list[tuple[str, str, str, str]], numbers: int = 2) -> Table:
    """Draw a name, two or three numbers, and in the last column what fits into the room left."""
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    from icefire.report.columns import safe

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    widths = [max(cell_len(safe(line[place])) for line in [titles, *lines]) for place in range(4)]
    widths[0] = min(widths[0], max(8, out.width // 4))
    widths[3] = min(widths[3], max(8, out.width - sum(widths[:3]) - 2 * 3))
    for place, (title, width) in enumerate(zip(titles, widths, strict=True)):
        side: Any = "right" if 1 <= place <= numbers else "left"
        table.add_column(title, justify=side, no_wrap=True, overflow="ellipsis", width=width)
    for line in lines:
        table.add_row(*(Text(safe(cell)) for cell in line))
    return table
