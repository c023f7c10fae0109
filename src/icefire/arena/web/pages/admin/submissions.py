"""Submissions at the desk: what came in, what to look at, and judging it again."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.boards import reading, suspicion
from icefire.arena.errors import WrongInput
from icefire.arena.web import round_choice
from icefire.arena.web.pages._kit import Judge, Posted, page, see_other, text
from icefire.arena.web.round_choice import RoundName

router = APIRouter(prefix="/desk")
RESCORED = ("release_id", "guess_id", "round_name")


@router.get("/submissions")
def show(request: Request, asker: Judge, round_name: RoundName = "") -> Response:
    """List releases and guesses of a round, and what is suspicious among them."""
    arena, actor = asker.arena, asker.actor
    with arena.database.reading() as session:
        chosen = round_choice.chosen(session, arena, round_name)
        known = reading.round_facts(session, arena, chosen.here.name, actor)
    found = suspicion.suspicious(known)
    return page(
        request,
        "admin/submissions.html",
        chosen=chosen,
        shown=chosen.here,
        releases=admin.releases(arena, actor, chosen.here.name),
        guesses=admin.guesses(arena, actor, chosen.here.name),
        suspicious=found,
        flagged={one.id for one in found},
        labels={one.id: one.label for one in known.releases},
    )


@router.post("/rescore")
def rescore(asker: Judge, form: Posted) -> Response:
    """Have one release, one guess, or a whole round judged again."""
    asked = {name: text(form, name) for name in RESCORED if text(form, name)}
    if len(asked) != 1:
        raise WrongInput("name one thing to judge again: a release, a guess, or a round")
    admin.rescore(asker.arena, asker.actor, **asked)
    return see_other("/desk/queue", "desk.rescored")
