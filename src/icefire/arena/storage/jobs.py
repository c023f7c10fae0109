"""The queue of jobs for the judge. A job is written in the transaction of what it is about, so that none is lost.

A worker takes a job for a limited time and renews that lease while it works; a dead worker's job goes to the next one.
The result is stored only by the worker that still holds the job, in one transaction with the job's end.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.storage.database import Database
from icefire.arena.storage.tables import JobRow

JobKind = Literal["judge", "guess", "reference", "fingerprint"]
LEASE = timedelta(seconds=20)
MOST_TRIES = 3
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
        .values(state="waiting", worker=None, lease=None, tries=0, error="", created=now)
    )


def any_waiting(session: Session, now: datetime) -> bool:
    """Tell whether `claim` would find something; reading costs less than an update."""
    return session.scalars(select(JobRow.id).where(_free(now)).limit(1)).first() is not None


def _free(now: datetime) -> ColumnElement[bool]:
    return or_(JobRow.state == "waiting", (JobRow.state == "running") & (JobRow.lease < now))


def claim(database: Database, worker: str, now: datetime) -> JobRow | None:
    """Take the oldest job that waits or whose worker has died; None if there is none."""
    with database.transaction() as session:
        job = session.scalars(
            select(JobRow).where(_free(now)).order_by(*ORDER).limit(1).with_for_update(skip_locked=True)
        ).first()
        if job is not None:
            job.state, job.worker, job.lease, job.tries = "running", worker, now + LEASE, job.tries + 1
        return job


def beat(database: Database, job_id: str, worker: str, now: datetime) -> bool:
    """Say that the worker still lives; False if the job is not its own any more."""
    with database.transaction() as session:
        return _change_own(session, job_id, worker, {"lease": now + LEASE})


def end(
    session: Session, job: JobRow, worker: str, state: Literal["done", "waiting", "failed"], error: str = ""
) -> bool:
    """End a job in the transaction of its result; False, and nothing may be stored, if it belongs to another now."""
    ended = {"state": state, "worker": None, "lease": None, "error": error[:2000]}
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
    """Return what waits, runs or has failed, in the order it will be done."""
    return list(session.scalars(select(JobRow).where(JobRow.state != "done").order_by(*ORDER)))


def position(session: Session, kind: JobKind, about: str) -> int | None:
    """Return how many jobs come before this one, itself counted; None when it does not wait."""
    own = find(session, kind, about)
    if own is None or own.state not in ("waiting", "running"):
        return None
    before = (JobRow.created < own.created) | ((JobRow.created == own.created) & (JobRow.id <= own.id))
    open_jobs = select(func.count()).select_from(JobRow).where(JobRow.state.in_(("waiting", "running")), before)
    return session.scalar(open_jobs)
