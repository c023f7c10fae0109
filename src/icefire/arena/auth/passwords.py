"""Password hashing and verification."""

from __future__ import annotations

import threading
from functools import cache

from pwdlib import PasswordHash

from icefire.arena import ids
from icefire.arena.errors import WrongInput

LEAST_PASSWORD = 10
MOST_PASSWORD = 200
_HASHERS = threading.BoundedSemaphore(2)
"""A password is hashed with 64 MB and a tenth of a second on purpose; a flood of them waits its turn."""


@cache
def _hasher() -> PasswordHash:
    return PasswordHash.recommended()


@cache
def _unknown_account_hash() -> str:
    """The hash that is compared with for an unknown name, so that it takes as long as for a known one."""
    return _hasher().hash(ids.new_secret())


class Hashed(str):
    """A password as it is stored."""

    __slots__ = ()


def hashed(password: str) -> Hashed:
    """Return what is stored of a password. It takes a tenth of a second: do it before a writing transaction begins."""
    if isinstance(password, Hashed):
        return password
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        raise WrongInput(f"a password has {LEAST_PASSWORD} to {MOST_PASSWORD} characters")
    with _HASHERS:
        return Hashed(_hasher().hash(password))


def matches(password: str, stored: str | None) -> bool:
    """Tell whether a password is the one stored; takes as long where none is, and then none is right."""
    with _HASHERS:
        right = _hasher().verify(password[:MOST_PASSWORD], stored or _unknown_account_hash())
    return right and bool(stored)
