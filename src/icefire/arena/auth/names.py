"""Names of accounts and teams as they are stored and shown."""

from __future__ import annotations

import unicodedata

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.errors import Clash, WrongInput
from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import AccountRow, TeamRow

MOST_NAME = 40


def clean_name(name: str, what: str) -> str:
    """Return a name that can be shown: no control or invisible characters, not empty, not long."""
    shown = " ".join(unicodedata.normalize("NFKC", name).split())
    if not shown or len(shown) > MOST_NAME:
        raise WrongInput(f"the {what} has {len(shown)} characters; it takes 1 to {MOST_NAME}")
    if any(ids.invisible(letter) for letter in shown) or not ids.name_key(shown):
        raise WrongInput(f"the {what} holds a character that cannot be seen; write it without")
    return shown


def check_free(session: Session, table: type[AccountRow | TeamRow], name: str, but: str | None = None) -> None:
    """Refuse a name that looks like another of its kind in this contest, other than that of the row `but`."""
    lock(session, "names")
    for other_id, other in session.execute(select(table.id, table.name)):
        if other_id != but and ids.look_alike(name, other):
            raise Clash("this name is taken; choose another one")
