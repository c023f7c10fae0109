"""The files of a submission, as they are named on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from icefire.core.errors import InputError, ParameterError

Place = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="The released table, or a release folder.", show_default=False)
]
Correspondence = Annotated[
    Path | None,
    typer.Argument(
        metavar="CORRESPONDENCE", help="Where each row comes from.", show_default="the release folder's truth"
    ),
]
Customers = Annotated[
    Path | None, typer.Option("--customers", help="Histories: customer table of the release.", show_default=False)
]


def release_files(release: Path, correspondence: Path | None, customers: Path | None) -> dict[str, Path]:
    """Return the files of a submission by what they are; a release folder has all of them."""
    from icefire.io import folder

    table = folder.table(release)
    people = customers or folder.customers(release)
    truth = correspondence or (release / folder.TRUTH if release.is_dir() else None)
    if truth is None:
        raise ParameterError("CORRESPONDENCE is missing; name the file after the release, or give a release folder")
    found = {"released": table, **({"customers": people} if people else {}), "correspondence": truth}
    for path in found.values():
        if path.suffix.lower() in (".parquet", ".pq", ".arrow"):
            raise InputError(f"{str(path)!r} is no CSV; the arena takes CSV: write it with --format csv")
    return found
