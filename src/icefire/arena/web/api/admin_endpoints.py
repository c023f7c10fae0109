"""Endpoints for organisers and judges: announce, move phases, pause, disqualify, judge again, make accounts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request

from icefire.arena import admin
from icefire.arena.auth import links
from icefire.arena.errors import WrongInput
from icefire.arena.web.api import models, request_bodies
from icefire.arena.web.api.refusals import changing
from icefire.arena.web.csrf import CsrfChecked
from icefire.arena.web.origin import origin_of
from icefire.arena.web.requester import Judge, Organiser

router = APIRouter()
AccountId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="The id of an account.")]


@router.post("/announcements", status_code=201, responses=changing())
def announce(requester: Organiser, _: CsrfChecked, body: request_bodies.Announce) -> models.Announcement:
    """Tell everybody something."""
    return models.Announcement.model_validate(admin.announce(requester.arena, requester.actor, body.text))


@router.post("/phases", responses=changing(404, 409))
def move_phase(requester: Organiser, _: CsrfChecked, body: request_bodies.MovePhase) -> models.Done:
    """Have a phase begin at a time, or it and every later one of the round some minutes later; everybody is told."""
    if body.at is not None and body.minutes is not None:
        raise WrongInput("both at and minutes are given; a phase is moved by one of them")
    if body.minutes is not None:
        admin.extend(requester.arena, requester.actor, body.round, body.phase, body.minutes)
    else:
        admin.move_phase(requester.arena, requester.actor, body.round, body.phase, body.at, confirmed=body.confirmed)
    return models.Done()


@router.post("/pause", responses=changing(409))
def pause(requester: Organiser, _: CsrfChecked) -> models.Done:
    """Stop the clock of every phase."""
    admin.pause(requester.arena, requester.actor)
    return models.Done()


@router.post("/resume", responses=changing(409))
def resume(requester: Organiser, _: CsrfChecked) -> models.Done:
    """Go on; what had not begun begins later by the length of the pause."""
    admin.resume(requester.arena, requester.actor)
    return models.Done()


@router.post("/disqualify", responses=changing(404, 409))
def disqualify(requester: Organiser, _: CsrfChecked, body: request_bodies.Disqualify) -> models.Done:
    """Take a team out of every ranking; the reason is shown."""
    admin.disqualify(requester.arena, requester.actor, body.team, body.reason)
    return models.Done()


@router.post("/reinstate", responses=changing(404, 409))
def reinstate(requester: Organiser, _: CsrfChecked, body: request_bodies.Reinstate) -> models.Done:
    """Let a disqualified team back in."""
    admin.reinstate(requester.arena, requester.actor, body.team)
    return models.Done()


@router.post("/rescore", responses=changing(404))
def rescore(requester: Judge, _: CsrfChecked, body: request_bodies.Rescore) -> models.Rescored:
    """Have a release, a guess or a whole round judged again."""
    named = {"release_id": body.release, "guess_id": body.guess, "round_name": body.round}
    return models.Rescored(jobs=admin.rescore(requester.arena, requester.actor, **named))


@router.post("/accounts", status_code=201, responses=changing(409))
def make_accounts(
    request: Request, requester: Organiser, _: CsrfChecked, body: request_bodies.MakeAccounts
) -> models.NewLinks:
    """Make an account for everybody in a list, or for nobody; each gets a link to set a password with, once."""
    people = [admin.ListedPerson(one.name, one.team, one.division, one.mail) for one in body.people]
    new_links = admin.make_accounts(requester.arena, requester.actor, people)
    return models.NewLinks(accounts=[_link(request, one) for one in new_links])


@router.post("/accounts/{account_id}/link", status_code=201, responses=changing(404))
def new_link(request: Request, requester: Organiser, _: CsrfChecked, account_id: AccountId) -> models.AccountLink:
    """Make a link with which the owner of an account sets a new password; earlier links of it end."""
    return _link(request, admin.new_link(requester.arena, requester.actor, account_id))


def _link(request: Request, link: admin.NewLink) -> models.AccountLink:
    return models.AccountLink(
        id=link.account_id, name=link.name, link=links.address(origin_of(request), link.code), expires=link.expires
    )
