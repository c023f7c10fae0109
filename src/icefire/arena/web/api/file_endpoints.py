"""Endpoints that hand out files: releases, original data, and tables for a spreadsheet or a program."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response

from icefire.arena.boards import exports
from icefire.arena.errors import Absent
from icefire.arena.submit import fire, originals
from icefire.arena.web.api import serialize
from icefire.arena.web.api.read_endpoints import ReleaseId
from icefire.arena.web.api.refusals import CSV, TABLE, refusals
from icefire.arena.web.api.rounds import RoundQuery
from icefire.arena.web.requester import Anyone

router = APIRouter()
FileName = Annotated[str, Path(pattern="^[a-z0-9_]{1,40}[.]csv$", description="The name of a file.")]
OneRound = Annotated[str, Path(max_length=40, description="A round.")]
What = Literal["board", "fire", "matrix", "releases", "attacks", "overall", "teams"]


@router.get("/releases/{release_id}/files/{name}", responses=CSV | refusals(403, 404, 422), response_class=Response)
def release_file(requester: Anyone, release_id: ReleaseId, name: FileName) -> Response:
    """A file of a release as attackers get it: rows shuffled, without its correspondence."""
    files = fire.download(requester.arena, requester.actor, release_id)
    if name not in files:
        raise Absent
    return _file(files[name], name, "text/csv")


@router.get("/data/{round_name}/{name}", responses=CSV | refusals(403, 404, 422), response_class=Response)
def original(requester: Anyone, round_name: OneRound, name: FileName) -> Response:
    """The original data of a round, once it has begun, or a sample of it that was drawn for your team."""
    data = originals.original(requester.arena, requester.actor, round_name, name)
    return _file(data if isinstance(data, bytes) else data.read_bytes(), name, "text/csv")


@router.get("/export/{what}", responses=TABLE | refusals(404, 422), response_class=Response)
def export(
    requester: Anyone,
    what: What,
    kind: Annotated[Literal["csv", "json"], Query(alias="format", description="Kind of file.")] = "csv",
    round_name: RoundQuery = None,
) -> Response:
    """A table as you may see it. In CSV, text that a spreadsheet would take for a formula begins with an apostrophe."""
    with requester.arena.database.reading() as session:
        name = serialize.round_name_or_current(requester.arena, session, round_name)
    body = exports.export(requester.arena, requester.actor, what, kind, name)
    return _file(body, f"{what}.{kind}", exports.TYPES[kind])


def _file(content: bytes, name: str, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
