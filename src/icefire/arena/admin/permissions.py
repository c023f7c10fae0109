"""The check of the role before every action and list of organisers and judges."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.orm import Session

from icefire.arena.auth.actor import Actor
from icefire.arena.contest import public_record
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import NotLoggedIn, Refused


@contextmanager
def acting(arena: Arena, actor: Actor, *, judges: bool = False) -> Iterator[Session]:
    """Open the transaction of an action of organisers, or of judges too; a record lets nobody act."""
    check(actor, judges=judges)
    with arena.database.transaction() as session:
        public_record.check(session)
        yield session


@contextmanager
def looking(arena: Arena, actor: Actor, *, judges: bool = True) -> Iterator[Session]:
    """Open a session to read what staff may read."""
    check(actor, judges=judges)
    with arena.database.reading() as session:
        yield session


def check(actor: Actor, *, judges: bool = False) -> None:
    """Refuse whoever is not of the staff that may do this."""
    if not actor.known:
        raise NotLoggedIn("log in first")
    if not (actor.judges if judges else actor.organises):
        raise Refused(f"only {'judges and organisers' if judges else 'organisers'} may do this")
