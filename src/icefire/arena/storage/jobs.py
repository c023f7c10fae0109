"""The queue of jobs for the judge. A job is written in the transaction of what it is about, so that none is lost.

A worker takes a job for a limited time and renews that lease while it works; a dead worker's job goes to the next one.
A job that fails through no fault of the submission waits, each time longer, and is tried again for ever.
The result is stored only by the worker that still holds the job, in one transaction with the job's end.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal, get_args

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.storage import log
from icefire.arena.storage.database import Database
from icefire.arena.storage.tables import JobRow

JobKind = Literal["judge", "guess", "reference", "fingerprint"]
KINDS: tuple[JobKind, ...] = get_args(JobKind)
ShownState = Literal["waiting", "running", "postponed"]
SHOWN_STATES: tuple[ShownState, ...] = get_args(ShownState)
LEASE = timedelta(seconds=20)
MOST_DEATHS = 3
"""After so many workers that ended while they were at it, a job waits too."""
DELAYS = (5, 15, 60, 300, 600)
"""Seconds before a failed job is tried again: after the first failure, the second and so on; the last one repeats."""
ORDER = (JobRow.created, JobRow.id)


def reference_of(round_name: str) -> str:
    """Return what the job about a round's original is about."""
    return ids.digest(f"reference {round_name}")[:32]


def add(session: Session, kind: JobKind, about: str, now: datetime) -> None:
    """Put a job in the queue; one that is known already stays as it is."""
    if find(session, kind, about) is None:
        session.add(JobRow(id=ids.new_id(), kind=kind, about=about, created=now))
        session.flush()


def find(session: Session, kind: JobKind, about: str) -> JobRow | None:
    """Return the job of a kind about something."""
    return session.scalars(select(JobRow).where(JobRow.kind == kind, JobRow.about == about)).first()


def again(session: Session, kind: JobKind, about: str, now: datetime) -> None:
    """Have something judged once more; whoever is at it now loses the job."""
    add(session, kind, about, now)
    session.execute(
        update(JobRow)
        .where(JobRow.kind == kind, JobRow.about == about)
        .values(state="waiting", worker=None, lease=None, tries=0, error="", not_before=None, created=now)
    )


def any_waiting(session: Session, now: datetime) -> bool:
    """Tell whether `claim` would find something; reading costs less than an update."""
    return session.scalars(select(JobRow.id).where(_free(now)).limit(1)).first() is not None


def _free(now: datetime) -> ColumnElement[bool]:
    due = or_(JobRow.not_before.is_(None), JobRow.not_before <= now)
    return or_((JobRow.state == "waiting") & due, (JobRow.state == "running") & (JobRow.lease < now))


def next_try(tries: int, now: datetime) -> datetime:
    """Return when a job that has failed so many times is tried again."""
    return now + timedelta(seconds=DELAYS[min(tries, len(DELAYS)) - 1])


def claim(database: Database, worker: str, now: datetime) -> JobRow | None:
    """Take the oldest job that waits or whose worker has died; None if there is none."""
    with database.transaction() as session:
        _rest_after_deaths(session, now)
        job = session.scalars(
            select(JobRow).where(_free(now)).order_by(*ORDER).limit(1).with_for_update(skip_locked=True)
        ).first()
        if job is not None:
            job.state, job.worker, job.lease, job.tries = "running", worker, now + LEASE, job.tries + 1
        return job


def _rest_after_deaths(session: Session, now: datetime) -> None:
    """Have jobs wait that have outlived too many workers: what ends a worker must not end all of them."""
    dead = (JobRow.state == "running", JobRow.lease < now, JobRow.tries >= MOST_DEATHS)
    for job in session.scalars(select(JobRow).where(*dead).with_for_update(skip_locked=True)):
        job.state, job.worker, job.lease, job.not_before = "waiting", None, None, next_try(job.tries, now)
        job.error = f"{job.tries} workers ended while they were at it"
        log_failure(session, job, job.error, now)
    session.flush()


def log_failure(session: Session, job: JobRow, reason: str, now: datetime) -> None:
    """Write to the log that the judge failed, why, and when it tries again."""
    again = next_try(job.tries, now).isoformat(timespec="seconds")
    details = {"job": job.kind, "about": job.about, "tries": job.tries, "reason": reason[-500:], "again": again}
    log.write(session, now, "judge", "judge_failed", **details)


def postpone(session: Session, job: JobRow, worker: str, error: str, now: datetime) -> bool:
    """Have a job wait after a failure of the judge; False if it belongs to another now."""
    values = {"state": "waiting", "worker": None, "lease": None, "error": error[-2000:]}
    if not _change_own(session, job.id, worker, {**values, "not_before": next_try(job.tries, now)}):
        return False
    log_failure(session, job, error, now)
    return True


def beat(database: Database, job_id: str, worker: str, now: datetime) -> bool:
    """Say that the worker still lives; False if the job is not its own any more."""
    with database.transaction() as session:
        return _change_own(session, job_id, worker, {"lease": now + LEASE})


def end(session: Session, job: JobRow, worker: str) -> bool:
    """End a job in the transaction of its result; False, and nothing may be stored, if it belongs to another now."""
    ended = {"state": "done", "worker": None, "lease": None, "error": "", "not_before": None}
    return _change_own(session, job.id, worker, ended)


def give_back(session: Session, job: JobRow, worker: str) -> bool:
    """Put a job back as if it had not been taken: its worker is being stopped."""
    return _change_own(
        session, job.id, worker, {"state": "waiting", "worker": None, "lease": None, "tries": job.tries - 1}
    )


def _change_own(session: Session, job_id: str, worker: str, values: Mapping[str, object]) -> bool:
    """Change a job if the worker still holds it."""
    done = session.execute(
        update(JobRow).where(JobRow.id == job_id, JobRow.worker == worker, JobRow.state == "running").values(values)
    )
    assert isinstance(done, CursorResult)
    return done.rowcount == 1


def queue(session: Session) -> list[JobRow]:
    """Return what waits or runs, in the order it will be done."""
    return list(session.scalars(select(JobRow).where(JobRow.state != "done").order_by(*ORDER)))


def shown_state(job: JobRow, now: datetime) -> ShownState:
    """Return how an open job stands: running, waiting, or failed and to be tried again later."""
    if job.state == "running":
        return "running"
    return "postponed" if job.not_before is not None and job.not_before > now else "waiting"


def position(session: Session, kind: JobKind, about: str) -> int | None:
    """Return how many jobs come before this one, itself counted; None when it does not wait."""
    own = find(session, kind, about)
    if own is None or own.state not in ("waiting", "running"):
        return None
    before = (JobRow.created < own.created) | ((JobRow.created == own.created) & (JobRow.id <= own.id))
    open_jobs = select(func.count()).select_from(JobRow).where(JobRow.state.in_(("waiting", "running")), before)
    return session.scalar(open_jobs)
