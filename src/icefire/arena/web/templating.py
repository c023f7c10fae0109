"""What every template finds around it: words, times, who looks, and where the competition stands."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import Response
from starlette.templating import Jinja2Templates

from icefire.arena.contest import phases, public_record
from icefire.arena.contest.arena import Arena
from icefire.arena.storage.tables import TeamRow
from icefire.arena.web import languages, live, times
from icefire.arena.web.session import FIELD, Asker
from icefire.core import formatting

STATIC = Path(__file__).parent / "static"
THEMES = ("auto", "light", "dark")
THEME_COOKIE = "icefire-theme"
YEAR = 365 * 24 * 3600
NAVIGATION = (
    ("home", "/"),
    ("matrix", "/matrix"),
    ("board", "/board"),
    ("pictures", "/pictures"),
    ("rules", "/rules"),
    ("team", "/team"),
)
_ENVIRONMENT = Environment(
    loader=PackageLoader("icefire.arena.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
TEMPLATES = Jinja2Templates(env=_ENVIRONMENT)


@cache
def asset(name: str) -> str:
    """Return the address of a static file; it changes with the content, so that a browser may keep it for ever."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


def typeset(text: str) -> str:
    """Keep a number and its per cent sign on one line, and give it a true minus."""
    text = text.replace(" %", "\N{NO-BREAK SPACE}%")
    return f"\N{MINUS SIGN}{text[1:]}" if text.startswith("-") else text


_ENVIRONMENT.globals["asset"] = asset
_ENVIRONMENT.filters.update(
    percent=lambda share: typeset(formatting.percent(share)),
    number=lambda value, digits=4: typeset(formatting.number(value, digits)),
    count=formatting.count,
)


def language_of(request: Request) -> str:
    """Return the language of the page."""
    return languages.choose(
        request.query_params.get("lang"),
        request.cookies.get(languages.COOKIE),
        request.headers.get("accept-language", ""),
    )


def theme_of(request: Request) -> str:
    """Return how the page is coloured: as the device is, light, or dark."""
    for one in (request.query_params.get("theme"), request.cookies.get(THEME_COOKIE)):
        if one in THEMES:
            return str(one)
    return "auto"


def remember_choices(request: Request, answer: Response) -> None:
    """Keep a language or theme that was just chosen."""
    for name, cookie, allowed in (
        ("lang", languages.COOKIE, languages.LANGUAGES),
        ("theme", THEME_COOKIE, THEMES),
    ):
        asked = request.query_params.get(name)
        if asked in allowed:
            answer.set_cookie(cookie, str(asked), max_age=YEAR, samesite="lax", secure=request.app.state.secure)


def spoken(request: Request) -> dict[str, Any]:
    """Return what depends on the language alone: words and times."""
    arena: Arena = request.app.state.arena
    language = language_of(request)
    words = languages.words_in(language)
    zone = ZoneInfo(arena.definition.zone)
    now = arena.now()
    return {
        "t": words,
        "said": words.said,
        "language": language,
        "contest": arena.definition,
        "now": now,
        "when": lambda at, exact=True: times.when(at, zone, language, exact),
        "countdown": lambda at: times.countdown(at, now, words),
    }


def part(request: Request, template: str, values: dict[str, Any]) -> Markup:
    """Draw a part of a page that knows nothing of who looks."""
    return Markup(_ENVIRONMENT.get_template(template).render({**spoken(request), **values}))


def surroundings(request: Request, asker: Asker, csrf: str) -> dict[str, Any]:
    """Return what base.html needs."""
    arena = asker.arena
    with arena.database.reading() as session:
        rounds = arena.rounds(session)
        mark = live.mark(session, rounds)
        record = public_record.is_record(session)
        team = session.get(TeamRow, asker.actor.team_id) if asker.actor.team_id else None
    words = languages.words_in(language_of(request))
    told = f"told.{request.query_params.get('said', '')}"
    return {
        **spoken(request),
        "actor": asker.actor,
        "my_team": team,
        "record": record,
        "rounds": rounds,
        "round": phases.current(rounds),
        "mark": mark,
        "live_from": "" if request.method == "GET" else "/",
        "theme": theme_of(request),
        "themes": THEMES,
        "languages": languages.LANGUAGES,
        "path": request.url.path,
        "navigation": NAVIGATION,
        "told": words(told) if words.has(told) else None,
        "here": _here(request),
        "csrf_field": _csrf_field(csrf, asker.by_token),
    }


def _here(request: Request) -> Callable[..., str]:
    """Return how to link to this very page with something changed."""

    def link(**changes: str) -> str:
        if request.method != "GET":
            return f"/?{urlencode(changes)}"
        kept = {name: value for name, value in request.query_params.items() if name not in ("said", "lang", "theme")}
        return f"{request.url.path}?{urlencode({**kept, **changes})}"

    return link


def _csrf_field(csrf: str, by_token: bool) -> Callable[[], Markup]:
    """Return how a form gets its hidden field."""

    def field() -> Markup:
        assert csrf or by_token, "a page with a form for visitors is made with page(..., with_form=True)"
        return Markup('<input type="hidden" name="{}" value="{}">').format(FIELD, csrf)

    return field
