"""Recipes before they are used: are they right, and what do they do?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli import options
from icefire.cli.console import WRONG_USE, err, out, progress, write_json
from icefire.cli.reading import Reading, reads
from icefire.core.errors import ParameterError

if TYPE_CHECKING:
    from icefire.core.dataset import Dataset
    from icefire.core.history import History
    from icefire.recipe import Review

app = typer.Typer(
    help="Recipes before they are used: check one, or have it explained.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

RecipeFile = Annotated[Path, typer.Argument(metavar="RECIPE", help="TOML file with the steps.", show_default=False)]
Data = Annotated[
    Path | None,
    typer.Argument(metavar="DATA", help="The table it is for: CSV, CSV.gz, Parquet or Arrow.", show_default=False),
]


@app.command()
@reads
def check(
    recipe: RecipeFile,
    data: Data = None,
    json: options.Json = None,
    *,
    reading: Reading,
) -> None:
    """Find every mistake in a recipe, alone or against a table; exit 2 if there is one."""
    from icefire import recipe as recipes

    table = _read(data, reading)
    with progress() as stage:
        stage("checking")
        found = recipes.review(recipe, table)
    write_json(_as_json(found), json)
    for fault in found.faults:
        print(f"icefire: error: {' '.join(fault.text.split())}", file=sys.stderr)
    if not found.fine:
        raise typer.Exit(WRONG_USE)
    if json != "-":
        _show(found)


def _show(found: Review) -> None:
    for hint in found.hints:
        out.print(f"hint: {hint}", markup=False, soft_wrap=True)
    tried = f", tried on {found.rehearsed:,} rows" if found.rehearsed else ""
    out.print(f"fine: {found.steps} step{'s' if found.steps > 1 else ''}{tried}", markup=False)


def _as_json(found: Review) -> str:
    import msgspec

    content = {
        "fine": found.fine,
        "steps": found.steps,
        "problems": [{"step": fault.step, "text": fault.text} for fault in found.faults],
        "hints": [{"step": hint.step, "text": hint.text} for hint in found.hints],
        "rows_tried": found.rehearsed,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode() + "\n"


@app.command()
@reads
def explain(
    recipe: RecipeFile,
    data: Data = None,
    json: options.Json = None,
    *,
    reading: Reading,
) -> None:
    """Say what each step does to whom; with a table, run the steps and say what they did. Nothing is released."""
    from icefire import recipe as recipes
    from icefire.cli import explanation
    from icefire.recipe import explain as explaining

    steps = recipes.load(recipe)
    table = _read(data, reading)
    with progress() as stage:
        stage("trying the steps" if table is not None else "reading")
        found = explaining.explain(steps, table)
    if json != "-":
        explanation.show(found, out)
    write_json(found.to_json(), json)


def _read(data: Path | None, reading: Reading) -> Dataset | History | None:
    """Read the data, if some are given, and say where the roles come from."""
    if data is None:
        if reading.described:
            raise ParameterError("--qi, --sa, --subject, --schema and others describe data; name them after the recipe")
        return None
    from icefire.audit.provenance import describe_roles
    from icefire.core.history import History
    from icefire.report import text

    with progress() as stage:
        stage("reading")
        table = reading.read(data)
    if not isinstance(table, History) and table.schema.origin == "inferred":
        text.show_roles(describe_roles(table), err)
    return table
