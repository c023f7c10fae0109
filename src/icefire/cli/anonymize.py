"""icefire anonymize: apply a recipe and write a release folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from icefire._version import DEFAULT_SEED
from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import note, out, progress
from icefire.cli.reading import Reading

if TYPE_CHECKING:
    from icefire.core.dataset import Dataset
    from icefire.core.history import History


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

    steps = load(recipe, secrets.randbits(64) if random_seed else seed)
    original = reading.read_and_confirm(data)
    with progress() as stage:
        release = icefire.anonymize(original, steps, output=output, kind=kind, force=force, progress=stage)
    out.print(f"{output}: {_released(original, release.released)}", markup=False)
    note(f"seed {release.seed}; keep {output / 'secret'} to yourself: truth and seed undo the release")
    if release.seed == DEFAULT_SEED:
        note("this seed is the well-known default; for a real release pass --random-seed")


def _released(original: Dataset | History, released: Dataset | History) -> str:
    """Say how much of the original was released."""
    if original.kind == "table":
        return f"{released.height:,} of {original.height:,} rows released"
    added = f" ({original.height:,} in the original)" if released.height != original.height else ""
    return f"{released.people:,} of {original.people:,} customers, {released.height:,} rows{added} released"


COMMANDS = [Command(anonymize, order=30)]
