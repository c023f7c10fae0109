"""What organisers do from a program: announce, move phases, pause, disqualify, judge again."""

from __future__ import annotations

from fastapi import APIRouter

from icefire.arena import admin
from icefire.arena.errors import WrongInput
from icefire.arena.web.api import models, request_bodies
from icefire.arena.web.api.responses import changing
from icefire.arena.web.session import Judge, Meant, Organiser

router = APIRouter()


@router.post("/announcements", status_code=201, responses=changing())
def announce(asker: Organiser, _: Meant, asked: request_bodies.Announce) -> models.Announcement:
    """Tell everybody something."""
    return models.Announcement.model_validate(admin.announce(asker.arena, asker.actor, asked.text))


@router.post("/phases", responses=changing(404, 409))
def move_phase(asker: Organiser, _: Meant, asked: request_bodies.MovePhase) -> models.Done:
    """Have a phase begin at a time, or it and every later one of the round some minutes later; everybody is told."""
    if asked.at is not None and asked.minutes is not None:
        raise WrongInput("both at and minutes are given; a phase is moved by one of them")
    if asked.minutes is not None:
        admin.extend(asker.arena, asker.actor, asked.round, asked.phase, asked.minutes)
    else:
        admin.move_phase(asker.arena, asker.actor, asked.round, asked.phase, asked.at)
    return models.Done()


@router.post("/pause", responses=changing(409))
def pause(asker: Organiser, _: Meant) -> models.Done:
    """Stop the clock of every phase."""
    admin.pause(asker.arena, asker.actor)
    return models.Done()


@router.post("/resume", responses=changing(409))
def resume(asker: Organiser, _: Meant) -> models.Done:
    """Go on; what had not begun begins later by the length of the pause."""
    admin.resume(asker.arena, asker.actor)
    return models.Done()


@router.post("/disqualify", responses=changing(404, 409))
def disqualify(asker: Organiser, _: Meant, asked: request_bodies.Disqualify) -> models.Done:
    """Take a team out of every ranking; the reason is shown."""
    admin.disqualify(asker.arena, asker.actor, asked.team, asked.reason)
    return models.Done()


@router.post("/reinstate", responses=changing(404, 409))
def reinstate(asker: Organiser, _: Meant, asked: request_bodies.Reinstate) -> models.Done:
    """Let a disqualified team back in."""
    admin.reinstate(asker.arena, asker.actor, asked.team)
    return models.Done()


@router.post("/rescore", responses=changing(404))
def rescore(asker: Judge, _: Meant, asked: request_bodies.Rescore) -> models.Rescored:
    """Have a release, a guess or a whole round judged again."""
    about = {"release_id": asked.release, "guess_id": asked.guess, "round_name": asked.round}
    return models.Rescored(jobs=admin.rescore(asker.arena, asker.actor, **about))
