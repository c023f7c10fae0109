"""The teams: who plays, and who is out of the competition."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.navigation import ADMIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Judge, Organiser

PAGE = Page("admin/teams", "/desk/teams", menus=(MenuEntry(ADMIN, 20, "desk.teams"),))


@PAGE.get()
def show(request: Request, requester: Judge) -> Response:
    """List the teams."""
    return PAGE.render(request, teams=admin.teams(requester.arena, requester.actor))


@PAGE.post("/{team_id}/reinstate")
def reinstate(requester: Organiser, form: PostedForm, team_id: str) -> Response:
    """Let a team back in."""
    admin.reinstate(requester.arena, requester.actor, team_id)
    return see_other("/desk/teams", "desk.reinstated")


@PAGE.post("/{team_id}/division")
def set_division(requester: Organiser, form: PostedForm, team_id: str) -> Response:
    """Put a team into another division."""
    admin.set_division(requester.arena, requester.actor, team_id, text(form, "division"))
    return see_other("/desk/teams", "desk.division")
