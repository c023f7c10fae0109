"""Endpoints that read boards, the matrix and releases: large bodies, of which the part that all see is made once."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from pydantic import TypeAdapter
from starlette.responses import Response

from icefire.arena.auth.actor import Actor
from icefire.arena.boards import divisions, freezing
from icefire.arena.boards import matrix as matrices
from icefire.arena.boards.facts import RoundFacts, TeamFacts
from icefire.arena.boards.matrix import Matrix, MatrixCell
from icefire.arena.boards.overall import Overall
from icefire.arena.boards.snapshots import RoundBoard
from icefire.arena.web.api import models, serialize, written_releases
from icefire.arena.web.api.refusals import refusals
from icefire.arena.web.api.rounds import DivisionQuery, RoundQuery
from icefire.arena.web.requester import Anyone
from icefire.arena.web.shared_boards import SharedBoards, shared_boards

router = APIRouter()
BOARD, OVERALL = TypeAdapter(RoundBoard), TypeAdapter(Overall)
TEAMS, CELLS = TypeAdapter(tuple[TeamFacts, ...]), TypeAdapter(tuple[MatrixCell, ...])


@router.get("/board", responses=refusals(404, 422), response_model=RoundBoard)
def board(
    request: Request, requester: Anyone, round_name: RoundQuery = None, division: DivisionQuery = None
) -> Response:
    """The ranking of releases and, once revealed, of attackers; frozen from the end of the releases to the reveal."""
    arena = requester.arena
    freezing.keep_up(arena)
    with arena.database.reading() as session:
        name = serialize.round_name_or_current(arena, session, round_name)
        shared = shared_boards(request, session, arena)
        shown = shared.board(requester.actor, name)
        if division is not None:
            shown = divisions.of_division(shown, divisions.teams_in(session, arena, division))
        elif shown.frozen is not None:
            return _json(shared.for_all("written board", requester.actor, name, lambda *_: BOARD.dump_json(shown)))
    return _json(BOARD.dump_json(shown))


@router.get("/overall", responses=refusals(404, 422), response_model=Overall)
def overall(request: Request, requester: Anyone, division: DivisionQuery = None) -> Response:
    """All rounds whose ranking is public, added up by their weights."""
    arena = requester.arena
    freezing.keep_up(arena)
    with arena.database.reading() as session:
        shown = shared_boards(request, session, arena).overall(requester.actor)
        if division is not None:
            shown = divisions.overall_of_division(shown, divisions.teams_in(session, arena, division))
    return _json(OVERALL.dump_json(shown))


@router.get("/matrix", responses=refusals(404, 422), response_model=models.MatrixHere)
def matrix(request: Request, requester: Anyone, round_name: RoundQuery = None) -> Response:
    """Who has attacked what and, once revealed, with which success."""
    arena, actor = requester.arena, requester.actor
    with arena.database.reading() as session:
        shared = shared_boards(request, session, arena)
        name = serialize.round_name_or_current(arena, session, round_name)
        facts = shared.facts_of_team(actor, name)
        shown = _as_seen(shared, facts, actor, name)
        releases = written_releases.write(shared, shown.matrix.releases, facts, arena, actor)
    return _json(
        b'{"round":%b,"attackers":%b,"releases":%b,"cells":[%b]}'
        % (_text(name), TEAMS.dump_json(shown.matrix.attackers), releases, b",".join(shown.rows))
    )


@router.get("/releases", responses=refusals(404, 422), response_model=models.Releases)
def releases(request: Request, requester: Anyone, round_name: RoundQuery = None) -> Response:
    """The releases that may be seen now; other teams' from the end of the phase anonymise on."""
    arena = requester.arena
    with arena.database.reading() as session:
        name = serialize.round_name_or_current(arena, session, round_name)
        shared = shared_boards(request, session, arena)
        facts = shared.facts_of_team(requester.actor, name)
        every = written_releases.write(shared, facts.releases, facts, arena, requester.actor)
    return _json(b'{"round":%b,"releases":%b}' % (_text(name), every))


@dataclass(frozen=True, slots=True)
class _WrittenMatrix:
    """A matrix, and the JSON of each of its rows."""

    matrix: Matrix
    rows: list[bytes]


def _as_seen(shared: SharedBoards, facts: RoundFacts, actor: Actor, round_name: str) -> _WrittenMatrix:
    """Return the matrix that an actor sees: everybody's, with the row of the own team written anew."""

    def written(viewer: Actor, name: str) -> _WrittenMatrix:
        return _written(shared.matrix(viewer, name), shared.before("written matrix", viewer, name))

    public = shared.for_all("written matrix", actor, round_name, written, guesses=True)
    if actor.judges or actor.team_id is None:
        return public
    own = matrices.with_own_row(public.matrix, facts, actor.team_id)
    if own is None:
        return _written(matrices.round_matrix(shared.facts(actor, round_name)))
    pairs = zip(public.matrix.cells, own.cells, public.rows, strict=True)
    return _WrittenMatrix(own, [row if old is new else CELLS.dump_json(new) for old, new, row in pairs])


def _written(whole: Matrix, before: _WrittenMatrix | None = None) -> _WrittenMatrix:
    """Write the rows of a matrix; those that are as they were before are not written again."""
    known = {id(row): text for row, text in zip(before.matrix.cells, before.rows, strict=True)} if before else {}
    return _WrittenMatrix(whole, [known.get(id(row)) or CELLS.dump_json(row) for row in whole.cells])


def _text(text: str) -> bytes:
    return TypeAdapter(str).dump_json(text)


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")
