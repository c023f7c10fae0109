"""The desk's first page: what is going on, what waits for the judge, and what is not in order."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from icefire.arena import admin, doctor
from icefire.arena.boards import reading, suspicion
from icefire.arena.contest import phases
from icefire.arena.web.pages._kit import Judge, page

router = APIRouter(prefix="/desk")


@router.get("")
def show(request: Request, asker: Judge) -> Response:
    """Show how the competition is doing."""
    arena, actor = asker.arena, asker.actor
    with arena.database.reading() as session:
        here = phases.current(arena.rounds(session))
        known = reading.round_facts(session, arena, here.name, actor)
    teams = admin.teams(arena, actor)
    return page(
        request,
        "admin/overview.html",
        shown=here,
        teams=teams,
        players=sum(len(team.members) for team in teams),
        releases=sum(one.in_play for one in known.releases),
        guesses=len(known.guesses),
        twins=sum(one.twin for one in known.releases),
        suspicious=len(suspicion.suspicious(known)),
        jobs=admin.queue(arena, actor),
    )


@router.get("/queue")
def queue(request: Request, asker: Judge) -> Response:
    """Show what the judge has not finished."""
    return page(request, "admin/queue.html", jobs=admin.queue(asker.arena, asker.actor))


@router.get("/doctor")
def examine(request: Request, asker: Judge) -> Response:
    """Examine the competition's files and tables."""
    return page(request, "admin/doctor.html", findings=doctor.examine(asker.arena))
