"""The pages that everybody opens first, drawn before the server answers anybody: the first visitors do not wait.

They are asked for as a visitor without an account, in every language. What is computed for that is what all teams
share, see shared_boards; the answers are thrown away, and neither counted in the metrics nor written to a log. The
templates of all other pages are compiled.
"""

from __future__ import annotations

import itertools
import logging

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Scope

from icefire.arena.boards import freezing
from icefire.arena.contest.arena import Arena
from icefire.arena.storage import outages
from icefire.arena.web.observed import UNCOUNTED
from icefire.arena.web.templating import ENVIRONMENT
from icefire.words.languages import LANGUAGES

PAGES = ("/", "/board", "/matrix", "/pictures")
API = ("/api/v1/board", "/api/v1/matrix", "/api/v1/releases")
_logger = logging.getLogger("icefire.arena")


async def draw(app: ASGIApp, arena: Arena) -> None:
    """Ask for all of them, one after the other; what cannot be drawn now is left to whoever asks for it."""
    try:
        await run_in_threadpool(_prepare, arena)
        for path, language in [*itertools.product(PAGES, LANGUAGES), *((path, "en") for path in API)]:
            await _ask(app, path, language)
    except SQLAlchemyError as error:
        outages.tell(error)
    except Exception:
        _logger.exception("the first pages could not be drawn before the start")


def _prepare(arena: Arena) -> None:
    for name in ENVIRONMENT.list_templates(extensions=["html"]):
        ENVIRONMENT.get_template(name)
    freezing.keep_up(arena)  # a snapshot that is due would change all pages at once


async def _ask(app: ASGIApp, path: str, language: str) -> None:
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"accept-language", language.encode())],
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 0),
        "state": {},
        UNCOUNTED: True,
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def ignore(_message: Message) -> None:
        return None

    await app(scope, receive, ignore)
