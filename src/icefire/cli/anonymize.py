"""icefire anonymize: apply a recipe and write a release folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import note, out, progress
from icefire.cli.outputs import inputs
from icefire.cli.reading import Reading
from icefire.core.formatting import counted
from icefire.words import said

if TYPE_CHECKING:
    from icefire.audit.parts.anonymize import WrittenRelease
    from icefire.core.dataset import Dataset
    from icefire.core.history import History
    from icefire.core.release import Truth


def anonymize(
    data: options.Original,
    recipe: Annotated[Path, typer.Option("--recipe", "-r", help="TOML file with the steps.", show_default=False)],
    output: Annotated[Path, typer.Option("-o", "--output", help="Release folder to write.", show_default=False)],
    kind: Annotated[
        Literal["csv", "parquet", "arrow", "json", "jsonl", "xlsx"] | None,
        typer.Option("--format", help="Kind of the released file.", show_default="that of DATA, or csv"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="A fixed seed.", show_default="the recipe's, else drawn")
    ] = None,
    random_seed: Annotated[
        bool, typer.Option("--random-seed", help="Draw a seed nobody can guess, also where the recipe has one.")
    ] = False,
    secret: Annotated[
        Path | None,
        typer.Option("--secret", help="Folder for truth and seed, for you alone.", show_default="OUTPUT.secret"),
    ] = None,
    force: options.Force = False,
    engine: Annotated[
        Literal["local", "partitioned", "spark"],
        typer.Option("--engine", help="Where the table is held: in this process, on disk, or on a Spark cluster."),
    ] = "local",
    memory_limit: Annotated[
        str | None,
        typer.Option(
            "--memory-limit", metavar="SIZE", help="Engine partitioned: memory it may use, as 6GB.", show_default=False
        ),
    ] = None,
    *,
    reading: Reading,
) -> None:
    """Apply a recipe and write a release folder to hand out; truth and seed go to a folder beside it."""
    import icefire
    from icefire.core.errors import ParameterError
    from icefire.io.folder import ReleasePlace, secret_place
    from icefire.recipe import load

    if random_seed and seed is not None:
        raise ParameterError("--seed and --random-seed both give the seed; use one of them")
    steps = load(recipe, seed)
    ReleasePlace(output, secret, force, inputs()).check()
    steps = replace(steps, is_seeded=False) if random_seed else steps
    if engine != "local":
        given: Any = {name: value for name, value in reading.read_options().items() if value}
        with progress() as stage:
            written = icefire.anonymize(
                data,
                steps,
                output=output,
                kind=kind,
                secret=secret,
                force=force,
                engine=engine,
                memory_limit=memory_limit,
                progress=stage,
                **given,
            )
        out.print(f"{output}: {_written(written)}", markup=False, soft_wrap=True)
        _say_what_is_secret(secret or secret_place(output), written.seed_was_drawn, seed is not None)
        return
    if memory_limit is not None:
        raise ParameterError("--memory-limit is for the engine partitioned; leave it out, or add --engine partitioned")
    original = reading.read_and_confirm(data)
    with progress() as stage:
        release = icefire.anonymize(
            original,
            steps,
            output=output,
            kind=kind,
            secret=secret,
            force=force,
            progress=stage,
        )
    for step in release.recipe["steps"]:
        if lacking := step.get("notes", {}).get("not_applied"):
            note(f"{step['method']} was left out (optional): {lacking} is named; columns not named are released")
    out.print(f"{output}: {said(_released(original, release.released, release.truth))}", markup=False, soft_wrap=True)
    _say_what_is_secret(secret or secret_place(output), release.seed_was_drawn, seed is not None)


def _say_what_is_secret(place: Path, seed_was_drawn: bool, seed_was_given: bool) -> None:
    note(f"keep {place} to yourself: truth and seed undo the release")
    if not seed_was_drawn:
        advice = "leave --seed out" if seed_was_given else "pass --random-seed"
        note(f"the seed is fixed: whoever knows it can undo the release; for a real one {advice}")


def _written(release: WrittenRelease) -> str:
    """Say how much of the original a release has that is not in memory."""
    if release.subjects is None:
        return f"{release.rows:,} of {counted(release.originals, 'row')} released"
    people, rows = counted(release.subjects, "customer"), counted(release.rows, "row")
    return said(f"{release.subjects:,} of {people}, {rows} ({release.originals:,} in the original) released")


def _released(original: Dataset | History, released: Dataset | History, truth: Truth) -> str:
    """Say how much of the original was released, and under how many pseudonyms where people have several."""
    from icefire.core.release import NO_ANSWER

    if original.kind == "table":
        return f"{released.height:,} of {counted(original.height, 'row')} released"
    added = f" ({original.height:,} in the original)" if released.height != original.height else ""
    owners = len({*truth.rows.tolist()} - {NO_ANSWER})
    people = f"{owners:,} of {counted(original.people, 'customer')}"
    several = f" ({counted(released.people, 'pseudonym')})" if released.people > owners else ""
    return f"{people}{several}, {counted(released.height, 'row')}{added} released"


COMMANDS = [Command(anonymize, order=30)]
