"""What can be taken away: the original data, and boards, matrix, releases and teams as CSV and JSON."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import FileResponse, Response

from icefire.arena.boards import exports
from icefire.arena.boards.exports import Kind
from icefire.arena.boards.visibility import Sight
from icefire.arena.errors import Absent, Refused
from icefire.arena.web import round_choice
from icefire.arena.web.pages._kit import Somebody
from icefire.arena.web.round_choice import RoundName

router = APIRouter(include_in_schema=False)


@router.get("/data/{round_name}/{name}")
def original(asker: Somebody, round_name: str, name: str) -> Response:
    """Hand out the original data of a round, or the customers belonging to it, once the round has begun."""
    paths = asker.arena.originals(round_name)
    with asker.arena.database.reading() as session:
        seen = Sight(asker.actor, asker.arena.round_now(session, round_name), asker.arena.definition)
    if name not in paths or not seen.original:
        raise Absent
    return FileResponse(paths[name], media_type="text/csv; charset=utf-8", filename=name)


@router.get("/export/{what}.csv")
def as_csv(asker: Somebody, what: str, round_name: RoundName = "", only: str = "") -> Response:
    """Hand out a table for a spreadsheet."""
    return _file(asker, what, "csv", round_name, only)


@router.get("/export/{what}.json")
def as_json(asker: Somebody, what: str, round_name: RoundName = "", only: str = "") -> Response:
    """Hand out a table for a program."""
    return _file(asker, what, "json", round_name, only)


def _file(asker: Somebody, what: str, kind: Kind, round_name: str, only: str) -> Response:
    """A table as this actor may see it; only=mine leaves what concerns the own team."""
    if only and (only != "mine" or asker.actor.team_id is None):
        raise Refused(f"only is {only!r}; it takes mine, for somebody in a team")
    with asker.arena.database.reading() as session:
        here = round_choice.chosen(session, asker.arena, round_name).here
    body = exports.export(
        asker.arena, asker.actor, what, kind, here.name, asker.actor.team_id if only == "mine" else None
    )
    name = f"{what}.{kind}" if what in exports.OF_ALL else f"{here.name}_{what}.{kind}"
    return Response(body, media_type=exports.TYPES[kind], headers=_as_file(name))


def _as_file(name: str) -> dict[str, str]:
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "_" for letter in name)
    return {"Content-Disposition": f'attachment; filename="{plain}"'}
