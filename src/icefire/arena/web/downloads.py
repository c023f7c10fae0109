"""Files for download: the original data, and boards, matrix, releases and teams as CSV and JSON."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, Response

from icefire.arena.boards import exports
from icefire.arena.boards.exports import ExportFormat
from icefire.arena.errors import Refused
from icefire.arena.submit import originals
from icefire.arena.web import round_choice
from icefire.arena.web.requester import Anyone, Requester
from icefire.arena.web.round_choice import RoundParameter

router = APIRouter(include_in_schema=False)


@router.get("/data/{round_name}/{name}")
def original(requester: Anyone, round_name: str, name: str) -> Response:
    """Hand out the original data of a round, the customers belonging to it, or the samples drawn for the own team."""
    data = originals.original(requester.arena, requester.actor, round_name, name)
    if isinstance(data, bytes):
        return Response(data, media_type="text/csv; charset=utf-8", headers=_attachment(name))
    return FileResponse(data, media_type="text/csv; charset=utf-8", filename=name)


@router.get("/export/{what}.csv")
def as_csv(request: Request, requester: Anyone, what: str, round_name: RoundParameter = "", only: str = "") -> Response:
    """Hand out a table for a spreadsheet."""
    return _file(request, requester, what, "csv", round_name, only)


@router.get("/export/{what}.json")
def as_json(
    request: Request, requester: Anyone, what: str, round_name: RoundParameter = "", only: str = ""
) -> Response:
    """Hand out a table for a program."""
    return _file(request, requester, what, "json", round_name, only)


def _file(
    request: Request, requester: Requester, what: str, kind: ExportFormat, round_name: str, only: str
) -> Response:
    """Return a table as the requester may see it; only=mine leaves what concerns the own team."""
    if only and (only != "mine" or requester.actor.team_id is None):
        raise Refused(f"only is {only!r}; it takes mine, for somebody in a team")
    with requester.arena.database.reading() as db:
        here = round_choice.choose_round(request, db, requester.arena, round_name).here
    body = exports.export(
        requester.arena, requester.actor, what, kind, here.name, requester.actor.team_id if only == "mine" else None
    )
    name = f"{what}.{kind}" if what in exports.OF_ALL else f"{here.name}_{what}.{kind}"
    return Response(body, media_type=exports.TYPES[kind], headers=_attachment(name))


def _attachment(name: str) -> dict[str, str]:
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "_" for letter in name)
    return {"Content-Disposition": f'attachment; filename="{plain}"'}
