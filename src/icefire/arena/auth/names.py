"""Names of accounts and teams as they are stored and shown."""

from __future__ import annotations

import unicodedata

from icefire.arena.errors import WrongInput

MOST_NAME = 40


def clean_name(name: str, what: str) -> str:
    """Return a name that can be shown: no control or invisible characters, not empty, not long."""
    shown = " ".join(unicodedata.normalize("NFKC", name).split())
    if not shown or len(shown) > MOST_NAME:
        raise WrongInput(f"the {what} has {len(shown)} characters; it takes 1 to {MOST_NAME}")
    if any(unicodedata.category(letter)[0] == "C" for letter in shown):
        raise WrongInput(f"the {what} holds a character that cannot be seen; write it without")
    return shown
