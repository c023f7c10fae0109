"""The command that checks a release at home."""

from __future__ import annotations

from icefire.arena.contest.arena import Arena
from icefire.contests.common.game import CUSTOMERS, ORIGINAL, ORIGINAL_CUSTOMERS
from icefire.contests.custom import contest as custom


def check_command(arena: Arena) -> str:
    """Return the command that checks a release at home, with the very code the server checks with."""
    if arena.definition.rules == custom.NAME:
        return ""
    files = arena.game.handed_in
    originals = [ORIGINAL_CUSTOMERS, ORIGINAL] if CUSTOMERS in files else [ORIGINAL]
    return " ".join(["icefire check", arena.definition.rules, *originals, *files])
