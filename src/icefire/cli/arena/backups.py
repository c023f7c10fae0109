"""icefire arena backup, restore: keep copies of a running competition, and begin again from one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from icefire.cli.arena.opening import open_folder
from icefire.cli.arena.options import DatabaseUrl, Folder
from icefire.cli.arena.restoring import unpack
from icefire.cli.commands import Command
from icefire.cli.console import out, progress


def backup(
    folder: Folder,
    into: Annotated[Path, typer.Option("--into", metavar="DIR", help="Folder of the backups.", show_default=False)],
    keep: Annotated[
        int | None, typer.Option("--keep", min=1, help="Keep only the newest backups.", show_default="all")
    ] = None,
    database: DatabaseUrl = None,
) -> None:
    """Write a whole competition to a new file while it runs; it is as secret as the judge's vault."""
    from icefire.arena import bundle

    arena = open_folder(folder, database)
    with progress() as stage:
        stage("packing")
        written = bundle.backup(arena, into, keep)
    out.print(str(written), markup=False, soft_wrap=True)


def restore(
    source: Annotated[Path, typer.Argument(metavar="BACKUP", help="A file of backup.", show_default=False)],
    folder: Folder,
    database: DatabaseUrl = None,
) -> None:
    """Restore a backup to a new folder and, with --database, an empty database."""
    unpack(source, "backup", folder, database)


COMMANDS = [Command(backup, order=72), Command(restore, order=74)]
