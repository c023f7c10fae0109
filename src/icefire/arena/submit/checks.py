"""Checks that releases and guesses share: the team, the phase, and the check of the files in the sandbox."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from icefire.arena.auth import throttling
from icefire.arena.auth.actor import Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import Name, RoundNow
from icefire.arena.errors import NotLoggedIn, Refused, TooLarge, Unavailable, WrongInput
from icefire.arena.judge import sandbox
from icefire.arena.judge.confinement import TaskLimits
from icefire.arena.judge.sandbox import JudgeFailed, TaskResult
from icefire.arena.storage.tables import TeamRow

RESERVE = 200 << 20
"""Bytes that stay free on the disk, for the database and the log."""
NOT_CHECKED = "the server could not check this just now; nothing was taken, try again in a minute"
COPIES = 4
"""A submission is kept as it came, as it is handed out and as the truth, and is unpacked once more for the judge."""


def team_of(actor: Actor) -> str:
    """Return the team somebody plays for."""
    if not actor.known:
        raise NotLoggedIn("log in first")
    if actor.team_id is None:
        raise Refused("you are in no team; found one or join one first")
    return actor.team_id


def check_phase(now: RoundNow, wanted: Name, what: str) -> None:
    """Refuse what does not belong to the present phase."""
    if now.paused:
        raise Refused("the competition is paused; wait until it goes on")
    if now.phase != wanted:
        begins = now.starts[wanted]
        when = "begins" if begins > now.starts.get(now.phase, datetime.min.replace(tzinfo=begins.tzinfo)) else "began"
        raise Refused(
            f"{what} only in the phase {wanted!r}, which {when} at {begins:%Y-%m-%d %H:%M:%S} UTC; "
            f"round {now.name!r} is in the phase {now.phase!r}"
        )


def check_team(session: Session, team_id: str) -> None:
    """Refuse a team that was disqualified."""
    team = session.get(TeamRow, team_id)
    if team is None or team.disqualified is not None:
        raise Refused("the team is disqualified; ask the organisers")


def wrong_key(team_id: str) -> str:
    """Return what a team's wrong submissions are counted by."""
    return f"wrong:{team_id}"


def check_room(arena: Arena, size: int = 0) -> None:
    """Refuse a submission before it begins if the disk has no room for it and what the judge will write."""
    if not has_room(arena, size):
        raise disk_full()


def has_room(arena: Arena, size: int = 0) -> bool:
    """Tell whether submissions of this size can be taken."""
    return shutil.disk_usage(arena.folder).free >= RESERVE + COPIES * size


def disk_full() -> Unavailable:
    """Return the refusal of a server that cannot store anything."""
    return Unavailable("the disk of the server is full; nothing was taken. Tell the organisers, and try again later")


@contextmanager
def stored_or_refused() -> Iterator[None]:
    """Tell a full disk as such, whatever was being written."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full() from error
        raise
    except OperationalError as error:
        if "disk is full" in str(error.orig) or "No space left" in str(error.orig):
            raise disk_full() from error
        raise


def checked(arena: Arena, team_id: str, task: str, given: Mapping[str, bytes | Path], **more: Any) -> TaskResult:
    """Run the check of a submission in the sandbox; what is wrong is told, counted, and costs nothing else."""
    key = wrong_key(team_id)
    with arena.database.transaction() as session:  # counted first: of many at once none gets past the limit
        throttling.count_try(session, key, arena.now())
    try:
        with stored_or_refused():
            limits = TaskLimits(seconds=arena.definition.server.check_seconds)
            outcome = sandbox.run_task(
                task, given, limits, arena.store.vault, **arena.definition.task_options(), **more
            )
    except TooLarge:
        raise
    except JudgeFailed:
        _forgive(arena, key)
        raise Unavailable(
            "the server could not check this just now; nothing was taken, try again in a minute"
        ) from None
    except BaseException:
        _forgive(arena, key)
        raise
    problems = outcome.result["problems"]
    if problems:
        wrong = "one thing is wrong" if len(problems) == 1 else f"{len(problems)} things are wrong"
        raise WrongInput(f"{wrong}; nothing was taken", tuple(problems))
    _forgive(arena, key)
    return outcome


def _forgive(arena: Arena, key: str) -> None:
    with arena.database.transaction() as session:
        throttling.forgive(session, key)
