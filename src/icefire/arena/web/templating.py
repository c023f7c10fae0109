"""The Jinja environment of the templates, and parts of pages drawn with it."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.templating import Jinja2Templates

from icefire.arena import web
from icefire.arena.contest import languages_of_texts
from icefire.arena.contest.arena import Arena
from icefire.arena.web import languages, times
from icefire.arena.web.assets import asset
from icefire.arena.web.preferences import language_of
from icefire.core import formatting

ENVIRONMENT = Environment(
    loader=FileSystemLoader(web.folders("templates")),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
TEMPLATES = Jinja2Templates(env=ENVIRONMENT)


def typeset(text: str) -> str:
    """Keep a number and its per cent sign on one line, and give it a true minus."""
    text = text.replace(" %", "\N{NO-BREAK SPACE}%")
    return f"\N{MINUS SIGN}{text[1:]}" if text.startswith("-") else text


ENVIRONMENT.globals["asset"] = asset
ENVIRONMENT.filters.update(
    percent=lambda share: typeset(formatting.percent(share)),
    number=lambda value, digits=4: typeset(formatting.number(value, digits)),
    count=formatting.count,
)


def language_context(request: Request) -> dict[str, Any]:
    """Return the values of a template that depend on the language alone: words and times."""
    arena: Arena = request.app.state.arena
    language = language_of(request)
    words = languages.words_in(language)
    zone = ZoneInfo(arena.definition.zone)
    now = arena.now()
    return {
        "t": words,
        "said": words.said,
        "language": language,
        "titled": lambda name: languages_of_texts.round_title(arena.definition, name, language),
        "announced": lambda text: words.said(languages_of_texts.in_language(text, language)),
        "contest": arena.definition,
        "ranking": arena.ranking,
        "now": now,
        "when": lambda at, exact=True: times.when(at, zone, language, exact),
        "countdown": lambda at: times.countdown(at, now, words),
    }


def render_part(request: Request, template: str, values: dict[str, Any]) -> Markup:
    """Draw a part of a page that does not depend on who looks at it."""
    return Markup(ENVIRONMENT.get_template(template).render({**language_context(request), **values}))
