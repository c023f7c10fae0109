"""The command that checks a release at home."""

from __future__ import annotations

from icefire.arena.contest.arena import Arena
from icefire.contests.custom import contest as custom

DESCRIBED = "contest.json"
"""What `icefire arena download` writes, and the page for handing in offers; it describes an organiser's own contest."""


def check_command(arena: Arena) -> str:
    """Return the command that checks a release at home, with the very code the server checks with."""
    rules = arena.definition.rules
    return " ".join(["icefire check", DESCRIBED if rules == custom.NAME else rules, *arena.game.checked])
