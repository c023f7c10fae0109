"""The ceremony: a page for the projector, stepped through by the organiser and followed by everybody."""

from __future__ import annotations

from typing import cast

from fastapi import APIRouter, Request
from starlette.responses import Response

from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import ceremony
from icefire.arena.boards.ceremony import CeremonyStage
from icefire.arena.errors import WrongInput
from icefire.arena.web.pages._kit import Known, Posted, Somebody, freshness, page, see_other, text

STEPS = {"step": ceremony.step, "back": ceremony.back}
router = APIRouter(include_in_schema=False)


@router.get("/reveal/{round_name}")
def show(request: Request, asker: Somebody, round_name: str) -> Response:
    """Show the places told so far; they are found once for all who watch."""
    arena = asker.arena
    with arena.database.reading() as session:
        now = arena.round_now(session, round_name)
        key = ("stage", round_name, *freshness(session, arena.rounds(session), VISITOR))
        stage = cast(
            CeremonyStage, request.app.state.fragments.get(key, lambda: ceremony.stage(arena, session, round_name))
        )
    told = stage.fire or stage.ice
    return page(
        request,
        "reveal.html",
        shown=now,
        stage=stage,
        latest=told[-1] if told and not stage.done else None,
        by_total=arena.play.fire_rule == "total",
        controls=asker.actor.organises and now.phase == "reveal" and not stage.done,
    )


@router.post("/reveal/{round_name}")
def move(asker: Known, form: Posted, round_name: str) -> Response:
    """Tell one place more, take one back, or tell all that is left."""
    asked, seen = text(form, "do"), text(form, "seen")
    if asked == "finish":
        ceremony.finish(asker.arena, asker.actor, round_name)
    elif asked in STEPS:
        STEPS[asked](asker.arena, asker.actor, round_name, int(seen) if seen.isdecimal() else None)
    else:
        raise WrongInput(f"do is {asked!r}; it takes step, back or finish")
    return see_other(f"/reveal/{round_name}")
