"""icefire arena serve, worker: serve a competition, judge for it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli.arena.opening import open_folder, refuse_root
from icefire.cli.arena.options import AsRoot, DatabaseUrl, Folder, Host, Port
from icefire.cli.commands import Command
from icefire.cli.console import note, out

if TYPE_CHECKING:
    from icefire.arena.contest.arena import Arena


class LogLines(StrEnum):
    """How lines of the log are written."""

    text = "text"
    json = "json"


LogFormatOption = Annotated[LogLines, typer.Option("--log-format", help="Lines of the log on standard error.")]


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
        str | None,
        typer.Option(
            "--behind-proxy",
            metavar="ADDRESSES",
            help="An HTTPS proxy hands requests on: its address or network, such as 127.0.0.1; several with commas.",
            show_default="trusted_proxies in contest.toml",
        ),
    ] = None,
    log_format: LogFormatOption = LogLines.text,
    access_log: Annotated[bool, typer.Option("--access-log", help="Write a line for each request.")] = False,
    metrics_from: Annotated[
        list[str] | None,
        typer.Option("--metrics-from", metavar="NETWORK", help="Who may read /metrics.", show_default="this machine"),
    ] = None,
    as_root: AsRoot = False,
) -> None:
    """Serve a competition: pages, API and judging in one process. Ctrl-C stops it."""
    from icefire.arena import server
    from icefire.arena.operations import logs
    from icefire.arena.web.addresses import trusted_networks
    from icefire.arena.web.health import LOCAL

    refuse_root(as_root)
    logs.configure(log_format.value, access_log)
    proxies = [one for one in (behind_proxy or "").split(",") if one.strip()]
    trusted_networks(proxies)
    arena = open_folder(folder, database)
    proxies = proxies or list(arena.definition.server.trusted_proxies)
    trusted_networks(proxies)
    _tell_defences(arena)
    listener = server.listen(host, port)
    out.print(f"{arena.definition.title}: {server.address(listener)}  (Ctrl-C stops it)", markup=False, soft_wrap=True)
    _note_missing_organiser(arena, folder)
    server.serve(
        arena,
        listener,
        judges=0 if no_worker else workers,
        behind_proxy=proxies,
        metrics_from=metrics_from or LOCAL,
    )
    note("stopped; nothing is lost: start it again whenever you like")


def _tell_defences(arena: Arena) -> None:
    """Print and log which walls stand around the judge's child, and which files others of this machine can open."""
    from icefire.arena.judge import walls
    from icefire.arena.storage import private_files

    standing = walls.probe()
    walls.log(standing)
    note(walls.sentence(standing))
    for one in private_files.open_places(arena.folder):
        note(f"{one.name} is open to others (mode {one.mode:o}); {one.cure}")


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
    log_format: LogFormatOption = LogLines.text,
    metrics_port: Annotated[
        int | None,
        typer.Option("--metrics-port", min=1, max=65535, help="Port for metrics of this process.", show_default="none"),
    ] = None,
    metrics_host: Annotated[
        str, typer.Option("--metrics-host", help="Address to listen at for metrics.")
    ] = "127.0.0.1",
    as_root: AsRoot = False,
) -> None:
    """Judge for a server that runs elsewhere on the same folder and database. Ctrl-C stops it."""
    from icefire.arena import server
    from icefire.arena.operations import logs, metrics

    refuse_root(as_root)
    logs.configure(log_format.value, access=False)
    arena = open_folder(folder, database)
    _tell_defences(arena)
    out.print(f"judging for {arena.definition.title!r}  (Ctrl-C stops it)", markup=False)
    if metrics_port is not None:
        metrics.serve(metrics_host, metrics_port)
    server.judge_only(arena, workers)
    note("stopped")


COMMANDS = [Command(serve, order=40), Command(worker, order=50)]
