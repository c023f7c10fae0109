"""The matrix attacker × release: the central page.

What everybody sees of it is read and drawn once for all who look; only a team's own row is drawn for that team.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, cast, get_args

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from sqlalchemy.orm import Session
from starlette.responses import Response

from icefire.arena import ids
from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.boards import matrix, reading
from icefire.arena.boards.facts import ReleaseFacts, TeamFacts
from icefire.arena.boards.matrix import Matrix, MatrixCell
from icefire.arena.submit import ice
from icefire.arena.web import round_choice, templating
from icefire.arena.web.pages._kit import Asker, Somebody, fragment, freshness, page
from icefire.arena.web.round_choice import RoundName

ROWS, COLUMNS = 50, 40
"""How much of it is on one page; a contest of the usual size fits on the first."""
STATES: tuple[str, ...] = get_args(matrix.State)
DONE = ("submitted", "scored")
BETWEEN = "<!--next-->"
"""Stands between two rows of the drawn part, so that one can be taken out."""
Number = Annotated[int, Query(ge=1, le=10_000)]
router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the matrix somebody wants to see."""

    state: str = ""
    team: str = ""
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Line:
    """One attacker."""

    team: TeamFacts
    done: int
    possible: int
    cells: Sequence[MatrixCell]


@dataclass(frozen=True, slots=True)
class View:
    """The part of the matrix on this page."""

    releases: Sequence[ReleaseFacts]
    lines: Sequence[Line]
    attackers: int
    columns: int
    """How many of each are left after the filter."""
    row_pages: int
    column_pages: int


@dataclass(frozen=True, slots=True)
class Public:
    """A matrix everybody sees alike, and how many of its cells are in each state."""

    whole: Matrix
    counts: dict[str, int]


@router.get("/matrix")
def show(
    request: Request,
    asker: Somebody,
    round_name: RoundName = "",
    state: str = "",
    team: Annotated[str, Query(max_length=80)] = "",
    rows: Number = 1,
    columns: Number = 1,
) -> Response:
    """Show who has attacked what, live."""
    wanted = Wanted(state if state in STATES else "", ids.name_key(team), rows, columns)
    eyes, team_id = asker.actor if asker.actor.judges else VISITOR, asker.actor.team_id
    with asker.arena.database.reading() as session:
        chosen = round_choice.chosen(session, asker.arena, round_name)
        key = (*freshness(session, chosen.every, eyes), chosen.here.name)
        public = _public(request, session, asker, eyes, chosen.here.name, key)
        mine = _own_releases(session, asker.actor, chosen.here.name)
    seen = view(public.whole, wanted)
    drawn = fragment(request, (*key, wanted), "_matrix_rows.html", lambda: _drawing(seen, own=False))
    own = _own_line(public.whole, seen, team_id, mine)
    return page(
        request,
        "matrix.html",
        chosen=chosen,
        shown=chosen.here,
        wanted=wanted,
        states=STATES,
        mine=mine,
        view=seen,
        counts=_with_own(public, team_id, mine),
        own_row=own and templating.part(request, "_matrix_rows.html", _drawing(replace(seen, lines=[own]), own=True)),
        lines=_without(drawn, seen, team_id),
    )


def _drawing(seen: View, own: bool) -> dict[str, Any]:
    return {"view": seen, "own": own, "states": STATES}


def _public(
    request: Request, session: Session, asker: Asker, eyes: Actor, round_name: str, key: tuple[Any, ...]
) -> Public:
    def make() -> Public:
        whole = matrix.round_matrix(reading.round_facts(session, asker.arena, round_name, eyes))
        found = Counter(str(cell.state) for row in whole.cells for cell in row)
        return Public(whole, {state: found[state] for state in STATES})

    return cast(Public, request.app.state.fragments.get(("matrix", *key), make))


def _own_releases(session: Session, actor: Actor, round_name: str) -> set[str]:
    if actor.team_id is None:
        return set()
    return {one.id for one in ice.releases_of(session, actor.team_id) if one.round == round_name}


def view(whole: Matrix, wanted: Wanted) -> View:
    """Return what is wanted of a matrix."""
    rows = [at for at, one in enumerate(whole.attackers) if wanted.team in ids.name_key(one.name)]
    columns = list(range(len(whole.releases)))
    if wanted.state:
        rows = [row for row in rows if any(cell.state == wanted.state for cell in whole.cells[row])]
        columns = [at for at in columns if any(whole.cells[row][at].state == wanted.state for row in rows)]
    on_page = _page(columns, wanted.columns, COLUMNS)
    return View(
        releases=[whole.releases[at] for at in on_page],
        lines=[_line(whole.attackers[row], whole.cells[row], on_page) for row in _page(rows, wanted.rows, ROWS)],
        attackers=len(rows),
        columns=len(columns),
        row_pages=_pages(rows, ROWS),
        column_pages=_pages(columns, COLUMNS),
    )


def _line(team: TeamFacts, cells: Sequence[MatrixCell], columns: Sequence[int]) -> Line:
    done, own = (sum(cell.state in some for cell in cells) for some in (DONE, ("own",)))
    return Line(team, done, len(cells) - own, [cells[at] for at in columns])


def _own_line(whole: Matrix, seen: View, team_id: str | None, mine: set[str]) -> Line | None:
    """The team's own row, in which it sees which releases are its own."""
    row = _row_of(whole, team_id)
    if row is None:
        return None
    cells = [
        MatrixCell("own") if release.id in mine else cell
        for release, cell in zip(whole.releases, whole.cells[row], strict=True)
    ]
    on_page = {release.id for release in seen.releases}
    return _line(whole.attackers[row], cells, [at for at, one in enumerate(whole.releases) if one.id in on_page])


def _row_of(whole: Matrix, team_id: str | None) -> int | None:
    return next((at for at, one in enumerate(whole.attackers) if one.id == team_id), None)


def _with_own(public: Public, team_id: str | None, mine: set[str]) -> dict[str, int]:
    """The counts as the team sees them: its own releases are no longer open ones."""
    counts, row = dict(public.counts), _row_of(public.whole, team_id)
    if row is not None:
        for release, cell in zip(public.whole.releases, public.whole.cells[row], strict=True):
            if release.id in mine:
                counts[cell.state] -= 1
                counts["own"] += 1
    return counts


def _without(drawn: Markup, seen: View, team_id: str | None) -> Markup:
    """Leave out the row that is drawn on top already."""
    rows = str(drawn).split(BETWEEN)
    return Markup("".join(row for row, line in zip(rows, seen.lines, strict=False) if line.team.id != team_id))


def _page(every: Sequence[int], number: int, size: int) -> Sequence[int]:
    start = (min(number, _pages(every, size)) - 1) * size
    return every[start : start + size]


def _pages(every: Sequence[int], size: int) -> int:
    return max(1, -(-len(every) // size))
