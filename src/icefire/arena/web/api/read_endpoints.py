"""Endpoints that read. Every score comes from the facts of the requester, so that nothing hidden gets out here."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.boards import reading
from icefire.arena.boards.facts import TeamFacts
from icefire.arena.contest import log_head, quotas
from icefire.arena.contest.signing import LogHead, Receipt
from icefire.arena.errors import Absent
from icefire.arena.storage.tables import AccountRow, AnnouncementRow, GuessRow, MembershipRow, ReleaseRow, TeamRow
from icefire.arena.submit import checks, receipts
from icefire.arena.web.api import models, serialize
from icefire.arena.web.api.refusals import refusals
from icefire.arena.web.api.rounds import RoundQuery
from icefire.arena.web.requester import Anyone, LoggedIn
from icefire.arena.web.shared_boards import shared_boards

router = APIRouter()
ReleaseId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="The id of a release.")]
SubmissionId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="The id of a release or guess.")]


@router.get("/contest", responses=refusals())
def contest(requester: Anyone) -> models.ContestHere:
    """What is played, by which rules, and where it stands."""
    with requester.arena.database.reading() as session:
        return serialize.contest_here(requester.arena, session)


@router.get("/rounds", responses=refusals())
def rounds(requester: Anyone) -> models.Rounds:
    """All rounds with their phases."""
    with requester.arena.database.reading() as session:
        every = requester.arena.rounds(session)
        return models.Rounds(rounds=[serialize.round_here(requester.arena, one) for one in every])


@router.get("/releases/{release_id}", responses=refusals(404, 422))
def release(requester: Anyone, release_id: ReleaseId) -> models.ReleaseHere:
    """One release."""
    arena = requester.arena
    with arena.database.reading() as session:
        stored = session.get(ReleaseRow, release_id)
        if stored is None:
            raise Absent
        facts = reading.round_facts(session, arena, stored.round, requester.actor, release_id=release_id)
        visible = serialize.find_release(facts, release_id)
        return serialize.with_queue(session, serialize.release_here(visible, facts, arena, requester.actor))


@router.get("/teams", responses=refusals())
def teams(requester: Anyone) -> models.Teams:
    """Every team, by name."""
    with requester.arena.database.reading() as session:
        every = session.scalars(select(TeamRow).order_by(TeamRow.name_key)).all()
        return models.Teams(teams=[TeamFacts(team.id, team.name, team.disqualified, team.division) for team in every])


@router.get("/team", responses=refusals(403, 404, 422))
def my_team(request: Request, requester: LoggedIn, round_name: RoundQuery = None) -> models.MyTeam:
    """Your own team: members, quota, releases with their results as far as the rules show them, guesses."""
    arena, team_id = requester.arena, checks.team_of(requester.actor)
    with arena.database.reading() as session:
        name = serialize.round_name_or_current(arena, session, round_name)
        facts = shared_boards(request, session, arena).facts_of_team(requester.actor, name)
        team = next(team for team in facts.teams if team.id == team_id)
        own = serialize.releases_here((one for one in facts.releases if one.own), facts, arena, requester.actor)
        return models.MyTeam(
            id=team.id,
            name=team.name,
            disqualified=team.disqualified,
            round=facts.now.name,
            members=_members(session, team_id),
            quota=quotas.team_quota(session, arena, facts.now.name, team_id),
            releases=[serialize.with_queue(session, one) for one in own],
            guesses=serialize.own_guesses(facts, team_id),
        )


@router.get("/announcements", responses=refusals())
def announcements(requester: Anyone) -> models.Announcements:
    """What the organisers have told, newest first."""
    with requester.arena.database.reading() as session:
        every = session.scalars(select(AnnouncementRow).order_by(AnnouncementRow.at.desc(), AnnouncementRow.id)).all()
        return models.Announcements(announcements=[models.Announcement.model_validate(one) for one in every])


@router.get("/receipts/{submission_id}", responses=refusals(403, 404, 422))
def receipt(requester: LoggedIn, submission_id: SubmissionId) -> Receipt:
    """The receipt of your team's release or guess, once more."""
    arena, team_id = requester.arena, checks.team_of(requester.actor)
    with arena.database.reading() as session:
        stored = session.get(ReleaseRow, submission_id) or session.get(GuessRow, submission_id)
        if stored is None or stored.team_id != team_id:
            raise Absent
        if isinstance(stored, ReleaseRow):
            return receipts.release_receipt(arena, session, stored)
        return receipts.guess_receipt(arena, session, stored)


@router.get("/log/head", responses=refusals(404))
def head(requester: Anyone) -> LogHead:
    """The signed head of the log: its hash stands for all lines up to it. Keep it to tell a log rewritten later."""
    with requester.arena.database.reading() as session:
        published = log_head.public_head(requester.arena, session)
    if published is None:
        raise Absent
    return published


@router.get("/key", responses=refusals())
def key(requester: Anyone) -> models.Key:
    """The public key that receipts are signed with."""
    return models.Key(public_key=requester.arena.signer.public_key)


def _members(session: Session, team_id: str) -> list[models.Member]:
    rows = session.execute(
        select(AccountRow.name, MembershipRow.captain)
        .join(MembershipRow, MembershipRow.account_id == AccountRow.id)
        .where(MembershipRow.team_id == team_id)
        .order_by(MembershipRow.captain.desc(), AccountRow.name_key)
    )
    return [models.Member(name=name, captain=captain) for name, captain in rows]
