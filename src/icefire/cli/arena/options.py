"""Options that several commands of the arena share, and the files of a submission."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from icefire.core.errors import InputError, ParameterError

CORRESPONDENCE = "correspondence.csv"
"""What the arena calls the correspondence among the files of a submission."""
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The competition's folder.", show_default=False)]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        envvar="ICEFIRE_ARENA_DATABASE",
        help="postgresql://… for a large event.",
        show_default="SQLite in the folder",
    ),
]
AsRoot = Annotated[
    bool,
    typer.Option(
        "--as-root",
        envvar="ICEFIRE_ARENA_AS_ROOT",
        help="Run as root all the same; better make an account for it.",
    ),
]
Host = Annotated[str, typer.Option("--host", help="Address to listen at; 0.0.0.0 is every one of this machine.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen at; 0 takes any free one.")]
Url = Annotated[
    str | None,
    typer.Option("--url", help="Address of the server.", show_default="ICEFIRE_ARENA_URL, or of the last login"),
]
RoundOption = Annotated[str | None, typer.Option("--round", help="Which round.", show_default="the present one")]
ReleaseLabel = Annotated[
    str, typer.Argument(metavar="RELEASE", help="Label or id; see: icefire arena status.", show_default=False)
]
ReleasePath = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="The released table, or a release folder.", show_default=False)
]
Correspondence = Annotated[
    Path | None,
    typer.Argument(
        metavar="CORRESPONDENCE",
        help="Where each row comes from.",
        show_default="kept beside the release folder",
    ),
]
Customers = Annotated[
    Path | None, typer.Option("--customers", help="Histories: customer table of the release.", show_default=False)
]

HandedRecipe = Annotated[
    Path | None,
    typer.Option(
        "--recipe",
        help="The recipe without its seed, for the judge's attack replay; never taken from the release folder.",
        show_default=False,
    ),
]


def release_files(
    release: Path,
    correspondence: Path | None,
    customers: Path | None,
    recipe: Path | None = None,
    handed_in: Sequence[str] = ("released.csv", CORRESPONDENCE),
) -> dict[str, Path]:
    """Return the files of a submission by what they are; a release folder has all of them but the recipe.

    `handed_in` are the files that the contest asks for; where rows stay in order it asks for no correspondence.
    """
    from icefire.io import folder, places

    table = folder.table(release)
    people = customers or folder.customers(release)
    truth = correspondence or folder.truth_of(release)
    if CORRESPONDENCE not in handed_in and correspondence is None:
        truth = None
    elif truth is None:
        raise ParameterError(
            "CORRESPONDENCE is missing; name the file after the release, or keep it in the folder of "
            f"secrets beside the release, {str(folder.secret_place(release) / places.TRUTH)!r}"
        )
    paths = {
        "released": table,
        **({"customers": people} if people else {}),
        **({"correspondence": truth} if truth else {}),
    }
    for path in paths.values():
        if path.suffix.lower() in (".parquet", ".pq", ".arrow"):
            raise InputError(f"{str(path)!r} is no CSV; the arena takes CSV: write it with --format csv")
    return {**paths, **({"recipe": recipe} if recipe else {})}
