"""The boards of a round: the ranking of releases, of attackers, and all rounds together."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

from fastapi import Query, Request
from markupsafe import Markup
from sqlalchemy.orm import Session
from starlette.responses import Response

from icefire.arena.auth.actor import Actor
from icefire.arena.boards import divisions, rankings
from icefire.arena.contest.arena import Arena
from icefire.arena.web import round_choice
from icefire.arena.web.fragments import board_viewer, fragment, freshness
from icefire.arena.web.navigation import MAIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.pages._leaders import first_place
from icefire.arena.web.preferences import words_of
from icefire.arena.web.requester import Anyone
from icefire.arena.web.round_choice import RoundChoice, RoundParameter
from icefire.arena.web.shared_boards import SharedBoards

PAGE = Page("board", "/board", menus=(MenuEntry(MAIN, 30, "nav.board"),), guesses=False)
ROWS = 100
"""How many releases are on one page; a contest of the usual size fits on the first."""


@PAGE.get()
def show(
    request: Request,
    requester: Anyone,
    round_name: RoundParameter = "",
    part: Annotated[int, Query(ge=1, le=10_000)] = 1,
    division: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """Show the rankings of a round, of all teams or of one division, live until they are frozen."""
    arena, viewer = requester.arena, board_viewer(requester.actor)
    with arena.database.reading() as db:
        chosen = round_choice.choose_round(request, db, arena, round_name)
        key = (*freshness(request, db, chosen.every, viewer), chosen.here.name, part, division)
        shared = SharedBoards(request, db, arena, chosen.every)
        tables = fragment(
            request, key, "_board.html", lambda: _tables(shared, db, arena, viewer, chosen, part, division)
        )
        own = _own_ids(shared, requester.actor)
    marked = mark_own(tables, own, words_of(request)("board.yours"))
    return PAGE.render(request, chosen=chosen, shown=chosen.here, tables=marked, division=division)


def _tables(
    shared: SharedBoards, db: Session, arena: Arena, viewer: Actor, chosen: RoundChoice, part: int, division: str
) -> dict[str, Any]:
    board = shared.board(viewer, chosen.here.name)
    overall = shared.overall(viewer) if len(chosen.every) > 1 else None
    if division:
        teams = divisions.teams_in(db, arena, division)
        board = divisions.of_division(board, teams)
        overall = None if overall is None else divisions.overall_of_division(overall, teams)
    parts = max(1, -(-len(board.ice.rows) // ROWS))
    start = (min(part, parts) - 1) * ROWS
    return {
        "board": board,
        "rows": board.ice.rows[start : start + ROWS],
        "part": min(part, parts),
        "parts": parts,
        "shown": chosen.here,
        "average_ratio": None if board.fire is None else rankings.average_ratio(board.fire),
        "lead": first_place(board.ice),
        "overall": overall,
        "division": division,
        "weights": {one.name: one.weight for one in arena.definition.rounds},
        "summaries": arena.game.summaries,
        "checked": arena.game.has_aya,
        "judging": viewer.judges,
    }


def _own_ids(shared: SharedBoards, actor: Actor) -> list[str]:
    """Return the ids of the team and its releases."""
    return [actor.team_id, *(release for release, _ in shared.own_releases(actor))] if actor.team_id else []


def mark_own(drawn: Markup, own: Collection[str], word: Markup) -> Markup:
    """Say "yours" where the drawing for all has left room for it."""
    text = str(drawn)
    for one in own:
        text = text.replace(f"<!--yours {one}-->", str(Markup('<span class="yours">{}</span>').format(word)))
    return Markup(text)
