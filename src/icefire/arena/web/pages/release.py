"""One release: what is known about it, its files, and the form to attack or to withdraw it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from icefire.arena.auth.actor import Actor
from icefire.arena.boards import reading
from icefire.arena.boards.facts import GuessFacts, ReleaseFacts, RoundFacts
from icefire.arena.errors import Absent, TooLarge, WrongInput
from icefire.arena.play import ANSWERS, TARGETS, Asked
from icefire.arena.storage import jobs
from icefire.arena.storage.tables import ReleaseRow
from icefire.arena.submit import fire, ice
from icefire.arena.web.pages._kit import Asker, Known, Posted, Somebody, page, see_other, upload

router = APIRouter(include_in_schema=False)


@router.get("/releases/{release_id}")
def show(request: Request, asker: Somebody, release_id: str) -> Response:
    """Show a release as far as it may be known."""
    return _page(request, asker, release_id)


def _page(request: Request, asker: Asker, release_id: str, status: int = 200, **more: Any) -> Response:
    with asker.arena.database.reading() as session:
        known, release = find(session, asker, release_id)
        waits = jobs.position(session, "judge", release.id) if release.own or asker.actor.judges else None
    guess = _own_guess(known, asker.actor, release)
    values = {
        "shown": known.now,
        "release": release,
        "known": known,
        "guess": guess,
        "attacks": sum(one.release_id == release.id for one in known.guesses),
        "attackable": _attackable(known, asker.actor, release, guess),
        "waits": waits,
        "files": _files(asker, known, release),
        "answers": ANSWERS,
        "asked": _asked(asker, known, release),
        "listed": TARGETS in asker.arena.play.handed_out,
        "summaries": asker.arena.play.summaries,
        "problem": None,
        "problems": (),
    }
    return page(request, "release.html", status=status, **{**values, **more})


def find(session: Session, asker: Asker, release_id: str) -> tuple[RoundFacts, ReleaseFacts]:
    """Return a round and a release of it that this actor may know of; for others it is not there."""
    stored = session.get(ReleaseRow, release_id)
    if stored is None:
        raise Absent
    known = reading.round_facts(session, asker.arena, stored.round, asker.actor, release_id=release_id)
    found = next((one for one in known.releases if one.id == release_id), None)
    if found is None:
        raise Absent
    return known, found


def _own_guess(known: RoundFacts, actor: Actor, release: ReleaseFacts) -> GuessFacts | None:
    mine = (one for one in known.guesses if one.release_id == release.id and one.team_id == actor.team_id)
    return next(mine, None)


def _attackable(known: RoundFacts, actor: Actor, release: ReleaseFacts, guess: GuessFacts | None) -> bool:
    """Tell whether a form makes sense; whether a guess is taken is decided when it comes."""
    again = guess is None or guess.state == "failed"
    mine = release.own or release.team_id in actor.past_teams
    return actor.team_id is not None and known.now.allows("attack") and release.in_play and not mine and again


def _files(asker: Asker, known: RoundFacts, release: ReleaseFacts) -> tuple[str, ...]:
    readable = known.sight.file(release)
    return asker.arena.play.handed_out if readable else ()


def _asked(asker: Asker, known: RoundFacts, release: ReleaseFacts) -> Asked | None:
    """What a guess answers; the number of originals is known once the original was judged for reference."""
    return asker.arena.play.asked(release.rows, known.reference.rows) if known.reference else None


@router.post("/releases/{release_id}/guess")
def guess(request: Request, asker: Known, form: Posted, release_id: str) -> Response:
    """Take a team's answers."""
    try:
        receipt = fire.submit(asker.arena, asker.actor, release_id, upload(form, ANSWERS, asker))
    except (WrongInput, TooLarge) as wrong:
        problems = wrong.problems if isinstance(wrong, WrongInput) else ()
        return _page(request, asker, release_id, wrong.status, problem=str(wrong), problems=problems)
    return see_other(f"/receipts/{receipt.id}", "play.guessed")


@router.get("/releases/{release_id}/withdraw")
def ask(request: Request, asker: Known, release_id: str) -> Response:
    """Ask once more before a release is withdrawn."""
    with asker.arena.database.reading() as session:
        known, release = find(session, asker, release_id)
    if not release.own or release.withdrawn is not None:
        raise Absent
    return page(request, "withdraw.html", shown=known.now, release=release)


@router.post("/releases/{release_id}/withdraw")
def withdraw(asker: Known, form: Posted, release_id: str) -> Response:
    """Withdraw a release."""
    ice.withdraw(asker.arena, asker.actor, release_id)
    return see_other(f"/releases/{release_id}", "play.withdrawn")


@router.get("/releases/{release_id}/files/{name}")
def download(asker: Somebody, release_id: str, name: str) -> Response:
    """Hand out a file of a release as attackers get it, rows shuffled."""
    files = fire.download(asker.arena, asker.actor, release_id)
    if name not in files:
        raise Absent
    with asker.arena.database.reading() as session:
        stored = session.get(ReleaseRow, release_id)
    label = stored.label if stored else release_id
    headers = {"Content-Disposition": f'attachment; filename="{label}_{name}"'}
    return Response(files[name], media_type="text/csv; charset=utf-8", headers=headers)
