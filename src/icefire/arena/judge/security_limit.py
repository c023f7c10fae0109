"""The limits on security: a release that a sample attack or AYA breaks beyond them is shown, but not ranked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from icefire.arena.contest.arena import Arena
from icefire.core import formatting


def broken(arena: Arena, result: Mapping[str, Any]) -> list[str]:
    """Say what breaks a limit; which share it was is told where scores are, as they are shown there."""
    words = []
    most, most_aya = arena.game.security_limit, arena.game.aya_limit
    attacks = [(score["rate"], name) for name, score in result.get("attacks", {}).items()]
    if attacks and (best := max(attacks))[0] > most:
        name, share = best[1], formatting.percent(most)
        words.append(f"the sample attack {name} identifies more than {share} of the people, the most that is allowed")
    aya = result.get("aya")
    if aya and aya["rate"] > most_aya and arena.definition.aya != "shown":
        share = formatting.percent(most_aya)
        words.append(
            f"by the check AYA more than {share} of the rows, the most that is allowed, are recognised or lie nearer "
            "to somebody else than to the person they are said to come from"
        )
    return words
