"""The published head of the log, for whoever wants to keep it, and how to check the competition with it."""

from __future__ import annotations

import msgspec
from fastapi import Request
from starlette.responses import Response

from icefire.arena.contest import log_head
from icefire.arena.errors import Absent
from icefire.arena.web.navigation import FOOTER, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.requester import Anyone

PAGE = Page("log", "/log", menus=(MenuEntry(FOOTER, 30, "nav.log"),))


@PAGE.get()
def show(request: Request, requester: Anyone) -> Response:
    """Show the head."""
    with requester.arena.database.reading() as db:
        head = log_head.public_head(requester.arena, db)
    return PAGE.render(request, head=head, key=requester.arena.signer.public_key)


@PAGE.get("/head.json")
def download(requester: Anyone) -> Response:
    """Hand out the head as a file."""
    with requester.arena.database.reading() as db:
        head = log_head.public_head(requester.arena, db)
    if head is None:
        raise Absent
    body = msgspec.json.format(msgspec.json.encode(head), indent=2) + b"\n"
    headers = {"Content-Disposition": f'attachment; filename="log_head_{head.log_line}.json"'}
    return Response(body, media_type="application/json", headers=headers)
