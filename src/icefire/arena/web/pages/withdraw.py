"""Withdraw a release, after one more question."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena.errors import Absent
from icefire.arena.submit import ice
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.page import Page
from icefire.arena.web.pages._find_release import find_release
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import LoggedIn

PAGE = Page("withdraw", "/releases/{release_id}/withdraw")


@PAGE.get()
def show(request: Request, requester: LoggedIn, release_id: str) -> Response:
    """Ask once more before a release is withdrawn."""
    with requester.arena.database.reading() as db:
        known, release = find_release(db, requester, release_id)
    if not release.own or release.withdrawn is not None:
        raise Absent
    return PAGE.render(request, shown=known.now, release=release)


@PAGE.post()
def withdraw(requester: LoggedIn, form: PostedForm, release_id: str) -> Response:
    """Withdraw a release."""
    ice.withdraw(requester.arena, requester.actor, release_id)
    return see_other(f"/releases/{release_id}", "play.withdrawn")
