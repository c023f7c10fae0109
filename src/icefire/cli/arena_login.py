"""Which server, and who one is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli.console import note, out
from icefire.core.errors import InputError

if TYPE_CHECKING:
    from icefire.arena.client import Client

Url = Annotated[
    str | None,
    typer.Option("--url", help="Address of the server.", show_default="ICEFIRE_ARENA_URL, or of the last login"),
]


def login(
    url: Annotated[str, typer.Argument(help="Address of the server.", show_default=False)],
    name: Annotated[str, typer.Option("--name", prompt="Name", help="Your name there.", show_default=False)],
) -> None:
    """Log in: a token is made and kept in a file that only you can read. The password is not kept."""
    from icefire.arena.client import Client, keyring
    from icefire.cli.arena_host import password

    with Client(url) as client:
        if client.url.startswith("http://") and not _is_local(client.url):
            note("this connection is not encrypted: anybody on the way can read the password; prefer https://")
        token_id, token = client.login(name, password(f"Password of {name}"))
        path = keyring.keep(keyring.Login(client.url, name, token, token_id))
    out.print(f"logged in at {client.url} as {name}; the token is in {path}", markup=False, soft_wrap=True)


def _is_local(url: str) -> bool:
    from urllib.parse import urlsplit

    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def logout(url: Url = None) -> None:
    """Make the token worthless and forget it."""
    from icefire.arena.client import Client, Denied, keyring

    login = keyring.find(url.rstrip("/") if url else None)
    if login is None:
        raise InputError("no login is kept" + (f" for {url}" if url else "") + "; there is nothing to forget")
    try:
        with Client(login.url, login.token) as client:
            client.logout(login.id)
    except Denied:
        pass  # it is worthless already
    keyring.forget(login.url)
    out.print(f"logged out at {login.url}", markup=False, soft_wrap=True)


def connected(url: str | None) -> Client:
    """Return a connection to the server that is meant."""
    from icefire.arena.client import Client, keyring

    return Client(*keyring.which(url))
