"""What organisers do from a program: announce, move phases, pause, disqualify, judge again."""

from __future__ import annotations

from fastapi import APIRouter

from icefire.arena import admin
from icefire.arena.errors import WrongInput
from icefire.arena.web.api import models, request_bodies
from icefire.arena.web.api.responses import changing
from icefire.arena.web.csrf import CsrfChecked
from icefire.arena.web.requester import Judge, Organiser

router = APIRouter()


@router.post("/announcements", status_code=201, responses=changing())
def announce(requester: Organiser, _: CsrfChecked, asked: request_bodies.Announce) -> models.Announcement:
    """Tell everybody something."""
    return models.Announcement.model_validate(admin.announce(requester.arena, requester.actor, asked.text))


@router.post("/phases", responses=changing(404, 409))
def move_phase(requester: Organiser, _: CsrfChecked, asked: request_bodies.MovePhase) -> models.Done:
    """Have a phase begin at a time, or it and every later one of the round some minutes later; everybody is told."""
    if asked.at is not None and asked.minutes is not None:
        raise WrongInput("both at and minutes are given; a phase is moved by one of them")
    if asked.minutes is not None:
        admin.extend(requester.arena, requester.actor, asked.round, asked.phase, asked.minutes)
    else:
        admin.move_phase(requester.arena, requester.actor, asked.round, asked.phase, asked.at)
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
def disqualify(requester: Organiser, _: CsrfChecked, asked: request_bodies.Disqualify) -> models.Done:
    """Take a team out of every ranking; the reason is shown."""
    admin.disqualify(requester.arena, requester.actor, asked.team, asked.reason)
    return models.Done()


@router.post("/reinstate", responses=changing(404, 409))
def reinstate(requester: Organiser, _: CsrfChecked, asked: request_bodies.Reinstate) -> models.Done:
    """Let a disqualified team back in."""
    admin.reinstate(requester.arena, requester.actor, asked.team)
    return models.Done()


@router.post("/rescore", responses=changing(404))
def rescore(requester: Judge, _: CsrfChecked, asked: request_bodies.Rescore) -> models.Rescored:
    """Have a release, a guess or a whole round judged again."""
    about = {"release_id": asked.release, "guess_id": asked.guess, "round_name": asked.round}
    return models.Rescored(jobs=admin.rescore(requester.arena, requester.actor, **about))
