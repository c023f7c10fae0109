"""The language and the colours somebody has chosen, kept in cookies."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from icefire.arena.web import languages
from icefire.arena.web.languages import Words
from icefire.words.languages import LANGUAGES

THEMES = ("auto", "light", "dark")
THEME_COOKIE = "icefire-theme"
YEAR = 365 * 24 * 3600


def language_of(request: Request) -> str:
    """Return the language of the page."""
    return languages.choose(
        request.query_params.get("lang"),
        request.cookies.get(languages.COOKIE),
        request.headers.get("accept-language", ""),
    )


def words_of(request: Request) -> Words:
    """Return the words in the language of the page."""
    return languages.words_in(language_of(request))


def theme_of(request: Request) -> str:
    """Return how the page is coloured: as the device is, light, or dark."""
    for theme in (request.query_params.get("theme"), request.cookies.get(THEME_COOKIE)):
        if theme in THEMES:
            return str(theme)
    return "auto"


def remember_choices(request: Request, response: Response) -> None:
    """Keep a language or theme that was just chosen."""
    for name, cookie, allowed in (
        ("lang", languages.COOKIE, LANGUAGES),
        ("theme", THEME_COOKIE, THEMES),
    ):
        chosen = request.query_params.get(name)
        if chosen in allowed:
            response.set_cookie(cookie, str(chosen), max_age=YEAR, samesite="lax", secure=request.app.state.secure)
