"""Announcements to everybody."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from fastapi import Request
from sqlalchemy import select
from starlette.responses import Response

from icefire.arena import admin
from icefire.arena.contest import languages_of_texts
from icefire.arena.errors import WrongInput
from icefire.arena.storage.tables import AnnouncementRow
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.navigation import ADMIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Judge, Organiser, Requester
from icefire.words.languages import DEFAULT, LANGUAGES

PAGE = Page("admin/announcements", "/desk/announcements", menus=(MenuEntry(ADMIN, 50, "desk.announcements"),))


@PAGE.get()
def show(request: Request, requester: Judge) -> Response:
    """Show what was announced."""
    return _page(request, requester)


def _page(
    request: Request,
    requester: Requester,
    status: int = 200,
    problem: str | None = None,
    written: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    with requester.arena.database.reading() as db:
        every = db.scalars(select(AnnouncementRow).order_by(AnnouncementRow.at.desc(), AnnouncementRow.id)).all()
    return PAGE.render(
        request, status=status, announcements=every, problem=problem, filled=written.get(DEFAULT, ""), also=written
    )


@PAGE.post()
def announce(request: Request, requester: Organiser, form: PostedForm) -> Response:
    """Announce something."""
    written = {DEFAULT: text(form, "text")}
    written |= {code: text(form, f"text_{code}") for code in LANGUAGES if code != DEFAULT}
    try:
        admin.announce(requester.arena, requester.actor, languages_of_texts.combined(written))
    except WrongInput as wrong:
        return _page(request, requester, wrong.status, str(wrong), written)
    return see_other("/desk/announcements", "desk.announced")
