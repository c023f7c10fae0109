"""The rules as they are set: files, phases, quotas, scores, and what is shown when."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.play import ANSWERS, CUSTOMERS, ORIGINAL, ORIGINAL_CUSTOMERS, TARGETS
from icefire.arena.web.pages._kit import Somebody, page
from icefire.contests.custom import contest as custom

router = APIRouter(include_in_schema=False)


@router.get("/rules")
def show(request: Request, asker: Somebody) -> Response:
    """Show the rules, from the definition that the server itself goes by."""
    arena = asker.arena
    with arena.database.reading() as session:
        rounds = arena.rounds(session)
    return page(
        request,
        "rules.html",
        play=arena.play,
        answers=ANSWERS,
        targets=TARGETS if TARGETS in arena.play.handed_out else None,
        check=check_command(arena),
        weights={one.name: one.weight for one in arena.definition.rounds},
        public_key=arena.signer.public_key,
        downloads=[(one.name, file) for one in rounds if begun(one) for file in arena.originals(one.name)],
    )


def begun(now: RoundNow) -> bool:
    """Tell whether the original of a round may be had."""
    return now.phase != "before"


def check_command(arena: Arena) -> str:
    """Return the command that checks a release at home, with the very code the server checks with."""
    if arena.definition.rules == custom.NAME:
        return ""
    given = arena.play.handed_in
    originals = [ORIGINAL_CUSTOMERS, ORIGINAL] if CUSTOMERS in given else [ORIGINAL]
    return " ".join(["icefire check", arena.definition.rules, *originals, *given])
