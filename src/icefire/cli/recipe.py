"""icefire recipe: write a first recipe, check one or explain it before it is used."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli import options
from icefire.cli.commands import Command, CommandGroup
from icefire.cli.console import WRONG_USE, as_json, out, progress, tolerated_closing
from icefire.cli.outputs import check_files, new_file, write_json
from icefire.cli.reading import Reading
from icefire.core import formatting
from icefire.core.errors import ParameterError
from icefire.words import said

if TYPE_CHECKING:
    from icefire.core.dataset import Dataset
    from icefire.core.history import History
    from icefire.recipe import Review

RecipeFile = Annotated[Path, typer.Argument(metavar="RECIPE", help="TOML file with the steps.", show_default=False)]
DataArgument = Annotated[
    Path | None,
    typer.Argument(metavar="DATA", help="The table it is for: CSV, CSV.gz, Parquet or Arrow.", show_default=False),
]


def check(
    recipe: RecipeFile,
    data: DataArgument = None,
    json: options.Json = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Find every mistake in a recipe, alone or against a table; exit 2 if there is one."""
    from icefire import recipe as recipes

    check_files(json, force=force)
    table = _read(data, reading)
    with progress() as stage:
        stage("checking")
        review = recipes.review(recipe, table)
    write_json(_json(review), json, force)
    for fault in review.faults:
        print(f"icefire: error: {said(' '.join(fault.text.split()))}", file=sys.stderr)
    if not review.fine:
        raise typer.Exit(WRONG_USE)
    if json != "-":
        _show(review)


def _show(review: Review) -> None:
    for hint in review.hints:
        out.print(f"hint: {hint}", markup=False, soft_wrap=True)
    tried = f", tried on {formatting.counted(review.rehearsed, 'row')}" if review.rehearsed else ""
    out.print(f"fine: {review.steps} step{'s' if review.steps > 1 else ''}{tried}", markup=False)


def _json(review: Review) -> str:
    return as_json(
        {
            "fine": review.fine,
            "steps": review.steps,
            "problems": [{"step": fault.step, "text": fault.text} for fault in review.faults],
            "hints": [{"step": hint.step, "text": hint.text} for hint in review.hints],
            "rows_tried": review.rehearsed,
        }
    )


def explain(
    recipe: RecipeFile,
    data: DataArgument = None,
    json: options.Json = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Say what each step does to whom; with a table, run the steps and say what they did. Nothing is released."""
    from icefire import recipe as recipes
    from icefire.recipe import explain as explaining
    from icefire.report.text import explanation as report

    steps = recipes.load(recipe)
    check_files(json, force=force)
    table = _read(data, reading)
    with progress() as stage:
        stage("trying the steps" if table is not None else "reading")
        explanation = explaining.explain(steps, table)
    if json != "-":
        report.show(explanation, out)
    write_json(explanation.to_json(), json, force)


def init(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="The table or history the recipe is for.", show_default=False)
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write. Default: it is printed.", show_default=False)
    ] = None,
    policy: Annotated[
        str,
        typer.Option("--policy", metavar="NAME|FILE", help="Limits: public, trusted, internal or a TOML file."),
    ] = "public",
    k: Annotated[
        int | None,
        typer.Option("--k", min=2, help="Least number of people who look the same.", show_default="that of the policy"),
    ] = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Write a first recipe for a table or a history, with comments on every step."""
    from icefire.audit import policy as policies
    from icefire.recipe.draft import first_recipe

    limits = policies.load(policy)
    target = None if output is None or str(output) == "-" else output
    check_files(target, force=force)
    content = first_recipe(reading.read_and_confirm(data), k or limits.least_class, limits.name)
    if target is None:
        with tolerated_closing(sys.stdout):
            sys.stdout.write(content)
            sys.stdout.flush()
        return
    with new_file(target, force) as draft:
        draft.write_text(content, encoding="utf-8")
    check = f"icefire recipe check {shlex.quote(str(target))} {shlex.quote(data)}{reading.typed_roles()}"
    out.print(f"{target}: read and change it, then: {check}", markup=False, soft_wrap=True)


def _read(data: Path | None, reading: Reading) -> Dataset | History | None:
    """Read the data, if some are given; inferred roles are used only if somebody agrees to them."""
    if data is None:
        if reading.described:
            raise ParameterError("--qi, --sa, --subject, --schema and others describe data; name them after the recipe")
        return None
    return reading.read_and_confirm(data)


COMMANDS = [
    CommandGroup(
        "recipe",
        "Recipes before they are used: write a first one, check one, or have it explained.",
        [Command(init), Command(check), Command(explain)],
        order=110,
    )
]
