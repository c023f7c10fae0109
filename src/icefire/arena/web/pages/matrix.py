"""The matrix attacker × release: the central page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from icefire.arena import facts, ids, matrix
from icefire.arena.facts import ReleaseFacts, TeamFacts
from icefire.arena.matrix import Cell, Matrix
from icefire.arena.web.pages import _rounds
from icefire.arena.web.pages._kit import Somebody, fragment, freshness, page

ROWS, COLUMNS = 50, 40
"""How much of it is on one page; a contest of the usual size fits on the first."""
STATES: tuple[str, ...] = get_args(matrix.State)
DONE = ("submitted", "scored")
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
    own: bool
    done: int
    possible: int
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class View:
    """The part of the matrix on this page."""

    releases: Sequence[ReleaseFacts]
    lines: Sequence[Line]
    attackers: int
    columns: int
    """How many releases there are altogether after the filter."""
    last_row_page: int
    last_column_page: int
    counts: dict[str, int]
    """How many cells of the whole matrix are in each state."""


@router.get("/matrix")
def show(
    request: Request,
    asker: Somebody,
    round: str = "",
    state: str = "",
    team: Annotated[str, Query(max_length=80)] = "",
    rows: Number = 1,
    columns: Number = 1,
) -> Response:
    """Show who has attacked what, live."""
    wanted = Wanted(state if state in STATES else "", ids.name_key(team), rows, columns)
    actor = asker.actor
    with asker.arena.database.reading() as session:
        chosen = _rounds.chosen(session, asker.arena, round)

        def make() -> dict[str, Any]:
            known = facts.of(session, asker.arena, chosen.here.name, actor)
            made = view(matrix.of(known), actor.team_id, wanted)
            return {"view": made, "shown": chosen.here, "wanted": wanted, "states": STATES, "team_id": actor.team_id}

        key = (*freshness(session, chosen.every, actor), chosen.here.name, wanted)
        table = fragment(request, key, "_matrix.html", make)
    return page(request, "matrix.html", chosen=chosen, shown=chosen.here, table=table, wanted=wanted, states=STATES)


def view(whole: Matrix, team_id: str | None, wanted: Wanted) -> View:
    """Return what is wanted of a matrix, the own team first."""
    rows = [at for at, one in enumerate(whole.attackers) if wanted.team in ids.name_key(one.name)]
    rows.sort(key=lambda at: whole.attackers[at].id != team_id)
    columns = list(range(len(whole.releases)))
    if wanted.state:
        rows = [row for row in rows if any(cell.state == wanted.state for cell in whole.cells[row])]
        columns = [at for at in columns if any(whole.cells[row][at].state == wanted.state for row in rows)]
    on_page = _page(columns, wanted.columns, COLUMNS)
    return View(
        releases=[whole.releases[at] for at in on_page],
        lines=[_line(whole, row, on_page, team_id) for row in _page(rows, wanted.rows, ROWS)],
        attackers=len(rows),
        columns=len(columns),
        last_row_page=_pages(rows, ROWS),
        last_column_page=_pages(columns, COLUMNS),
        counts=_counts(whole),
    )


def _line(whole: Matrix, row: int, columns: Sequence[int], team_id: str | None) -> Line:
    team, cells = whole.attackers[row], whole.cells[row]
    return Line(
        team=team,
        own=team.id == team_id,
        done=sum(cell.state in DONE for cell in cells),
        possible=sum(cell.state != "own" for cell in cells),
        cells=[cells[at] for at in columns],
    )


def _counts(whole: Matrix) -> dict[str, int]:
    found = Counter(cell.state for row in whole.cells for cell in row)
    return {state: found[state] for state in STATES}  # type: ignore[index]


def _page(every: Sequence[int], number: int, size: int) -> Sequence[int]:
    start = (min(number, _pages(every, size)) - 1) * size
    return every[start : start + size]


def _pages(every: Sequence[int], size: int) -> int:
    return max(1, -(-len(every) // size))
