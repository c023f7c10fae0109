"""The file in which the command line keeps its tokens; only its owner can read it.

The environment goes first: ICEFIRE_ARENA_URL and ICEFIRE_ARENA_TOKEN.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from icefire.core.errors import InputError
from icefire.io.writing import whole_file

URL, TOKEN = "ICEFIRE_ARENA_URL", "ICEFIRE_ARENA_TOKEN"


class Login(msgspec.Struct, frozen=True):
    """A token and where it is good for."""

    url: str
    name: str
    token: str
    id: str


class _Ring(msgspec.Struct):
    logins: list[Login] = []


def place() -> Path:
    """Return the file, in the user's folder for settings."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "icefire" / "arena.json"


def keep(login: Login) -> Path:
    """Remember a login; the newest is the one that is used where no address is given."""
    _write([login, *(known for known in _read() if known.url != login.url)])
    return place()


def forget(url: str) -> None:
    """Forget the login for an address."""
    _write([known for known in _read() if known.url != url])


def find(url: str | None = None) -> Login | None:
    """Return the login for an address, or the newest one."""
    return next((known for known in _read() if url is None or known.url == url), None)


def which(url: str | None = None) -> tuple[str, str | None]:
    """Return the address to talk to and the token for it, if there is one."""
    wanted = url or os.environ.get(URL)
    login = find(wanted.rstrip("/") if wanted else None)
    if wanted is None and login is None:
        raise InputError(f"no server is known; log in first: icefire arena login URL (or set {URL} and {TOKEN})")
    token = os.environ.get(TOKEN) or (login.token if login else None)
    return wanted or (login.url if login else ""), token


def _read() -> list[Login]:
    path = place()
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Ring).logins
    except FileNotFoundError:
        return []
    except msgspec.DecodeError as error:
        raise InputError(f"{str(path)!r} cannot be read ({error}); remove it and log in again") from None


def _write(logins: list[Login]) -> None:
    path = place()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    before = os.umask(0o077)
    try:
        with whole_file(path, force=True) as draft:
            draft.write_bytes(msgspec.json.format(msgspec.json.encode(_Ring(logins)), indent=2))
    finally:
        os.umask(before)
