"""The log, page by page, and whether its chain of hashes holds."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena import verify as checks
from icefire.arena.web.navigation import ADMIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.requester import Judge

PAGE = Page("admin/log", "/desk/log", menus=(MenuEntry(ADMIN, 80, "desk.log"),))
SIZE = 50
"""How many lines are on one page."""


@PAGE.get()
def show(
    request: Request,
    requester: Judge,
    before: Annotated[int | None, Query(ge=1, le=2**31)] = None,
    verify: bool = False,
) -> Response:
    """Show a page of the log, newest first; the whole chain is checked when asked, as it takes a while."""
    lines = admin.log_page(requester.arena, requester.actor, before, SIZE)
    problems = None
    if verify:
        with requester.arena.database.reading() as db:
            problems = checks.problems(requester.arena, db)
    older = lines[-1].number if lines and lines[-1].number > 1 else None
    return PAGE.render(request, lines=lines, older=older, before=before, problems=problems)
