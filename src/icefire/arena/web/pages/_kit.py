"""What the author of a page needs.

    @router.get("/matrix")
    def matrix(request: Request, asker: Somebody) -> Response:
        return page(request, "matrix.html", cells=...)

    @router.post("/team/found")
    def found(asker: Known, form: Posted) -> Response:
        people.found_team(..., text(form, "name"), ...)
        return see_other("/team", "founded")          # shows the word told.founded

Templates extend base.html, write words with t("section.word"), times with when(at), and mark what should follow
changes with <section data-live id="…">. A form holds {{ csrf_field() }}.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from fastapi import Request
from markupsafe import Markup
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse, Response

from icefire.arena import ids
from icefire.arena.auth.actor import Actor
from icefire.arena.contest.phases import RoundNow
from icefire.arena.errors import TooLarge, WrongInput
from icefire.arena.storage.tables import EventRow, SnapshotRow
from icefire.arena.web import languages, session, templating
from icefire.arena.web.fragments import Fragments
from icefire.arena.web.session import Asker, Judge, Known, Organiser, Posted, Somebody

__all__ = [
    "Asker",
    "Judge",
    "Known",
    "Organiser",
    "Posted",
    "Somebody",
    "fragment",
    "freshness",
    "language_of",
    "origin_of",
    "page",
    "see_other",
    "text",
    "upload",
    "words_of",
]

UNSEEN = ("login", "token", "export")
"""Lines of the log after which every page looks as before."""


def page(
    request: Request,
    template: str,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    with_form: bool = False,
    **values: Any,
) -> Response:
    """Answer with a page. One that shows a form to people who are not logged in says so: they get a cookie for it."""
    asker: Asker = request.state.asker
    cookie = ids.new_secret() if with_form and not asker.csrf else ""
    csrf = session.visitors_csrf(asker.arena, cookie) or asker.csrf
    context = {**templating.surroundings(request, asker, csrf), **values}
    answer = templating.TEMPLATES.TemplateResponse(request, template, context, status, headers)
    if cookie:
        session.give_cookie(request, answer, cookie)
    templating.remember_choices(request, answer)
    return answer


def see_other(path: str, said: str = "") -> Response:
    """Send the browser on after a form; `said` names a word of the section [told] to show there."""
    joined = f"{path}{'&' if '?' in path else '?'}said={said}" if said else path
    return RedirectResponse(joined, 303)


def text(form: FormData, name: str) -> str:
    """Return a field of a form; one that is missing is empty."""
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def upload(form: FormData, name: str, asker: Asker) -> bytes:
    """Return the content of a file sent with a form, if it is not too large."""
    value = form.get(name)
    if not isinstance(value, UploadFile) or not value.filename:
        raise WrongInput(f"the file {name} is missing; choose it and send again")
    most = asker.arena.definition.max_upload_mb
    if value.size is not None and value.size > most << 20:
        raise TooLarge(f"the file {name} has {value.size / (1 << 20):,.1f} MB; at most {most} MB are taken")
    return value.file.read()


def origin_of(request: Request) -> str:
    """Return the address of this server as the browser knows it."""
    scheme = "https" if request.app.state.secure else request.url.scheme
    return f"{scheme}://{request.url.netloc}"


def language_of(request: Request) -> str:
    """Return the language of the page."""
    return templating.language_of(request)


def words_of(request: Request) -> languages.Words:
    """Return the words in the language of the page."""
    return languages.words_in(templating.language_of(request))


def freshness(db: Session, rounds: list[RoundNow], actor: Actor) -> tuple[Hashable, ...]:
    """Return what a part of a page that depends on facts and on who looks is cached by.

    Judges see one thing, the members of a team another, and everybody else a third.
    """
    seen_by = "judges" if actor.judges else (actor.team_id or "everybody")
    now = tuple((one.name, one.phase, one.paused, one.revealed) for one in rounds)
    frozen = tuple(tuple(row) for row in db.execute(select(SnapshotRow.round, SnapshotRow.taken)))
    last = select(EventRow.number).where(EventRow.kind.not_in(UNSEEN)).order_by(EventRow.number.desc()).limit(1)
    return (db.scalar(last), now, frozen, seen_by)


def fragment(request: Request, key: tuple[Hashable, ...], template: str, make: Callable[[], dict[str, Any]]) -> Markup:
    """Return a drawn part of a page, made once for all who may see the same.

    `key` must hold everything it depends on (see freshness); the language is added here. The part must not hold a
    form: the token in it belongs to one browser.
    """
    language = templating.language_of(request)
    cache: Fragments = request.app.state.fragments
    return cache.get((template, language, *key), lambda: templating.part(request, template, make()))
