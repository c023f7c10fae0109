"""The pictures of a round: what the board says, drawn."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from icefire.arena import charts
from icefire.arena.boards import freezing
from icefire.arena.web import round_choice
from icefire.arena.web.pages._kit import Somebody, fragment, freshness, language_of, page
from icefire.arena.web.pages.board import eyes_of
from icefire.arena.web.round_choice import RoundName

router = APIRouter(include_in_schema=False)


@router.get("/pictures")
def show(request: Request, asker: Somebody, round_name: RoundName = "") -> Response:
    """Show the pictures of a round."""
    eyes = eyes_of(asker.actor)
    with asker.arena.database.reading() as session:
        chosen = round_choice.chosen(session, asker.arena, round_name)

        def make() -> dict[str, Any]:
            board = freezing.board(asker.arena, session, eyes, chosen.here.name)
            return {"board": board, "drawn": charts.round_charts(board.ice, board.fire, language_of(request))}

        key = (*freshness(session, chosen.every, eyes), chosen.here.name)
        drawn = fragment(request, key, "_pictures.html", make)
    return page(request, "pictures.html", chosen=chosen, shown=chosen.here, drawn=drawn)
