"""The judge's queue: what waits, runs or has failed."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.web.navigation import ADMIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.requester import Judge

PAGE = Page("admin/queue", "/desk/queue", menus=(MenuEntry(ADMIN, 70, "desk.queue"),))


@PAGE.get()
def show(request: Request, requester: Judge) -> Response:
    """Show what the judge has not finished."""
    return PAGE.render(request, jobs=admin.queue(requester.arena, requester.actor))
