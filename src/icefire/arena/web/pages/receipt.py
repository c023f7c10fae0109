"""The receipt of a release or of answers, as a page and as a file that anybody can verify."""

from __future__ import annotations

from datetime import datetime

import msgspec
from fastapi import Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from icefire.arena.contest.signing import Receipt
from icefire.arena.errors import Absent, Refused
from icefire.arena.storage import jobs
from icefire.arena.storage.tables import GuessRow, ReleaseRow
from icefire.arena.submit import receipts
from icefire.arena.web.page import Page
from icefire.arena.web.requester import LoggedIn, Requester

PAGE = Page("receipt", "/receipts/{submission_id}")


@PAGE.get(".json")
def download(requester: LoggedIn, submission_id: str) -> Response:
    """Hand out a receipt as a file."""
    receipt = _find_receipt(requester, submission_id)
    body = msgspec.json.format(msgspec.json.encode(receipt), indent=2) + b"\n"
    headers = {"Content-Disposition": f'attachment; filename="receipt_{receipt.label}_{receipt.kind}.json"'}
    return Response(body, media_type="application/json", headers=headers)


@PAGE.get()
def show(request: Request, requester: LoggedIn, submission_id: str) -> Response:
    """Show a receipt, and where what was handed in stands."""
    receipt = _find_receipt(requester, submission_id)
    with requester.arena.database.reading() as db:
        release_id = _release_id(db, receipt)
        waits = jobs.position(db, "judge", receipt.id) if receipt.kind == "release" else None
    arrived = datetime.fromisoformat(receipt.at)
    return PAGE.render(request, receipt=receipt, release_id=release_id, waits=waits, arrived=arrived)


def _find_receipt(requester: Requester, submission_id: str) -> Receipt:
    """Return the receipt of something that the team handed in; to others it is not there."""
    with requester.arena.database.reading() as db:
        stored = db.get(ReleaseRow, submission_id) or db.get(GuessRow, submission_id)
        if stored is None or not (requester.actor.judges or stored.team_id == requester.actor.team_id):
            raise Absent
        if isinstance(stored, ReleaseRow):
            return receipts.release_receipt(requester.arena, db, stored)
        return receipts.guess_receipt(requester.arena, db, stored)


def _release_id(db: Session, receipt: Receipt) -> str:
    """Return the release that a receipt is about."""
    if receipt.kind == "release":
        return receipt.id
    guess = db.get(GuessRow, receipt.id)
    if guess is None:
        raise Refused("this guess gave way to a later one")
    return guess.release_id
