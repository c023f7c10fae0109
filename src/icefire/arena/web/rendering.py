"""Whole pages: the values base.html needs, the response, and the way on after a form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from markupsafe import Markup
from starlette.responses import RedirectResponse, Response

from icefire.arena import ids
from icefire.arena.contest import phases
from icefire.arena.web import csrf, frame, navigation, session, templating
from icefire.arena.web.frame import PageFrame
from icefire.arena.web.navigation import Link, Menu, Navigation
from icefire.arena.web.preferences import THEMES, remember_choices, theme_of, words_of
from icefire.arena.web.requester import Requester
from icefire.words.languages import LANGUAGES


def render(
    request: Request,
    template: str,
    values: dict[str, Any],
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    with_form: bool = False,
    guesses: bool = True,
) -> Response:
    """Answer with a whole page.

    A page that shows a form to people who are not logged in says so by `with_form`: they get a cookie for it. One that
    shows nothing of who has attacked what says so by `guesses`.
    """
    requester: Requester = request.state.requester
    cookie = ids.new_secret() if with_form and not requester.csrf else ""
    token = session.visitor_csrf(requester.arena, cookie) or requester.csrf
    context = {**_page_context(request, requester, token, guesses), **values}
    response = templating.TEMPLATES.TemplateResponse(request, template, context, status, headers)
    if cookie:
        session.give_cookie(request, response, cookie)
    remember_choices(request, response)
    return response


def see_other(path: str, message: str = "") -> Response:
    """Send the browser on after a form; `message` names a word of the section [told] to show there."""
    joined = f"{path}{'&' if '?' in path else '?'}said={message}" if message else path
    return RedirectResponse(joined, 303)


def _page_context(request: Request, requester: Requester, csrf_token: str, guesses: bool) -> dict[str, Any]:
    """Return the values that base.html needs."""
    actor = requester.actor
    follows_guesses = guesses or actor.judges  # judges see what guesses achieve on every board
    around = _frame(request, requester)
    return {
        **templating.language_context(request),
        "actor": actor,
        "my_team": around.team,
        "record": around.is_record,
        "rounds": around.rounds,
        "round": phases.current(around.rounds),
        "mark": around.mark if follows_guesses else around.boards_mark,
        "follows": "change" if follows_guesses else "boards",
        "live_from": "" if request.method == "GET" else "/",
        "theme": theme_of(request),
        "themes": THEMES,
        "languages": LANGUAGES,
        "path": request.url.path,
        "menu": _menu_links(request, requester),
        "told": _message(request),
        "here": _link_here(request),
        "csrf_field": _csrf_field(csrf_token, requester.by_token),
    }


def _frame(request: Request, requester: Requester) -> PageFrame:
    """Return what was read before the page or, for the answer to a form, read it now."""
    known: PageFrame | None = getattr(request.state, "frame", None)
    if known is not None:
        return known
    with requester.arena.database.reading() as db:
        return frame.read(db, requester.arena, requester.actor)


def _menu_links(request: Request, requester: Requester) -> Callable[[str], list[Link]]:
    """Return how a template gets the links of a menu."""
    site: Navigation = request.app.state.navigation
    menus: dict[str, Menu] = {menu.name: menu for menu in (navigation.MAIN, navigation.ADMIN, navigation.FOOTER)}
    return lambda name: site.links(menus[name], requester.actor, request.url.path)


def _message(request: Request) -> Markup | None:
    """Return what is to be told after a form, as see_other named it."""
    words, key = words_of(request), f"told.{request.query_params.get('said', '')}"
    return words(key) if words.has(key) else None


def _link_here(request: Request) -> Callable[..., str]:
    """Return how to link to this very page with something changed."""

    def link(**changes: str) -> str:
        if request.method != "GET":
            return f"/?{urlencode(changes)}"
        kept = {name: value for name, value in request.query_params.items() if name not in ("said", "lang", "theme")}
        return f"{request.url.path}?{urlencode({**kept, **changes})}"

    return link


def _csrf_field(token: str, by_token: bool) -> Callable[[], Markup]:
    """Return how a form gets its hidden field."""

    def field() -> Markup:
        assert token or by_token, "a page with a form for visitors is rendered with with_form=True"
        return Markup('<input type="hidden" name="{}" value="{}">').format(csrf.FIELD, token)

    return field
