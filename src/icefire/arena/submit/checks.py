"""Checks that releases and guesses share: the team, the phase, and the check of the files in the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from icefire.arena.auth import throttling
from icefire.arena.auth.actor import Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import Name, RoundNow
from icefire.arena.errors import NotLoggedIn, Refused, TooLarge, WrongInput
from icefire.arena.judge import sandbox
from icefire.arena.judge.sandbox import JudgeFailed, TaskResult
from icefire.arena.storage.tables import TeamRow


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


def checked(arena: Arena, team_id: str, task: str, given: Mapping[str, bytes | Path], **more: Any) -> TaskResult:
    """Run the check of a submission in the sandbox; what is wrong is told, counted, and costs nothing else."""
    key = f"wrong:{team_id}"
    with arena.database.reading() as session:
        throttling.check_tries(session, key, arena.now())
    try:
        outcome = sandbox.run_task(task, given, **arena.definition.task_options(), **more)
    except TooLarge:
        _count(arena, key)
        raise
    except JudgeFailed:
        raise Refused("the server could not check this just now; nothing was taken, try again in a minute") from None
    problems = outcome.result["problems"]
    if problems:
        _count(arena, key)
        wrong = "one thing is wrong" if len(problems) == 1 else f"{len(problems)} things are wrong"
        raise WrongInput(f"{wrong}; nothing was taken", tuple(problems))
    return outcome


def _count(arena: Arena, key: str) -> None:
    with arena.database.transaction() as session:
        throttling.count_failure(session, key, arena.now())
