"""Disqualify a team, with a reason."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.errors import Absent
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.page import Page
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Organiser

PAGE = Page("admin/disqualify", "/desk/teams/{team_id}/disqualify")


@PAGE.get()
def show(request: Request, requester: Organiser, team_id: str) -> Response:
    """Ask for the reason first."""
    teams = {team.id: team for team in admin.teams(requester.arena, requester.actor)}
    if team_id not in teams or teams[team_id].disqualified is not None:
        raise Absent
    return PAGE.render(request, team=teams[team_id])


@PAGE.post()
def disqualify(requester: Organiser, form: PostedForm, team_id: str) -> Response:
    """Take a team out of every ranking."""
    admin.disqualify(requester.arena, requester.actor, team_id, text(form, "reason"))
    return see_other("/desk/teams", "desk.disqualified")
