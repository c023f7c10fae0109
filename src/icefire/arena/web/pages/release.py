"""One release: what is known about it, its files, and the form to attack it."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from icefire.arena.auth.actor import Actor
from icefire.arena.boards.facts import GuessFacts, ReleaseFacts, RoundFacts
from icefire.arena.errors import Absent, TooLarge, WrongInput
from icefire.arena.storage import jobs
from icefire.arena.storage.tables import ReleaseRow
from icefire.arena.submit import fire, gates
from icefire.arena.web.page import Page
from icefire.arena.web.pages._find_release import find_release
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Anyone, LoggedIn, Requester
from icefire.arena.web.uploads import received, run_in_upload_thread
from icefire.contests.common.game import ANSWERS, TARGETS, AnswerShape

PAGE = Page("release", "/releases/{release_id}")


@PAGE.get()
def show(request: Request, requester: Anyone, release_id: str) -> Response:
    """Show a release as far as it may be known."""
    return _page(request, requester, release_id)


def _page(request: Request, requester: Requester, release_id: str, status: int = 200, **more: Any) -> Response:
    arena, actor = requester.arena, requester.actor
    with arena.database.reading() as db:
        known, release = find_release(db, requester, release_id)
        waits = jobs.position(db, "judge", release.id) if release.own or actor.judges else None
    guess = _own_guess(known, actor, release)
    values = {
        "shown": known.now,
        "release": release,
        "known": known,
        "guess": guess,
        "attacks": sum(one.release_id == release.id for one in known.guesses),
        "attackable": _attackable(known, actor, release, guess),
        "waits": waits,
        "files": arena.game.handed_out if known.sight.file(release) else (),
        "answers": ANSWERS,
        "asked": _asked(requester, known, release),
        "listed": TARGETS in arena.game.handed_out,
        "summaries": arena.game.summaries,
        "problem": None,
        "problems": (),
    }
    return PAGE.render(request, status=status, **{**values, **more})


def _own_guess(known: RoundFacts, actor: Actor, release: ReleaseFacts) -> GuessFacts | None:
    own = (one for one in known.guesses if one.release_id == release.id and one.team_id == actor.team_id)
    return next(own, None)


def _attackable(known: RoundFacts, actor: Actor, release: ReleaseFacts, guess: GuessFacts | None) -> bool:
    """Tell whether a form makes sense; whether a guess is taken is decided when it comes."""
    again = guess is None or guess.state == "failed"
    own = release.own or release.team_id in actor.past_teams
    return actor.team_id is not None and known.now.allows("attack") and release.in_play and not own and again


def _asked(requester: Requester, known: RoundFacts, release: ReleaseFacts) -> AnswerShape | None:
    """Return what a guess answers; the number of originals is known once the original was judged for reference."""
    return requester.arena.game.answer_shape(release.rows, known.reference.rows) if known.reference else None


@PAGE.post("/guess")
async def guess(request: Request, requester: LoggedIn, release_id: str) -> Response:
    """Take a team's answers."""
    arena, actor = requester.arena, requester.actor
    try:
        gate = partial(gates.guess_gate, arena, actor, release_id)
        async with received(request, requester, gate, with_form_token=True) as upload:
            receipt = await run_in_upload_thread(
                request, lambda: fire.submit(arena, actor, release_id, upload.file(ANSWERS), upload.arrived)
            )
    except (WrongInput, TooLarge) as wrong:
        problems = wrong.problems if isinstance(wrong, WrongInput) else ()
        details = {"problem": str(wrong), "problems": problems}
        return await run_in_threadpool(partial(_page, request, requester, release_id, wrong.status, **details))
    return see_other(f"/receipts/{receipt.id}", "play.guessed")


@PAGE.get("/files/{name}")
def download(requester: Anyone, release_id: str, name: str) -> Response:
    """Hand out a file of a release as attackers get it, rows shuffled."""
    files = fire.download(requester.arena, requester.actor, release_id)
    if name not in files:
        raise Absent
    with requester.arena.database.reading() as db:
        stored = db.get(ReleaseRow, release_id)
    label = stored.label if stored else release_id
    headers = {"Content-Disposition": f'attachment; filename="{label}_{name}"'}
    return Response(files[name], media_type="text/csv; charset=utf-8", headers=headers)
