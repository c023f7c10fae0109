"""The boards of a round: the ranking of releases, of attackers, and all rounds together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from sqlalchemy.orm import Session
from starlette.responses import Response

from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.boards import freezing
from icefire.arena.boards.rankings import IceBoard, IceRow
from icefire.arena.submit import ice
from icefire.arena.web import round_choice
from icefire.arena.web.pages._kit import Asker, Somebody, fragment, freshness, page, words_of
from icefire.arena.web.round_choice import RoundName

ROWS = 100
"""How many releases are on one page; a contest of the usual size fits on the first."""
router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Lead:
    """Who leads the ranking of releases, and what stands in the way of a better result."""

    row: IceRow
    others: int
    """How many share the first place with it."""
    by: str | None
    """What identified most of it; None if nothing was identified."""


@router.get("/board")
def show(
    request: Request, asker: Somebody, round_name: RoundName = "", part: Annotated[int, Query(ge=1, le=10_000)] = 1
) -> Response:
    """Show the rankings of a round, live until they are frozen."""
    eyes = eyes_of(asker.actor)
    with asker.arena.database.reading() as session:
        chosen = round_choice.chosen(session, asker.arena, round_name)
        key = (*freshness(session, chosen.every, eyes), chosen.here.name, part)
        tables = fragment(request, key, "_board.html", lambda: _values(session, asker, eyes, chosen, part))
        mine = _own(session, asker.actor)
    marked = mark_own(tables, mine, words_of(request)("board.yours"))
    return page(request, "board.html", chosen=chosen, shown=chosen.here, tables=marked)


def eyes_of(actor: Actor) -> Actor:
    """Return with whose eyes a board is read: all teams see the public one, so that one drawing serves them all."""
    return actor if actor.judges else VISITOR


def _values(session: Session, asker: Asker, eyes: Actor, chosen: round_choice.Chosen, part: int) -> dict[str, Any]:
    arena = asker.arena
    board = freezing.board(arena, session, eyes, chosen.here.name)
    parts = max(1, -(-len(board.ice.rows) // ROWS))
    start = (min(part, parts) - 1) * ROWS
    return {
        "board": board,
        "rows": board.ice.rows[start : start + ROWS],
        "part": min(part, parts),
        "parts": parts,
        "shown": chosen.here,
        "lead": lead(board.ice),
        "overall": freezing.all_rounds(arena, session, eyes) if len(chosen.every) > 1 else None,
        "weights": {one.name: one.weight for one in arena.definition.rounds},
        "summaries": arena.play.summaries,
        "judging": eyes.judges,
    }


def lead(board: IceBoard) -> Lead | None:
    """Find the release in the first place."""
    first = [row for row in board.rows if row.rank == 1]
    if not first:
        return None
    row = first[0]
    found = [one for one in row.release.found or () if one.rate == row.security and one.hits]
    return Lead(row, len(first) - 1, found[0].shown if found else None)


def _own(session: Session, actor: Actor) -> list[str]:
    """The team and its releases."""
    return [actor.team_id, *(one.id for one in ice.releases_of(session, actor.team_id))] if actor.team_id else []


def mark_own(drawn: Markup, own: Collection[str], word: Markup) -> Markup:
    """Say "yours" where the drawing for all has left room for it."""
    text = str(drawn)
    for one in own:
        text = text.replace(f"<!--yours {one}-->", str(Markup('<span class="yours">{}</span>').format(word)))
    return Markup(text)
