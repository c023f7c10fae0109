"""icefire arena init, admin: make a competition and its first account."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from icefire._version import DEFAULT_SEED
from icefire.cli import options
from icefire.cli.arena.opening import ask_password, open_folder
from icefire.cli.arena.options import DatabaseUrl, Folder
from icefire.cli.commands import Command
from icefire.cli.console import out, progress
from icefire.core.errors import ParameterError

if TYPE_CHECKING:
    from datetime import datetime


def _column(name: str, what: str) -> Any:
    return typer.Option(f"--{name}", help=f"Of a custom history: column of {what}.", show_default=False)


def init(
    folder: Folder,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules",
            help="Contest; see: icefire list contests; or custom, with --data.",
            show_default="the households of 2015",
        ),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="What the competition is called.")] = "Anonymisation contest",
    zone: Annotated[str, typer.Option("--zone", help="Time zone of its times, such as Asia/Tokyo.")] = "UTC",
    rows: Annotated[
        int | None,
        typer.Option("-n", "--rows", min=100, help="Size of the synthetic data.", show_default="the contest's"),
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data", help="Your own original data, as CSV; repeat it for the next round.", show_default="synthetic"
        ),
    ] = None,
    customers: Annotated[
        list[Path] | None,
        typer.Option("--customers", help="With --data: the table of customers; one for each.", show_default=False),
    ] = None,
    qi: Annotated[
        str | None,
        typer.Option("--qi", help="Of custom: what an attacker may know, comma-separated.", show_default="guessed"),
    ] = None,
    sa: Annotated[
        str | None, typer.Option("--sa", help="Of custom: sensitive columns, comma-separated.", show_default="guessed")
    ] = None,
    subject: Annotated[str | None, _column("subject", "the customer")] = None,
    item: Annotated[str | None, _column("item", "what was bought")] = None,
    receipt: Annotated[str | None, _column("receipt", "the receipt")] = None,
    date: Annotated[str | None, _column("date", "the date")] = None,
    time: Annotated[str | None, _column("time", "the time of day")] = None,
    price: Annotated[str | None, _column("price", "the price of one piece")] = None,
    number: Annotated[str | None, _column("number", "the number of pieces")] = None,
    starts: Annotated[
        str | None,
        typer.Option("--starts", metavar="TIME", help="Local time, such as 2026-05-01T09:00.", show_default="now"),
    ] = None,
    minutes: Annotated[
        int | None,
        typer.Option(
            "--minutes",
            min=1,
            max=60 * 24 * 366,
            help="One final on site with phases of so many minutes.",
            show_default="two long rounds",
        ),
    ] = None,
    seed: options.Seed = DEFAULT_SEED,
) -> None:
    """Make a new competition: a folder with contest.toml, explained, and the original data."""
    from icefire import contests
    from icefire.arena import setup

    known, sensitive = (tuple(options.names(given) or ()) or None for given in (qi, sa))
    fields = {"subject": subject, "item": item, "receipt": receipt, "date": date}
    fields |= {"time": time, "price": price, "number": number}
    plan = setup.SetupPlan(
        rules or contests.DEFAULT,
        title,
        zone,
        rows,
        tuple(data or ()),
        tuple(customers or ()),
        known,
        sensitive,
        {name: column for name, column in fields.items() if column is not None},
        minutes,
        seed,
    )
    with progress() as stage:
        definition = setup.create(folder, plan, _start(starts, zone), stage)
    rounds = ", ".join(one.name for one in definition.rounds)
    for line in (
        f"{folder / 'contest.toml'}: {rounds}; read it, change it, then",
        f"  icefire arena admin {folder} NAME     (your own account)",
        f"  icefire arena serve {folder}",
    ):
        out.print(line, markup=False, soft_wrap=True)


def _start(starts: str | None, zone: str) -> datetime:
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

    arena = open_folder(folder, database)
    secret = ask_password(f"Password for {name}", twice=True)
    with arena.database.transaction() as session:
        account = accounts.add_account(session, name, secret, arena.now(), role)
    out.print(f"{account.name} is {role} of {arena.definition.title!r}", markup=False)


COMMANDS = [Command(init, order=20), Command(admin, order=30)]
