"""The pictures of a round: its board as charts."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from icefire.arena import charts
from icefire.arena.web import round_choice
from icefire.arena.web.fragments import board_viewer, fragment, freshness
from icefire.arena.web.navigation import MAIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.preferences import language_of
from icefire.arena.web.requester import Anyone
from icefire.arena.web.round_choice import RoundParameter
from icefire.arena.web.shared_boards import SharedBoards

PAGE = Page("pictures", "/pictures", menus=(MenuEntry(MAIN, 40, "nav.pictures"),), guesses=False)


@PAGE.get()
def show(request: Request, requester: Anyone, round_name: RoundParameter = "") -> Response:
    """Show the pictures of a round."""
    arena, viewer = requester.arena, board_viewer(requester.actor)
    with arena.database.reading() as db:
        chosen = round_choice.choose_round(request, db, arena, round_name)

        def values() -> dict[str, Any]:
            board = SharedBoards(request, db, arena, chosen.every).board(viewer, chosen.here.name)
            return {"board": board, "drawn": charts.round_charts(board.ice, board.fire, language_of(request))}

        key = (*freshness(request, db, chosen.every, viewer), chosen.here.name)
        drawn = fragment(request, key, "_pictures.html", values)
    return PAGE.render(request, chosen=chosen, shown=chosen.here, drawn=drawn)
