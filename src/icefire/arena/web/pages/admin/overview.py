"""The first page of the desk: how the competition is doing, and what needs attention."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.boards import reading, suspicion
from icefire.arena.contest import phases
from icefire.arena.submit import checks
from icefire.arena.web.navigation import ADMIN, MAIN, MenuEntry, judges
from icefire.arena.web.page import Page
from icefire.arena.web.requester import Judge

PAGE = Page(
    "admin/overview",
    "/desk",
    menus=(
        MenuEntry(MAIN, 70, "nav.desk", shown_to=judges, whole_section=True),
        MenuEntry(ADMIN, 10, "desk.overview"),
    ),
)


@PAGE.get()
def show(request: Request, requester: Judge) -> Response:
    """Show how the competition is doing."""
    arena, actor = requester.arena, requester.actor
    with arena.database.reading() as db:
        here = phases.current(arena.rounds(db))
        known = reading.round_facts(db, arena, here.name, actor)
    teams = admin.teams(arena, actor)
    return PAGE.render(
        request,
        shown=here,
        teams=teams,
        players=sum(len(team.members) for team in teams),
        releases=sum(one.in_play for one in known.releases),
        guesses=len(known.guesses),
        twins=sum(one.twin for one in known.releases),
        suspicious=len(suspicion.suspicious(known)),
        facts=len(admin.suspicions(arena, actor)),
        jobs=admin.queue(arena, actor),
        disk_full=not checks.has_room(arena),
    )
