"""Messages outside: what was sent by mail or webhook, what waits, and what was given up."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.navigation import ADMIN, MenuEntry, organisers
from icefire.arena.web.page import Page
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Organiser

PAGE = Page("admin/deliveries", "/desk/messages", menus=(MenuEntry(ADMIN, 95, "desk.messages", shown_to=organisers),))


@PAGE.get()
def show(request: Request, requester: Organiser) -> Response:
    """List the newest messages."""
    return PAGE.render(request, messages=admin.deliveries(requester.arena, requester.actor))


@PAGE.post()
def send_again(requester: Organiser, form: PostedForm) -> Response:
    """Try what was given up again."""
    admin.send_again(requester.arena, requester.actor)
    return see_other("/desk/messages", "desk.sent_again")
