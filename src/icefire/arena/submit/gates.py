"""What is decided about a submission before a byte of it is read: team, phase, quota, wrong tries, room on the disk."""

from __future__ import annotations

from icefire.arena.auth import throttling
from icefire.arena.auth.actor import Actor
from icefire.arena.contest import phases, quotas, upload_limits
from icefire.arena.contest.arena import Arena
from icefire.arena.storage.tables import ReleaseRow
from icefire.arena.submit import checks, fire


def release_gate(arena: Arena, actor: Actor) -> int:
    """Refuse a release that would be refused whatever it holds; returns how many bytes a file may have.

    Its round is only named inside: it is let through if any round takes releases of this team.
    """
    team_id = checks.team_of(actor)
    with arena.database.reading() as session:
        checks.check_team(session, team_id)
        throttling.check_tries(session, checks.wrong_key(team_id), arena.now())
        every = arena.rounds(session)
        taking = [one.name for one in every if one.allows("anonymise")]
        if not taking:
            checks.check_phase(phases.current(every), "anonymise", "releases are taken")
        if not any(quotas.team_quota(session, arena, name, team_id).left for name in taking):
            raise quotas.used_up(arena)
    checks.check_room(arena)
    return max(upload_limits.file_limit(arena, name) for name in taking)


def guess_gate(arena: Arena, actor: Actor, release_id: str) -> int:
    """Refuse a guess that would be refused whatever it holds; returns how many bytes it may have."""
    team_id = checks.team_of(actor)
    with arena.database.reading() as session:
        fire.check_target(session, arena, actor, release_id, arena.now())
        throttling.check_tries(session, checks.wrong_key(team_id), arena.now())
        round_name = session.get_one(ReleaseRow, release_id).round
    checks.check_room(arena)
    return upload_limits.file_limit(arena, round_name)
