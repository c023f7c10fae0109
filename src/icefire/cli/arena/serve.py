"""icefire arena serve, worker: serve a competition, judge for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli.arena.opening import open_folder
from icefire.cli.arena.options import DatabaseUrl, Folder, Host, Port
from icefire.cli.commands import Command
from icefire.cli.console import note, out

if TYPE_CHECKING:
    from icefire.arena.contest.arena import Arena


def serve(
    folder: Folder,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    database: DatabaseUrl = None,
    workers: Annotated[int, typer.Option("--workers", min=1, max=64, help="Threads that judge.")] = 1,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Judge nothing here; start: icefire arena worker.")
    ] = False,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="An HTTPS proxy on this machine hands requests on.")
    ] = False,
) -> None:
    """Serve a competition: pages, API and judging in one process. Ctrl-C stops it."""
    from icefire.arena import server

    arena = open_folder(folder, database)
    listener = server.listen(host, port)
    out.print(f"{arena.definition.title}: {server.address(listener)}  (Ctrl-C stops it)", markup=False, soft_wrap=True)
    _note_missing_organiser(arena, folder)
    server.serve(arena, listener, judges=0 if no_worker else workers, behind_proxy=behind_proxy)
    note("stopped; nothing is lost: start it again whenever you like")


def _note_missing_organiser(arena: Arena, folder: Path) -> None:
    from sqlalchemy import select

    from icefire.arena.storage.tables import AccountRow

    with arena.database.reading() as session:
        organiser = session.scalars(
            select(AccountRow.id).where(AccountRow.role.in_(("admin", "organiser"))).limit(1)
        ).first()
    if organiser is None:
        note(f"nobody organises it yet; make the first account with: icefire arena admin {folder} NAME")


def worker(
    folder: Folder,
    database: DatabaseUrl = None,
    workers: Annotated[int, typer.Option("--workers", min=1, max=64, help="Threads that judge.")] = 1,
) -> None:
    """Judge for a server that runs elsewhere on the same folder and database. Ctrl-C stops it."""
    from icefire.arena import server

    arena = open_folder(folder, database)
    out.print(f"judging for {arena.definition.title!r}  (Ctrl-C stops it)", markup=False)
    server.judge_only(arena, workers)
    note("stopped")


COMMANDS = [Command(serve, order=40), Command(worker, order=50)]
