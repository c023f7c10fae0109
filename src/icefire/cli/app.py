"""The verbs, in the order the data flows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from icefire import __version__
from icefire._version import DEFAULT_SEED
from icefire.cli import arena, hierarchies, options, recipes
from icefire.cli.auditing import audit
from icefire.cli.console import guarded, note, out, progress, write_json
from icefire.cli.reading import Reading, confirm, reads

if TYPE_CHECKING:
    pass

app = typer.Typer(
    name="icefire",
    help="Anonymise personal data, attack the result, measure what was lost: know before you release.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(recipes.app, name="recipe")
app.add_typer(hierarchies.app, name="hierarchy")
app.add_typer(arena.app, name="arena")


def main() -> None:
    """Run the command line."""
    guarded(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"icefire {__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Anonymise personal data, attack the result, measure what was lost: know before you release."""


@app.command()
def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the files and the report.")] = Path(
        "icefire-demo"
    ),
    rows: Annotated[int | None, typer.Option("-n", "--rows", min=10, help="Households to make.")] = None,
    seed: options.Seed = DEFAULT_SEED,
) -> None:
    """The whole story on synthetic data: make, anonymise, attack, report."""
    from icefire.cli import story

    story.tell(output, rows, seed)


@app.command()
def sample(
    name: Annotated[str, typer.Argument(help="Which sample; see: icefire list samples.", show_default=False)],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write.", show_default=False)],
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
        path = writing.write(name, output, rows, seed, kind, force, stage)
    out.print(f"{path} (seed {seed})", markup=False)


@app.command()
@reads
def anonymize(
    data: options.Original,
    recipe: Annotated[Path, typer.Option("--recipe", "-r", help="TOML file with the steps.", show_default=False)],
    output: Annotated[Path, typer.Option("-o", "--output", help="Release folder to write.", show_default=False)],
    kind: Annotated[Literal["csv", "parquet"], typer.Option("--format", help="Kind of the released file.")] = "csv",
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Instead of the recipe's seed.", show_default=False)
    ] = None,
    random_seed: Annotated[bool, typer.Option("--random-seed", help="Draw a seed nobody can guess.")] = False,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Apply a recipe and write a release folder; truth and seed go to its secret/ folder."""
    import secrets

    import icefire
    from icefire.recipe import load
    from icefire.report.words import released_words

    steps = load(recipe, secrets.randbits(64) if random_seed else seed)
    with progress() as stage:
        stage("reading")
        table = reading.read(data)
    confirm(table, reading.yes)
    with progress() as stage:
        release = icefire.anonymize(table, steps, output=output, kind=kind, force=force, progress=stage)
    out.print(f"{output}: {released_words(table, release)}", markup=False)
    note(f"seed {release.seed}; keep {output / 'secret'} in the house: truth and seed undo the release")
    if release.seed == DEFAULT_SEED:
        note("this seed is the well-known default; for a real release pass --random-seed")


app.command()(audit)


@app.command()
@reads
def attack(
    name: Annotated[str, typer.Argument(help="Name or code; see: icefire list attacks.", show_default=False)],
    original: options.Original,
    released: options.Released,
    output: Annotated[Path, typer.Option("-o", "--output", help="Write the guess here.", show_default=False)],
    param: Annotated[
        list[str] | None, typer.Option("--param", metavar="KEY=V", help="Parameter of the attack.")
    ] = None,
    released_customers: options.ReleasedCustomers = None,
    seed: options.Seed = DEFAULT_SEED,
    *,
    reading: Reading,
) -> None:
    """Run one attack and write its answers: one original row per released row, -1 for none."""
    import icefire
    from icefire.core import registry
    from icefire.io import files

    contest = {} if reading.rules is None else reading.rules.parameters.get(registry.get("attack", name).name, {})
    parameters = {**contest, **options.settings(param)}
    registry.get("attack", name).bind(parameters)
    files.check_place(output)
    table = reading.read(original)
    confirm(table, reading.yes)
    with progress() as stage:
        guess = icefire.attack(
            name,
            table,
            released,
            parameters=parameters,
            seed=seed,
            released_customers=released_customers,
            how=reading.how,
            customers_how=reading.customers_how,
            progress=stage,
        )
    with files.whole_file(output) as draft:
        files.write_integers(guess.rows, draft)
    out.print(
        f"{output}: {int((guess.first >= 0).sum()):,} of {len(guess):,} targets answered (seed {seed})",
        markup=False,
    )


@app.command()
def score(
    truth: Annotated[Path, typer.Argument(help="One original row per target, no header.", show_default=False)],
    guess: Annotated[Path, typer.Argument(help="One row of answers per target, no header.", show_default=False)],
    json: options.Json = None,
    of: Annotated[
        int | None, typer.Option("--of", min=1, help="Denominator of the rate.", show_default="the targets")
    ] = None,
    originals: Annotated[
        int | None,
        typer.Option("--originals", min=1, help="Rows to choose from, for the baseline.", show_default="the targets"),
    ] = None,
) -> None:
    """Score a guess against the truth."""
    import msgspec

    import icefire
    from icefire.report import text

    found = icefire.score(truth, guess, originals=originals, of=of)
    if json != "-":
        text.show_score(found, out)
    write_json(msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n", json)


@app.command()
@reads
def inspect(
    table: Annotated[
        Path, typer.Argument(help="The table: CSV, CSV.gz, Parquet or Arrow; no original.", show_default=False)
    ],
    json: options.Json = None,
    measures: Annotated[str | None, typer.Option("--measures", help="Only these, comma-separated.")] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", metavar="NAME.KEY=V", help="Parameter of a measure.")
    ] = None,
    *,
    reading: Reading,
) -> None:
    """Measure one table alone: k, ℓ, t and the other models, uniqueness, statistics of its columns."""
    import icefire

    settings = options.settings_by_owner(param)
    with progress() as stage:
        stage("reading")
        data = reading.read(table)
    confirm(data, reading.yes)
    with progress() as stage:
        found = icefire.inspect(data, measures=options.names(measures), parameters=settings, progress=stage)
    if json != "-":
        _show_inspection(found)
    write_json(found.to_json(), json)


def _show_inspection(found: Any) -> None:
    from icefire.audit.inspect_tables import Inspection
    from icefire.report import inspection

    if isinstance(found, Inspection):
        inspection.show(found, out)
    else:
        from icefire.report import history_inspection

        history_inspection.show(found, out)


@app.command()
def check(
    contest: Annotated[str, typer.Argument(help="Which contest; see: icefire list contests.", show_default=False)],
    files: Annotated[list[Path], typer.Argument(help="The files it takes, in its order.", show_default=False)],
    json: options.Json = None,
) -> None:
    """Check the files of a contest: every problem with its row and column; exit 2 if there is one."""
    from icefire.cli import checking

    checking.run(contest, files, json)


@app.command("list")
def list_(
    what: Annotated[
        Literal["methods", "measures", "attacks", "samples", "studies", "contests", "all"],
        typer.Argument(help="What to list."),
    ] = "all",
) -> None:
    """List methods, measures, attacks, samples, studies and contests."""
    from icefire.cli import listing

    listing.show(what, out)


@app.command()
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
    seed: options.Seed = DEFAULT_SEED,
    force: options.Force = False,
) -> None:
    """Repeat a table or figure of the papers on synthetic data, or on the contest's."""
    from icefire import studies

    folder = output or Path(f"study-{name}")
    with progress() as stage:
        result = studies.run(name, folder, rows=rows, seed=seed, data=data, force=force, progress=stage)
    result.show(out)
