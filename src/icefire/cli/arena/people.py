"""icefire arena accounts, link: make many accounts from a file; links to set a password with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli import options
from icefire.cli.arena.opening import open_folder
from icefire.cli.arena.options import DatabaseUrl, Folder
from icefire.cli.commands import Command
from icefire.cli.console import note, out
from icefire.cli.outputs import check_files
from icefire.core.errors import InputError, ParameterError

if TYPE_CHECKING:
    from icefire.arena.contest.arena import Arena

PublicAddress = Annotated[
    str | None,
    typer.Option("--address", help="Where people reach the server.", show_default="address in contest.toml"),
]


def accounts(
    folder: Folder,
    people: Annotated[
        Path, typer.Argument(metavar="PEOPLE", help="CSV: name, team, division, mail.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Where the one-time links go: a CSV file.", show_default=False)
    ],
    address: PublicAddress = None,
    mail: Annotated[bool, typer.Option("--mail", help="Also send the links by mail.")] = False,
    force: options.Force = False,
    database: DatabaseUrl = None,
) -> None:
    """Make accounts for everybody in a file, or for nobody; each gets a link to set a password with, once."""
    from icefire.arena.admin import people as accounts_of_people
    from icefire.arena.admin import people_file, people_links
    from icefire.arena.errors import WrongInput
    from icefire.io import files
    from icefire.io.writing import whole_file

    files.check_readable(people)
    check_files(output, force=force)
    arena = open_folder(folder, database)
    origin = _origin(arena, address)
    try:
        listed = people_file.read(people.read_bytes())
        with whole_file(output, force, [people], secret=True) as draft:
            new_links = accounts_of_people.make_accounts_here(arena, listed, origin if mail else "")
            draft.write_bytes(people_links.as_csv(new_links, origin))
    except WrongInput as wrong:
        more = f" ({len(wrong.problems) - 1:,} more like this)" if len(wrong.problems) > 1 else ""
        raise InputError(f"{people}: {wrong.problems[0]}{more}; nothing was made") from None
    out.print(f"{output}: {len(new_links):,} accounts and their links", markup=False, soft_wrap=True)
    note("each link works once, for two weeks; whoever has one can set the password of its account")


def link(
    folder: Folder,
    name: Annotated[str, typer.Argument(help="Name of the account.", show_default=False)],
    address: PublicAddress = None,
    database: DatabaseUrl = None,
) -> None:
    """Print a link with which the owner of an account sets a new password, once; earlier links of it end."""
    from icefire.arena.admin import people
    from icefire.arena.auth import links
    from icefire.arena.errors import Absent

    arena = open_folder(folder, database)
    origin = _origin(arena, address)
    try:
        new_link = people.new_link_here(arena, name)
    except Absent:
        raise InputError(f"no account is called {name!r}; the desk lists them") from None
    out.print(links.address(origin, new_link.code), markup=False, soft_wrap=True)


def _origin(arena: Arena, address: str | None) -> str:
    origin = (address or arena.definition.address).rstrip("/")
    if not origin.startswith(("http://", "https://")):
        raise ParameterError(
            f"--address is {origin!r}; it takes the server's address, such as https://cup.example, "
            "or write it in contest.toml: address"
        )
    return origin


COMMANDS = [Command(accounts, order=34), Command(link, order=36)]
