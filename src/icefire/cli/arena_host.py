"""Running a competition: make one, start it, judge for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from icefire._version import DEFAULT_SEED
from icefire.cli import options
from icefire.cli.console import note, out, progress
from icefire.core.errors import InputError, ParameterError

if TYPE_CHECKING:
    from datetime import datetime

    from icefire.arena.contest.arena import Arena

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
Host = Annotated[str, typer.Option("--host", help="Address to listen at; 0.0.0.0 is every one of this machine.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen at; 0 takes any free one.")]


def init(
    folder: Folder,
    rules: Annotated[
        str, typer.Option("--rules", help="Contest; see: icefire list contests; or custom, with --data.")
    ] = "pwscup2015",
    title: Annotated[str, typer.Option("--title", help="What the competition is called.")] = "Anonymisation contest",
    zone: Annotated[str, typer.Option("--zone", help="Time zone of its times, such as Asia/Tokyo.")] = "UTC",
    rows: Annotated[
        int | None,
        typer.Option("-n", "--rows", min=100, help="Size of the synthetic data.", show_default="the contest's"),
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="Your own original data, as CSV.", show_default="synthetic")
    ] = None,
    customers: Annotated[
        Path | None, typer.Option("--customers", help="With --data: the table of customers.", show_default=False)
    ] = None,
    qi: Annotated[
        str | None,
        typer.Option("--qi", help="Of custom: what an attacker may know, comma-separated.", show_default="guessed"),
    ] = None,
    sa: Annotated[
        str | None, typer.Option("--sa", help="Of custom: sensitive columns, comma-separated.", show_default="guessed")
    ] = None,
    starts: Annotated[
        str | None,
        typer.Option("--starts", metavar="TIME", help="Local time, such as 2026-05-01T09:00.", show_default="now"),
    ] = None,
    minutes: Annotated[
        int | None,
        typer.Option(
            "--minutes", min=1, help="One final on site with phases of so many minutes.", show_default="two long rounds"
        ),
    ] = None,
    seed: options.Seed = DEFAULT_SEED,
) -> None:
    """Make a new competition: a folder with contest.toml, explained, and the original data."""
    from icefire.arena import setup

    known, sensitive = (tuple(options.names(given) or ()) or None for given in (qi, sa))
    plan = setup.SetupPlan(rules, title, zone, rows, data, customers, known, sensitive, minutes, seed)
    with progress() as stage:
        made = setup.create(folder, plan, _begin(starts, zone), stage)
    rounds = ", ".join(one.name for one in made.rounds)
    for line in (
        f"{folder / 'contest.toml'}: {rounds}; read it, change it, then",
        f"  icefire arena admin {folder} NAME     (your own account)",
        f"  icefire arena serve {folder}",
    ):
        out.print(line, markup=False, soft_wrap=True)


def _begin(starts: str | None, zone: str) -> datetime:
    from datetime import UTC, datetime

    from icefire.arena.setup import zone_named

    if starts is None:
        return datetime.now(UTC)
    try:
        given = datetime.fromisoformat(starts)
    except ValueError:
        raise ParameterError(f"--starts is {starts!r}; it takes a time such as 2026-05-01T09:00") from None
    return given if given.tzinfo else given.replace(tzinfo=zone_named(zone))


def admin(
    folder: Folder,
    name: Annotated[str, typer.Argument(help="Name to log in with.", show_default=False)],
    role: Annotated[
        Literal["admin", "organiser", "judge"], typer.Option("--role", help="What the account may do.")
    ] = "admin",
    database: DatabaseUrl = None,
) -> None:
    """Make an account for the organisers; the password is asked for, or read from standard input."""
    from icefire.arena.auth import accounts

    arena = opened(folder, database)
    secret = password(f"Password for {name}", twice=True)
    with arena.database.transaction() as session:
        made = accounts.add_account(session, name, secret, arena.now(), role)
    out.print(f"{made.name} is {role} of {arena.definition.title!r}", markup=False)


def password(question: str, twice: bool = False) -> str:
    """Ask for a password on a terminal, where it is not shown; otherwise read the first line of standard input."""
    if sys.stdin.isatty():
        return str(typer.prompt(question, hide_input=True, confirmation_prompt=twice, err=True))
    return sys.stdin.readline().rstrip("\r\n")


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

    arena = opened(folder, database)
    listener = server.listen(host, port)
    out.print(f"{arena.definition.title}: {server.address(listener)}  (Ctrl-C stops it)", markup=False, soft_wrap=True)
    _say_who_organises(arena, folder)
    server.serve(arena, listener, judges=0 if no_worker else workers, behind_proxy=behind_proxy)
    note("stopped; nothing is lost: start it again whenever you like")


def _say_who_organises(arena: Arena, folder: Path) -> None:
    from sqlalchemy import select

    from icefire.arena.storage.tables import AccountRow

    with arena.database.reading() as session:
        someone = session.scalars(
            select(AccountRow.id).where(AccountRow.role.in_(("admin", "organiser"))).limit(1)
        ).first()
    if someone is None:
        note(f"nobody organises it yet; make the first account with: icefire arena admin {folder} NAME")


def worker(
    folder: Folder,
    database: DatabaseUrl = None,
    workers: Annotated[int, typer.Option("--workers", min=1, max=64, help="Threads that judge.")] = 1,
) -> None:
    """Judge for a server that runs elsewhere on the same folder and database. Ctrl-C stops it."""
    from icefire.arena import server

    arena = opened(folder, database)
    out.print(f"judging for {arena.definition.title!r}  (Ctrl-C stops it)", markup=False)
    server.judge_only(arena, workers)
    note("stopped")


def demo(
    folder: Annotated[
        Path | None, typer.Option("-o", "--folder", help="Keep the competition here.", show_default="a temporary one")
    ] = None,
    port: Port = 8000,
    rows: Annotated[int, typer.Option("-n", "--rows", min=100, help="Households of the survey.")] = 600,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser.")] = False,
    seed: options.Seed = DEFAULT_SEED,
) -> None:
    """A whole competition with teams, releases and attacks, on this machine, to look around in."""
    from icefire.cli import arena_demo

    arena_demo.run(folder, port, rows, seed, not no_open)


def opened(folder: Path, database: str | None = None) -> Arena:
    """Open the competition in a folder."""
    from sqlalchemy.exc import OperationalError

    from icefire.arena.contest.arena import open_arena

    if not folder.is_dir():
        raise InputError(f"there is no folder {str(folder)!r}; make a competition with: icefire arena init {folder}")
    try:
        return open_arena(folder, database)
    except OperationalError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        raise InputError(f"the database cannot be opened ({reason}); check --database and that it runs") from None
