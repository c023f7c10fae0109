"""Quotas: how many releases a team has and may still hand in, counted by one conditional update."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Clash
from icefire.arena.storage.tables import QuotaRow, ReleaseRow


@dataclass(frozen=True, slots=True)
class QuotaNow:
    """What a team has used of what it may."""

    used: int
    most: int
    submitted: int
    most_submitted: int
    left: int
    """How many releases it may hand in right now."""


def team_quota(session: Session, arena: Arena, round_name: str, team_id: str) -> QuotaNow:
    """Return a team's quota in a round."""
    row = session.get(QuotaRow, (round_name, team_id))
    used, submitted = (row.used, row.submitted) if row else (0, 0)
    most, altogether = arena.definition.releases_per_team, arena.definition.submissions_per_team
    left = max(0, min(most - used, altogether - submitted))
    return QuotaNow(used=used, most=most, submitted=submitted, most_submitted=altogether, left=left)


def take_slot(session: Session, arena: Arena, round_name: str, team_id: str) -> int:
    """Count one up if there is room, in one statement: two at once cannot both take the last place."""
    _ensure_row(session, round_name, team_id)
    taken: int | None = session.scalar(
        update(QuotaRow)
        .where(QuotaRow.round == round_name, QuotaRow.team_id == team_id)
        .where(QuotaRow.used < arena.definition.releases_per_team)
        .where(QuotaRow.submitted < arena.definition.submissions_per_team)
        .values(used=QuotaRow.used + 1, submitted=QuotaRow.submitted + 1)
        .returning(QuotaRow.submitted)
    )
    if taken is None:
        raise used_up(arena)
    return taken


def _ensure_row(session: Session, round_name: str, team_id: str) -> None:
    if session.get(QuotaRow, (round_name, team_id)) is None:
        try:
            with session.begin_nested():
                session.add(QuotaRow(round=round_name, team_id=team_id, used=0, submitted=0))
        except IntegrityError:
            pass  # the other one of two at once has written it


def free_slot(session: Session, release: ReleaseRow) -> None:
    """Give a team back the place a release took."""
    session.execute(
        update(QuotaRow)
        .where(QuotaRow.round == release.round, QuotaRow.team_id == release.team_id, QuotaRow.used > 0)
        .values(used=QuotaRow.used - 1)
    )


def take_back_slot(session: Session, arena: Arena, release: ReleaseRow) -> bool:
    """Use up a place again that a release once had, if one is free; tells whether it was."""
    place = (QuotaRow.round == release.round, QuotaRow.team_id == release.team_id)
    free = QuotaRow.used < arena.definition.releases_per_team
    taken = update(QuotaRow).where(*place, free).values(used=QuotaRow.used + 1).returning(QuotaRow.used)
    return session.scalar(taken) is not None


def used_up(arena: Arena) -> Clash:
    """Return the refusal of a team whose quota is used up."""
    most, altogether = arena.definition.releases_per_team, arena.definition.submissions_per_team
    return Clash(
        f"the team's quota is used up: {most} releases at a time and {altogether} submissions in a round; "
        "withdraw one to hand in another"
    )
