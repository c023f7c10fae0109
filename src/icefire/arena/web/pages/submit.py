"""Handing in a release: the form, what is wrong with the files, and the receipt."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from icefire.arena.boards import reading
from icefire.arena.boards.facts import ReleaseFacts
from icefire.arena.contest import quotas
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.signing import Receipt
from icefire.arena.errors import Absent, Clash, Refused, TooLarge, WrongInput
from icefire.arena.play import CUSTOMERS, TARGETS
from icefire.arena.storage import jobs
from icefire.arena.storage.tables import GuessRow, ReleaseRow
from icefire.arena.submit import ice, receipts
from icefire.arena.web import round_choice
from icefire.arena.web.pages import rules
from icefire.arena.web.pages._kit import Asker, Known, Posted, page, see_other, text, upload
from icefire.arena.web.round_choice import RoundName

router = APIRouter(include_in_schema=False)


@router.get("/submit")
def form(request: Request, asker: Known, round_name: RoundName = "") -> Response:
    """Show what a submission needs, and how many are left."""
    return _page(request, asker, round_name)


def _page(request: Request, asker: Asker, round_name: str, status: int = 200, **more: Any) -> Response:
    arena, team_id = asker.arena, asker.actor.team_id
    with arena.database.reading() as session:
        chosen = round_choice.chosen(session, arena, round_name)
        quota = quotas.team_quota(session, arena, chosen.here.name, team_id) if team_id else None
        own = _own(session, asker, chosen.here.name)
        waits = {one.id: jobs.position(session, "judge", one.id) for one in own if one.state == "waiting"}
    values = {
        "chosen": chosen,
        "shown": chosen.here,
        "quota": quota,
        "own": own,
        "waits": waits,
        "wanted": arena.play.handed_in,
        "file_words": {name: _word(name, arena) for name in arena.play.handed_in},
        "check": rules.check_command(arena),
        "originals": tuple(arena.originals(chosen.here.name)) if rules.begun(chosen.here) else (),
        "problem": None,
        "problems": (),
    }
    return page(request, "submit.html", status=status, **{**values, **more})


def _word(name: str, arena: Arena) -> str:
    """Return the word that says what a file must hold: games differ in it."""
    kind = name.removesuffix(".csv")
    game = "history" if CUSTOMERS in arena.play.handed_in else "survey" if TARGETS in arena.play.handed_out else ""
    return f"file_in.{kind}_{game}" if game and kind != "customers" else f"file_in.{kind}"


def _own(session: Session, asker: Asker, round_name: str) -> list[ReleaseFacts]:
    """The team's releases of a round, newest first."""
    if asker.actor.team_id is None:
        return []
    known = reading.round_facts(session, asker.arena, round_name, asker.actor, team_id=asker.actor.team_id)
    return sorted((one for one in known.releases if one.own), key=lambda one: one.number or 0, reverse=True)


@router.post("/submit")
def submit(request: Request, asker: Known, form: Posted) -> Response:
    """Take a release in; what is wrong is told beside the form, and costs nothing."""
    arena, name = asker.arena, text(form, "round")
    arena.round(name)
    try:
        handed = {one: upload(form, one, asker) for one in arena.play.handed_in}
        receipt = ice.submit(arena, asker.actor, name, handed)
    except (WrongInput, TooLarge, Clash) as wrong:
        problems = wrong.problems if isinstance(wrong, WrongInput) else ()
        return _page(request, asker, name, wrong.status, problem=str(wrong), problems=problems)
    return see_other(f"/receipts/{receipt.id}", "play.taken")


@router.get("/receipts/{submission_id}.json")
def receipt_file(asker: Known, submission_id: str) -> Response:
    """Hand out a receipt as a file that anybody can verify."""
    found = _receipt(asker, submission_id)
    body = msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n"
    headers = {"Content-Disposition": f'attachment; filename="receipt_{found.label}_{found.kind}.json"'}
    return Response(body, media_type="application/json", headers=headers)


@router.get("/receipts/{submission_id}")
def receipt(request: Request, asker: Known, submission_id: str) -> Response:
    """Show a receipt, and where what was handed in stands."""
    found = _receipt(asker, submission_id)
    kind: jobs.Kind = "judge" if found.kind == "release" else "guess"
    with asker.arena.database.reading() as session:
        release_id = _about(session, found)
        waits = jobs.position(session, kind, found.id) if found.kind == "release" else None
    arrived = datetime.fromisoformat(found.at)
    return page(request, "receipt.html", receipt=found, release_id=release_id, waits=waits, arrived=arrived)


def _receipt(asker: Asker, submission_id: str) -> Receipt:
    """Return the receipt of something that the team handed in; to others it is not there."""
    with asker.arena.database.reading() as session:
        handed = session.get(ReleaseRow, submission_id) or session.get(GuessRow, submission_id)
        if handed is None or not (asker.actor.judges or handed.team_id == asker.actor.team_id):
            raise Absent
        if isinstance(handed, ReleaseRow):
            return receipts.release_receipt(asker.arena, session, handed)
        return receipts.guess_receipt(asker.arena, session, handed)


def _about(session: Session, receipt: Receipt) -> str:
    if receipt.kind == "release":
        return receipt.id
    guess = session.get(GuessRow, receipt.id)
    if guess is None:
        raise Refused("this guess gave way to a later one")
    return guess.release_id
