"""Samples of the original that the judge draws for each team, in contests in which a team anonymises one of them.

They follow from the server's key, so nothing is stored, and no other team can compute them.
"""

from __future__ import annotations

from icefire.arena.auth.actor import Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.contests.common.game import ORIGINAL


def names(arena: Arena) -> tuple[str, ...]:
    """Return the files of a team's samples; none where the contest draws none."""
    return tuple(f"drawn_{number}.csv" for number in range(1, arena.game.draws + 1))


def files(arena: Arena, round_name: str, team_id: str) -> dict[str, bytes]:
    """Return the rows of each sample of a team, counted from 0."""
    original = arena.originals(round_name)[ORIGINAL]
    seeds = {name: arena.signer.seed(f"{name} {round_name} {team_id}") for name in names(arena)}
    return {name: arena.game.draw(original, seed) for name, seed in seeds.items()}


def seen_by(arena: Arena, actor: Actor, now: RoundNow) -> tuple[str, ...]:
    """Return the files an actor may download: those of the own team, once the round has begun."""
    return names(arena) if actor.team_id is not None and now.phase != "before" else ()
