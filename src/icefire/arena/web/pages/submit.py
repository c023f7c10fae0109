"""Hand in a release: the form, and what is wrong with the files."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from icefire.arena.boards.facts import ReleaseFacts
from icefire.arena.contest import quotas, upload_limits
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.signing import Receipt
from icefire.arena.errors import Clash, TooLarge, WrongInput
from icefire.arena.storage import jobs
from icefire.arena.submit import drawn, gates, ice
from icefire.arena.web import round_choice
from icefire.arena.web.forms import text
from icefire.arena.web.page import Page
from icefire.arena.web.pages._check_command import DESCRIBED, check_command
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import LoggedIn, Requester
from icefire.arena.web.round_choice import RoundParameter
from icefire.arena.web.shared_boards import SharedBoards
from icefire.arena.web.uploads import Upload, received, run_in_upload_thread
from icefire.contests.common.game import CUSTOMERS, TARGETS

PAGE = Page("submit", "/submit", guesses=False)


@PAGE.get()
def show(request: Request, requester: LoggedIn, round_name: RoundParameter = "") -> Response:
    """Show what a submission needs, and how many are left."""
    return _page(request, requester, round_name)


def _page(request: Request, requester: Requester, round_name: str, status: int = 200, **more: Any) -> Response:
    arena, team_id = requester.arena, requester.actor.team_id
    with arena.database.reading() as db:
        chosen = round_choice.choose_round(request, db, arena, round_name)
        quota = quotas.team_quota(db, arena, chosen.here.name, team_id) if team_id else None
        own = _own_releases(SharedBoards(request, db, arena, chosen.every), requester, chosen.here.name)
        waits = {one.id: jobs.position(db, "judge", one.id) for one in own if one.state == "waiting"}
    values = {
        "chosen": chosen,
        "shown": chosen.here,
        "quota": quota,
        "own": own,
        "waits": waits,
        "wanted": arena.game.handed_in,
        "optional": arena.game.optional,
        "file_words": {name: _word_for_file(name, arena) for name in arena.game.handed_in},
        "check": check_command(arena),
        "described": DESCRIBED if arena.definition.custom_table() is not None else None,
        "most_mb": f"{upload_limits.file_limit(arena, chosen.here.name) / (1 << 20):.3g}",
        "originals": tuple(arena.originals(chosen.here.name)) if chosen.here.phase != "before" else (),
        "drawn": drawn.seen_by(arena, requester.actor, chosen.here),
        "problem": None,
        "problems": (),
    }
    return PAGE.render(request, status=status, **{**values, **more})


def _word_for_file(name: str, arena: Arena) -> str:
    """Return the name of the word that says what a file must hold: games differ in it."""
    kind = name.removesuffix(".csv")
    game = "history" if CUSTOMERS in arena.game.handed_in else "survey" if TARGETS in arena.game.handed_out else ""
    return f"file_in.{kind}_{game}" if game and kind != "customers" else f"file_in.{kind}"


def _own_releases(shared: SharedBoards, requester: Requester, round_name: str) -> list[ReleaseFacts]:
    """Return the team's releases of a round, newest first."""
    if requester.actor.team_id is None:
        return []
    return sorted(shared.own_now(requester.actor, round_name), key=lambda one: one.number or 0, reverse=True)


@PAGE.post()
async def submit(request: Request, requester: LoggedIn) -> Response:
    """Take a release in; what is wrong is told beside the form, and costs nothing."""
    round_name = ""
    try:
        gate = partial(gates.release_gate, requester.arena, requester.actor)
        async with received(request, requester, gate, with_form_token=True) as upload:
            round_name = text(upload.form, "round")
            requester.arena.round(round_name)
            receipt = await run_in_upload_thread(request, lambda: _submit(requester, upload, round_name))
    except (WrongInput, TooLarge, Clash) as wrong:
        problems = wrong.problems if isinstance(wrong, WrongInput) else ()
        details = {"problem": str(wrong), "problems": problems}
        return await run_in_threadpool(partial(_page, request, requester, round_name, wrong.status, **details))
    return see_other(f"/receipts/{receipt.id}", "play.taken")


def _submit(requester: Requester, upload: Upload, round_name: str) -> Receipt:
    arena = requester.arena
    files = {name: upload.file(name) for name in arena.game.handed_in}
    for name in arena.game.optional:
        files |= upload.optional_file(name)
    return ice.submit(arena, requester.actor, round_name, files, upload.arrived)
