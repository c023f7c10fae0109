"""Teams at the desk: who plays, and who is out of the competition."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.errors import Absent
from icefire.arena.web.pages._kit import Judge, Organiser, Posted, page, see_other, text

router = APIRouter(prefix="/desk/teams")


@router.get("")
def show(request: Request, asker: Judge) -> Response:
    """List the teams."""
    return page(request, "admin/teams.html", teams=admin.teams(asker.arena, asker.actor))


@router.get("/{team_id}/disqualify")
def ask(request: Request, asker: Organiser, team_id: str) -> Response:
    """Ask for the reason first."""
    found = next((one for one in admin.teams(asker.arena, asker.actor) if one.id == team_id), None)
    if found is None or found.disqualified is not None:
        raise Absent
    return page(request, "admin/disqualify.html", team=found)


@router.post("/{team_id}/disqualify")
def disqualify(asker: Organiser, form: Posted, team_id: str) -> Response:
    """Take a team out of every ranking."""
    admin.disqualify(asker.arena, asker.actor, team_id, text(form, "reason"))
    return see_other("/desk/teams", "desk.disqualified")


@router.post("/{team_id}/reinstate")
def reinstate(asker: Organiser, form: Posted, team_id: str) -> Response:
    """Let a team back in."""
    admin.reinstate(asker.arena, asker.actor, team_id)
    return see_other("/desk/teams", "desk.reinstated")
