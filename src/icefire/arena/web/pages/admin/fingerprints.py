"""Which methods made each release, as far as its traces tell."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.web import round_choice
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.navigation import ADMIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Judge
from icefire.arena.web.round_choice import RoundParameter

PAGE = Page("admin/fingerprints", "/desk/fingerprints", menus=(MenuEntry(ADMIN, 65, "desk.fingerprints"),))


@PAGE.get()
def show(request: Request, requester: Judge, round_name: RoundParameter = "") -> Response:
    """List the judged releases of a round and the methods recognised in them."""
    arena, actor = requester.arena, requester.actor
    with arena.database.reading() as db:
        chosen = round_choice.choose_round(request, db, arena, round_name)
    lines = admin.fingerprints(arena, actor, chosen.here.name)
    return PAGE.render(request, chosen=chosen, shown=chosen.here, lines=lines)


@PAGE.post()
def recognise(requester: Judge, form: PostedForm) -> Response:
    """Have the judge look at every judged release of a round."""
    admin.recognise_methods(requester.arena, requester.actor, text(form, "round_name"))
    return see_other("/desk/queue", "desk.fingerprints_asked")
