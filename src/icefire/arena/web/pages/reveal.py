"""The reveal of a round: a page for the projector, stepped through by the organiser and followed by everybody."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import ceremony, revealing
from icefire.arena.errors import WrongInput
from icefire.arena.web.changes import SeenChanges
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.fragments import cached, freshness
from icefire.arena.web.page import Page
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Anyone, LoggedIn

PAGE = Page("reveal", "/reveal/{round_name}")
STEPS = {"step": ceremony.step, "back": ceremony.back}


@PAGE.get()
def show(request: Request, requester: Anyone, round_name: str) -> Response:
    """Show the places told so far; they are read once for all who watch."""
    arena = requester.arena
    with arena.database.reading() as db:
        now = arena.round_now(db, round_name)
        changes: SeenChanges = request.app.state.changes.seen_by(db)
        judged = (changes.guessed(round_name), changes.scored(round_name))
        key = (*freshness(request, db, arena.rounds(db), VISITOR), *judged)
        stage = cached(request, ("stage", round_name), key, lambda: ceremony.stage(arena, db, round_name))
        waiting = now.phase == "reveal" and not stage.done
        lacking = revealing.missing(db, round_name) if waiting else None
    places = stage.fire or stage.ice
    return PAGE.render(
        request,
        shown=now,
        stage=stage,
        latest=places[-1] if places and not stage.done else None,
        fire_rule=arena.game.fire_rule,
        controls=requester.actor.organises and waiting,
        lacking=lacking if lacking is not None and lacking.waits else None,
        has_ceremony=arena.definition.ceremony,
    )


@PAGE.post()
def move(requester: LoggedIn, form: PostedForm, round_name: str) -> Response:
    """Tell one place more, take one back, or tell all that is left."""
    arena, actor, action, seen = requester.arena, requester.actor, text(form, "do"), text(form, "seen")
    if action == "without":
        revealing.reveal_without(arena, actor, round_name, text(form, "missing"))
    elif action == "finish":
        ceremony.finish(arena, actor, round_name)
    elif action in STEPS:
        STEPS[action](arena, actor, round_name, int(seen) if seen.isdecimal() else None)
    else:
        raise WrongInput(f"do is {action!r}; it takes step, back, finish or without")
    return see_other(f"/reveal/{round_name}")
