"""The matrix attacker × release: the central page.

What everybody sees of it is read and drawn once for all who look; only a team's own row is drawn for that team.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Query, Request
from markupsafe import Markup
from sqlalchemy.orm import Session
from starlette.responses import Response

from icefire.arena import ids
from icefire.arena.auth.actor import Actor
from icefire.arena.boards import matrix, reading
from icefire.arena.submit import ice
from icefire.arena.web import round_choice
from icefire.arena.web.fragments import board_viewer, cached, fragment, freshness
from icefire.arena.web.navigation import MAIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.pages import _matrix_view
from icefire.arena.web.pages._matrix_view import STATES, AttackerRow, CountedMatrix, MatrixFilter, MatrixView
from icefire.arena.web.requester import Anyone
from icefire.arena.web.round_choice import RoundParameter
from icefire.arena.web.templating import render_part

PAGE = Page("matrix", "/matrix", menus=(MenuEntry(MAIN, 20, "nav.matrix"),))
ROW_TEMPLATE = "_matrix_rows.html"
BETWEEN = "<!--next-->"
"""Stands between two rows of the drawn part, so that one can be taken out."""
PageNumber = Annotated[int, Query(ge=1, le=10_000)]


@PAGE.get()
def show(
    request: Request,
    requester: Anyone,
    round_name: RoundParameter = "",
    state: str = "",
    team: Annotated[str, Query(max_length=80)] = "",
    rows: PageNumber = 1,
    columns: PageNumber = 1,
) -> Response:
    """Show who has attacked what, live."""
    asked = MatrixFilter(state if state in STATES else "", ids.name_key(team), rows, columns)
    arena, viewer, team_id = requester.arena, board_viewer(requester.actor), requester.actor.team_id
    with arena.database.reading() as db:
        chosen = round_choice.choose_round(db, arena, round_name)
        key = (*freshness(db, chosen.every, viewer), chosen.here.name)

        def counted_matrix() -> CountedMatrix:
            return _matrix_view.count_states(
                matrix.round_matrix(reading.round_facts(db, arena, chosen.here.name, viewer))
            )

        public = cached(request, ("matrix", *key), counted_matrix)
        own = _own_releases(db, requester.actor, chosen.here.name)
    view = _matrix_view.select_view(public.whole, asked)
    drawn = fragment(request, (*key, asked), ROW_TEMPLATE, lambda: {"view": view, "own": False, "states": STATES})
    return PAGE.render(
        request,
        chosen=chosen,
        shown=chosen.here,
        wanted=asked,
        states=STATES,
        mine=own,
        view=view,
        counts=_matrix_view.counts_with_own(public, team_id, own),
        own_row=_draw_own_row(request, view, _matrix_view.own_row(public.whole, view, team_id, own)),
        lines=_without_team(drawn, view, team_id),
    )


def _own_releases(db: Session, actor: Actor, round_name: str) -> set[str]:
    if actor.team_id is None:
        return set()
    return {one.id for one in ice.releases_of(db, actor.team_id) if one.round == round_name}


def _draw_own_row(request: Request, view: MatrixView, row: AttackerRow | None) -> Markup | None:
    if row is None:
        return None
    return render_part(request, ROW_TEMPLATE, {"view": replace(view, lines=[row]), "own": True, "states": STATES})


def _without_team(drawn: Markup, view: MatrixView, team_id: str | None) -> Markup:
    """Leave out the row of the team, which is drawn on top already."""
    rows = str(drawn).split(BETWEEN)
    return Markup("".join(row for row, line in zip(rows, view.lines, strict=False) if line.team.id != team_id))
