"""The rules as they are set: files, phases, quotas, scores, and what is shown when."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena.contest import upload_limits
from icefire.arena.web.frame import PageFrame
from icefire.arena.web.navigation import MAIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.pages._check_command import check_command
from icefire.arena.web.requester import Anyone
from icefire.contests.common.game import ANSWERS, TARGETS

PAGE = Page("rules", "/rules", menus=(MenuEntry(MAIN, 50, "nav.rules"),), guesses=False)


@PAGE.get()
def show(request: Request, requester: Anyone) -> Response:
    """Show the rules, from the definition that the server itself goes by."""
    arena = requester.arena
    around: PageFrame = request.state.frame
    begun = [one for one in around.rounds if one.phase != "before"]
    return PAGE.render(
        request,
        game=arena.game,
        checked=arena.game.has_aya,
        kind=arena.game.answer_shape(1, 1).kind,
        answers=ANSWERS,
        targets=TARGETS if TARGETS in arena.game.handed_out else None,
        check=check_command(arena),
        weights={one.name: one.weight for one in arena.definition.rounds},
        most_mb=f"{upload_limits.largest_file_limit(arena) / (1 << 20):.3g}",
        public_key=arena.signer.public_key,
        downloads=[(one.name, file) for one in begun for file in arena.originals(one.name)],
    )
