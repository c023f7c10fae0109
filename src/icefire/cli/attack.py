"""icefire attack: run one attack and write its answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from icefire._version import DEFAULT_SEED
from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import out, progress
from icefire.cli.outputs import check_files, new_file
from icefire.cli.reading import Reading


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
    force: options.Force = False,
    *,
    method: options.KnownMethod,
    reading: Reading,
) -> None:
    """Run one attack and write its answers: one original row per released row, -1 for none."""
    import icefire
    from icefire.core import registry
    from icefire.io import files

    entry = registry.get("attack", name)
    contest = {} if reading.rules is None else reading.rules.parameters.get(entry.name, {})
    parameters = {**contest, **options.settings(param)}
    entry.bind(parameters)
    check_files(output, force=force)
    data = reading.read_and_confirm(original)
    with progress() as stage:
        guess = icefire.attack(
            name,
            data,
            released,
            parameters=parameters,
            recipe=method.recipe,
            method_known=method.method_known,
            seed=seed,
            released_customers=released_customers,
            how=reading.how,
            customers_how=reading.customers_how,
            progress=stage,
        )
    with new_file(output, force) as draft:
        files.write_integers(guess.rows, draft)
    answered = int((guess.first >= 0).sum())
    out.print(f"{output}: {answered:,} of {len(guess):,} targets answered (seed {seed})", markup=False)


COMMANDS = [Command(attack, order=50)]
