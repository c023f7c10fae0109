"""The matrix attacker × release: the central page.

What everybody sees of it is read and drawn once for all who look; only a team's own row is drawn for that team.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from markupsafe import Markup
from starlette.responses import Response

from icefire.arena import ids
from icefire.arena.auth.actor import Actor
from icefire.arena.web import round_choice
from icefire.arena.web.fragments import FragmentCache, board_viewer
from icefire.arena.web.navigation import MAIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.pages import _matrix_view
from icefire.arena.web.pages._matrix_view import (
    STATES,
    AttackerRow,
    CountedMatrix,
    DrawnView,
    MatrixFilter,
    MatrixView,
)
from icefire.arena.web.preferences import language_of
from icefire.arena.web.requester import Anyone
from icefire.arena.web.round_choice import RoundParameter
from icefire.arena.web.shared_boards import SharedBoards
from icefire.arena.web.templating import render_part

PAGE = Page("matrix", "/matrix", menus=(MenuEntry(MAIN, 20, "nav.matrix"),))
ROW_TEMPLATE = "_matrix_row.html"
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
    asked = MatrixFilter(state if state in STATES else "", ids.folded_name(team), rows, columns)
    arena, viewer, team_id = requester.arena, board_viewer(requester.actor), requester.actor.team_id
    with arena.database.reading() as db:
        chosen = round_choice.choose_round(request, db, arena, round_name)
        shared = SharedBoards(request, db, arena, chosen.every)
        public = _counted(shared, viewer, chosen.here.name)
        drawn = _drawn(request, shared, public, asked, viewer, chosen.here.name)
        own = {release for release, name in shared.own_releases(requester.actor) if name == chosen.here.name}
    view = drawn.view
    mine = _matrix_view.own_row(public.whole, view, team_id, own)
    return PAGE.render(
        request,
        chosen=chosen,
        shown=chosen.here,
        wanted=asked,
        states=STATES,
        mine=own,
        view=view,
        counts=_matrix_view.counts_with_own(public, team_id, own),
        own_row=None if mine is None else _draw(request, view, mine, own=True),
        lines=Markup(drawn.without(team_id)),
    )


def _counted(shared: SharedBoards, viewer: Actor, round_name: str) -> CountedMatrix:
    def count(viewer: Actor, round_name: str) -> CountedMatrix:
        before = shared.before("counted matrix", viewer, round_name)
        return _matrix_view.count_states(shared.matrix(viewer, round_name), before)

    return shared.for_all("counted matrix", viewer, round_name, count, guesses=True)


def _drawn(
    request: Request, shared: SharedBoards, public: CountedMatrix, asked: MatrixFilter, viewer: Actor, name: str
) -> DrawnView:
    """Return a part of the matrix as it is drawn for all; its pages, without a filter, are drawn once for all."""
    if not asked.is_page_of(public.whole):
        return _draw_view(request, public, asked)
    place = f"drawn matrix {language_of(request)} {asked.rows} {asked.columns}"
    return shared.for_all(place, viewer, name, lambda *_: _draw_view(request, public, asked), guesses=True)


def _draw_view(request: Request, public: CountedMatrix, asked: MatrixFilter) -> DrawnView:
    """Draw the rows of a page; one that looks as before is not drawn again."""
    rows: FragmentCache = request.app.state.matrix_rows
    language, view = language_of(request), _matrix_view.select_view(public, asked)

    def draw(line: AttackerRow) -> str:
        return str(rows.get((language, line), lambda: _draw(request, view, line, own=False)))

    drawn = {line.team.id: draw(line) for line in view.lines}
    return DrawnView(view, drawn, "".join(drawn.values()))


def _draw(request: Request, view: MatrixView, line: AttackerRow, own: bool) -> Markup:
    return render_part(request, ROW_TEMPLATE, {"releases": view.releases, "line": line, "own": own, "states": STATES})
