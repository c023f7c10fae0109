"""What was handed in, what to look at, and judging it again."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.boards import reading, suspicion
from icefire.arena.errors import WrongInput
from icefire.arena.web import round_choice
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.navigation import ADMIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Judge
from icefire.arena.web.round_choice import RoundParameter

PAGE = Page("admin/submissions", "/desk/submissions", menus=(MenuEntry(ADMIN, 60, "desk.submissions"),))
RESCORED = ("release_id", "guess_id", "round_name")


@PAGE.get()
def show(request: Request, requester: Judge, round_name: RoundParameter = "") -> Response:
    """List releases and guesses of a round, and what is suspicious among them."""
    arena, actor = requester.arena, requester.actor
    with arena.database.reading() as db:
        chosen = round_choice.choose_round(request, db, arena, round_name)
        known = reading.round_facts(db, arena, chosen.here.name, actor)
    suspicious = suspicion.suspicious(known)
    return PAGE.render(
        request,
        chosen=chosen,
        shown=chosen.here,
        releases=admin.releases(arena, actor, chosen.here.name),
        guesses=admin.guesses(arena, actor, chosen.here.name),
        suspicious=suspicious,
        flagged={one.guess.id for one in suspicious},
        facts=admin.suspicions(arena, actor),
        labels={one.id: one.label for one in known.releases},
    )


@PAGE.router.post("/desk/rescore")
def rescore(requester: Judge, form: PostedForm) -> Response:
    """Have one release, one guess, or a whole round judged again."""
    named = {name: text(form, name) for name in RESCORED if text(form, name)}
    if len(named) != 1:
        raise WrongInput("name one thing to judge again: a release, a guess, or a round")
    admin.rescore(requester.arena, requester.actor, **named)
    return see_other("/desk/queue", "desk.rescored")
