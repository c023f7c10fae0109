"""An examination of the competition's files and tables."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena import doctor
from icefire.arena.web.navigation import ADMIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.requester import Judge

PAGE = Page("admin/doctor", "/desk/doctor", menus=(MenuEntry(ADMIN, 90, "desk.doctor"),))


@PAGE.get()
def show(request: Request, requester: Judge) -> Response:
    """Examine the competition, and show what is not in order."""
    return PAGE.render(request, findings=doctor.examine(requester.arena))
