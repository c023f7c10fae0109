"""The log, page by page, and whether its chain holds."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.storage import log
from icefire.arena.web.pages._kit import Judge, page

router = APIRouter(prefix="/desk/log")
SIZE = 50


@router.get("")
def show(
    request: Request, asker: Judge, before: Annotated[int | None, Query(ge=1, le=2**31)] = None, verify: bool = False
) -> Response:
    """Show a page of the log, newest first; the whole chain is checked when asked, as it takes a while."""
    lines = admin.log_page(asker.arena, asker.actor, before, SIZE)
    problems = None
    if verify:
        with asker.arena.database.reading() as session:
            problems = log.verify(session)
    older = lines[-1].number if lines and lines[-1].number > 1 else None
    return page(request, "admin/log.html", lines=lines, older=older, before=before, problems=problems)
