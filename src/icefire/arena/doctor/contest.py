"""Checks of the contest itself: times, frozen boards, staff, quotas and the judge's queue."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import timedelta
from functools import partial

from sqlalchemy import Integer, func, select
from sqlalchemy.orm import Session

from icefire.arena.boards import freezing
from icefire.arena.boards import snapshots as frozen_boards
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.definition import PHASES
from icefire.arena.doctor.finding import FIXABLE, Finding
from icefire.arena.storage import jobs
from icefire.arena.storage.tables import AccountRow, GuessRow, JobRow, PhaseRow, QuotaRow, ReleaseRow

LONG = timedelta(minutes=10)


def timetable(arena: Arena) -> Iterator[Finding]:
    """Find phases out of order, and rounds with submissions that are no longer in the definition."""
    with arena.database.reading() as session:
        known = {one.name for one in arena.definition.rounds}
        played = set(session.scalars(select(ReleaseRow.round).distinct()))
        starts = {(one.round, one.name): one.starts for one in session.scalars(select(PhaseRow))}
    for name in sorted(played - known):
        yield Finding("error", f"round {name!r} has releases and is not in contest.toml", "put it back there")
    for name in sorted(known):
        for earlier, later in itertools.pairwise(PHASES):
            if starts[name, later] < starts[name, earlier]:
                yield Finding("error", f"round {name!r}: {later} begins before {earlier}", "move them at the desk")


def snapshots(arena: Arena) -> Iterator[Finding]:
    """Find rounds whose board should be frozen and is not."""
    with arena.database.reading() as session:
        for now in arena.rounds(session):
            late = now.phase in ("attack", "reveal") and now.frozen
            if late and frozen_boards.taken_at(session, now) is None:
                yield Finding(
                    "warning",
                    f"round {now.name!r}: the frozen board is not stored yet",
                    f"a worker does it; or {FIXABLE}",
                    partial(freezing.keep_up, arena),
                )


def staff(arena: Arena) -> Iterator[Finding]:
    """Find a competition without an organiser or admin who can log in."""
    wanted = select(AccountRow.id).where(AccountRow.role.in_(("organiser", "admin")), AccountRow.disabled.is_(False))
    with arena.database.reading() as session:
        if session.scalars(wanted.limit(1)).first() is None:
            yield Finding("warning", "there is no organiser", "make one: icefire arena admin FOLDER NAME")


def quotas(arena: Arena) -> Iterator[Finding]:
    """Find teams whose counted quota differs from the releases they have."""
    with arena.database.reading() as session:
        counted = _counted(session)
        stored = {(one.round, one.team_id): (one.used, one.submitted) for one in session.scalars(select(QuotaRow))}
    for key in sorted(counted.keys() | stored.keys()):
        kept, right = stored.get(key, (0, 0)), counted.get(key, (0, 0))
        if kept != right:
            yield Finding(
                "error",
                f"round {key[0]!r}, team {key[1]}: {kept[0]} releases and {kept[1]} submissions are counted, "
                f"it has {right[0]} and {right[1]}",
                FIXABLE,
                partial(_recount, arena, *key),
            )


def _counted(session: Session) -> dict[tuple[str, str], tuple[int, int]]:
    in_play = func.sum(func.cast(ReleaseRow.in_play, Integer))
    rows = select(ReleaseRow.round, ReleaseRow.team_id, in_play, func.count()).group_by(
        ReleaseRow.round, ReleaseRow.team_id
    )
    return {(name, team): (used, every) for name, team, used, every in session.execute(rows)}


def _recount(arena: Arena, round_name: str, team_id: str) -> None:
    with arena.database.transaction() as session:
        session.get(QuotaRow, (round_name, team_id), with_for_update=True)  # nobody hands in while it is counted
        used, submitted = _counted(session).get((round_name, team_id), (0, 0))
        session.merge(QuotaRow(round=round_name, team_id=team_id, used=used, submitted=submitted))


def jobs_stuck(arena: Arena) -> Iterator[Finding]:
    """Find jobs that failed, or wait although a worker should have taken them."""
    now = arena.now()
    with arena.database.reading() as session:
        open_jobs = jobs.queue(session)
    for one in open_jobs:
        if one.state == "failed" or one.error:
            text = f"the judge failed at the {one.kind} job about {one.about}: {_short(one.error)}"
            yield Finding("error", text, FIXABLE, partial(_again, arena, one.kind, one.about))  # type: ignore[arg-type]
    late = [
        one for one in open_jobs if one.state != "failed" and not one.error and (one.lease or one.created) < now - LONG
    ]
    if late:
        text = f"{len(late)} jobs have waited for more than {LONG.seconds // 60} minutes"
        yield Finding("warning", text, "start a worker: icefire arena worker FOLDER")


def _short(error: str) -> str:
    lines = error.strip().splitlines()
    return lines[-1][:200] if lines else "no reason given"


def jobs_missing(arena: Arena) -> Iterator[Finding]:
    """Find submissions that are neither judged nor in the queue."""
    kinds: tuple[tuple[jobs.JobKind, type[ReleaseRow | GuessRow]], ...] = (("judge", ReleaseRow), ("guess", GuessRow))
    for kind, table in kinds:
        queued = select(JobRow.about).where(JobRow.kind == kind, JobRow.state != "done")
        with arena.database.reading() as session:
            lost = session.scalars(select(table.id).where(table.state == "waiting", table.id.not_in(queued))).all()
        for one in lost:
            text = f"{table.__tablename__} {one} waits for the judge and is not in the queue"
            yield Finding("error", text, FIXABLE, partial(_again, arena, kind, one))


def _again(arena: Arena, kind: jobs.JobKind, about: str) -> None:
    with arena.database.transaction() as session:
        jobs.again(session, kind, about, arena.now())
