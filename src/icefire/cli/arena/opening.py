"""Open the competition in a folder, or connect to a server."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from icefire.core.errors import InputError

if TYPE_CHECKING:
    from icefire.arena.client import Client
    from icefire.arena.contest.arena import Arena


def open_folder(folder: Path, database: str | None = None) -> Arena:
    """Open the competition in a folder."""
    from sqlalchemy.exc import OperationalError

    from icefire.arena.contest.arena import open_arena
    from icefire.arena.storage.database import without_password

    if not folder.is_dir():
        raise InputError(f"there is no folder {str(folder)!r}; make a competition with: icefire arena init {folder}")
    try:
        return open_arena(folder, database)
    except OperationalError as error:
        reason = without_password(str(error.orig).strip().partition("\n")[0], database)
        raise InputError(f"the database cannot be opened ({reason}); check --database and that it runs") from None


def refuse_root(allowed: bool) -> None:
    """Refuse to run a server or a judge as root, unless told to: a fault would hand over the whole machine."""
    if os.geteuid() == 0 and not allowed:
        raise InputError(
            "this would run as root, so that a fault in it would hand over the whole machine; "
            "start it as another account, or with --as-root (ICEFIRE_ARENA_AS_ROOT=1) where root owns nothing else"
        )


def connect(url: str | None) -> Client:
    """Return a connection to the server at an address, or the one of the last login."""
    from icefire.arena.client import Client, keyring

    return Client(*keyring.which(url))


def ask_password(question: str, twice: bool = False) -> str:
    """Ask for a password on a terminal, where it is not shown; otherwise read the first line of standard input."""
    if sys.stdin.isatty():
        return str(typer.prompt(question, hide_input=True, confirmation_prompt=twice, err=True))
    return sys.stdin.readline().rstrip("\r\n")
