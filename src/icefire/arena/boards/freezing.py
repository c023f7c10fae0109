"""The board of a round, and the snapshot of it while it is frozen.

From the end of the submissions to the reveal everybody but the judges gets one stored snapshot: what a visitor saw when
the last release had been judged. Whatever happens later, in the database or to the names, it stays as it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.boards import rankings, reading, revealing, snapshots
from icefire.arena.boards.facts import RoundFacts
from icefire.arena.boards.overall import Overall, overall
from icefire.arena.boards.snapshots import RoundBoard
from icefire.arena.contest import phase_lines
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.storage import jobs, log
from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import JobRow, ReleaseRow, SnapshotRow

FactsReader = Callable[[Actor, str], RoundFacts]


def board(arena: Arena, session: Session, actor: Actor, round_name: str, read: FactsReader | None = None) -> RoundBoard:
    """Return the board of a round: the one entry for pages, programs and exports.

    `read` is how the facts of a round are read for an actor, where they are shared with others who look at it.
    """
    now = arena.round_now(session, round_name)
    if actor.judges or not now.frozen:
        return _live(arena, session, actor, round_name, read)
    taken = snapshots.snapshot(session, now)
    if taken is not None:
        return taken.board
    return _live(arena, session, VISITOR, round_name, read)


def all_rounds(
    arena: Arena, session: Session, actor: Actor, board_of: Callable[[Actor, str], RoundBoard] | None = None
) -> Overall:
    """Add up the rounds whose ranking the actor may see; `board_of` is how their boards are had, where shared."""
    names = [one.name for one in arena.rounds(session) if actor.judges or one.revealed]
    every = {name: board_of(actor, name) if board_of else board(arena, session, actor, name) for name in names}
    return overall(
        {name: one.ice for name, one in every.items()},
        {name: one.fire for name, one in every.items() if one.fire is not None},
        {one.name: one.weight for one in arena.definition.rounds},
    )


def keep_up(arena: Arena) -> None:
    """Log what has begun by the clock, and take the snapshots that are due. Mostly there is nothing to write."""
    phase_lines.write_begun(arena)
    revealing.settle(arena)
    with arena.database.reading() as session:
        due = [one.name for one in arena.rounds(session) if _due(session, one)]
    for name in due:
        with arena.database.transaction() as session:
            lock(session, "snapshot")
            if _due(session, arena.round_now(session, name)):  # nobody else has taken it in the meantime
                _take(arena, session, name)


def _due(session: Session, now: RoundNow) -> bool:
    """A snapshot waits for the judge, but not beyond the beginning of the attacks."""
    if not now.frozen or snapshots.taken_at(session, now) is not None:
        return False
    return now.phase != "freeze" or not _judge_is_busy(session, now.name)


def _judge_is_busy(session: Session, round_name: str) -> bool:
    """Tell whether anything on the round's board is still to be judged."""
    releases = select(ReleaseRow.id).where(ReleaseRow.round == round_name)
    about = or_(
        (JobRow.kind == "judge") & JobRow.about.in_(releases),
        (JobRow.kind == "reference") & (JobRow.about == jobs.reference_of(round_name)),
    )
    return (
        session.scalars(select(JobRow.id).where(about, JobRow.state.in_(("waiting", "running"))).limit(1)).first()
        is not None
    )


def _take(arena: Arena, session: Session, round_name: str) -> None:
    """Store what a visitor sees now, and put its hash in the log."""
    body = msgspec.to_builtins(_live(arena, session, VISITOR, round_name))
    session.merge(SnapshotRow(round=round_name, taken=arena.now(), body=body))
    log.write(session, arena.now(), "judge", "frozen", round=round_name, sha256=snapshot_hash(body))


def snapshot_hash(body: Any) -> str:
    """Return the hash of a stored board, as the log tells it."""
    return hashlib.sha256(msgspec.json.encode(body, order="sorted")).hexdigest()


def _live(arena: Arena, session: Session, actor: Actor, round_name: str, read: FactsReader | None = None) -> RoundBoard:
    seen = read(actor, round_name) if read else reading.round_facts(session, arena, round_name, actor)
    releases = rankings.ice(seen, arena.ranking, arena.game.score_parts)
    return RoundBoard(
        round=round_name,
        frozen=None,
        ice=releases,
        fire=rankings.fire(seen, arena.game.fire_rule, releases),
    )
