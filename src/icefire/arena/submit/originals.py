"""The original data of a round, handed out to whoever may have it."""

from __future__ import annotations

from pathlib import Path

from icefire.arena.auth import accepted_terms
from icefire.arena.auth.actor import Actor
from icefire.arena.boards.visibility import Visibility
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Absent
from icefire.arena.submit import drawn


def original(arena: Arena, actor: Actor, round_name: str, name: str) -> Path | bytes:
    """Return where a file of the original lies, once its round has begun and the terms of the data are accepted.

    Samples that were drawn for the actor's team lie nowhere; what they hold is returned.
    """
    paths = arena.originals(round_name)
    with arena.database.reading() as session:
        seen = Visibility(actor, arena.round_now(session, round_name), arena.definition)
        sample = name in drawn.seen_by(arena, actor, seen.now)
        if not sample and (name not in paths or not seen.original):
            raise Absent
        accepted_terms.check(session, arena, actor)
    return drawn.files(arena, round_name, actor.team_id or "")[name] if sample else paths[name]
