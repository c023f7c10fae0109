"""icefire arena login, logout: keep or forget a token of a server."""

from __future__ import annotations

from typing import Annotated

import typer

from icefire.cli.arena.opening import ask_password
from icefire.cli.arena.options import Url
from icefire.cli.commands import Command
from icefire.cli.console import note, out
from icefire.core.errors import InputError


def login(
    url: Annotated[str, typer.Argument(help="Address of the server.", show_default=False)],
    name: Annotated[str, typer.Option("--name", prompt="Name", help="Your name there.", show_default=False)],
) -> None:
    """Log in: a token is made and kept in a file that only you can read. The password is not kept."""
    from icefire.arena.client import Client, keyring

    with Client(url) as client:
        if client.url.startswith("http://") and not _is_local(client.url):
            note("this connection is not encrypted: anybody on the way can read the password; prefer https://")
        token_id, token = client.login(name, ask_password(f"Password of {name}"))
        path = keyring.keep(keyring.Login(client.url, name, token, token_id))
    out.print(f"logged in at {client.url} as {name}; the token is in {path}", markup=False, soft_wrap=True)


def _is_local(url: str) -> bool:
    from urllib.parse import urlsplit

    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def logout(url: Url = None) -> None:
    """Make the token worthless and forget it."""
    from icefire.arena.client import Client, Denied, keyring

    kept = keyring.find(url.rstrip("/") if url else None)
    if kept is None:
        raise InputError("no login is kept" + (f" for {url}" if url else "") + "; there is nothing to forget")
    try:
        with Client(kept.url, kept.token) as client:
            client.logout(kept.id)
    except Denied:
        pass  # it is worthless already
    keyring.forget(kept.url)
    out.print(f"logged out at {kept.url}", markup=False, soft_wrap=True)


COMMANDS = [Command(login, order=80), Command(logout, order=90)]
