"""The terms of the data: read and accept them."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena.auth import accepted_terms
from icefire.arena.contest import terms
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.page import Page
from icefire.arena.web.preferences import language_of
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Anyone, LoggedIn
from icefire.arena.web.session import local_path

PAGE = Page("terms", "/terms")


@PAGE.get()
def show(request: Request, requester: Anyone, next: str = "") -> Response:  # noqa: A002 - it is the field's name
    """Show the terms, and a form to accept them to whoever has not yet."""
    arena = requester.arena
    with arena.database.reading() as db:
        accepted = accepted_terms.accepted(db, arena, requester.actor)
    return PAGE.render(
        request,
        words=terms.text(arena.definition, language_of(request)),
        sha256=terms.sha256(arena.definition),
        accepted=accepted,
        next=local_path(next, "/rules"),
    )


@PAGE.post()
def accept(requester: LoggedIn, form: PostedForm) -> Response:
    """Write down that the terms that were shown are accepted."""
    with requester.arena.database.transaction() as db:
        accepted_terms.accept(db, requester.arena, requester.actor, text(form, "sha256"))
    return see_other(local_path(text(form, "next"), "/rules"))
