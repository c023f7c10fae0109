"""The application: pages, API, static files, live events and, unless it runs elsewhere, the judge's worker."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from importlib import import_module

import anyio
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.staticfiles import StaticFiles

from icefire import __version__
from icefire.arena.contest.arena import Arena
from icefire.arena.judge import worker as workers
from icefire.arena.web import error_pages, live, templating
from icefire.arena.web.fragments import Fragments
from icefire.arena.web.security import SMALL_BODY, Bounded, Surrounded
from icefire.arena.web.session import Door

ROUTERS = (
    "live",
    "api",
    "pages.api",
    "pages.home",
    "pages.login",
    "pages.account",
    "pages.team",
    "pages.rules",
    "pages.matrix",
    "pages.board",
    "pages.pictures",
    "pages.release",
    "pages.submit",
    "downloads",
    "pages.reveal",
    "pages.admin",
)
"""Modules of this package that have a `router`."""
AT_THE_DOOR = 3
"""Threads for passwords."""


def create_app(
    arena: Arena, *, worker: bool = True, secure_cookies: bool = False, behind_proxy: bool = False
) -> FastAPI:
    """Make the application of one competition.

    `secure_cookies` is for a server reached by https. `behind_proxy` believes the proxy in front of it where a request
    came from.
    """
    most = len(arena.play.handed_in) * (arena.definition.max_upload_mb << 20) + SMALL_BODY
    app = FastAPI(
        title=arena.definition.title,
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_running(arena, worker),
        middleware=[
            Middleware(Surrounded, secure=secure_cookies, refuse=error_pages.refuse),
            Middleware(Bounded, most=most),
        ],
    )
    app.state.arena = arena
    app.state.secure = secure_cookies
    app.state.behind_proxy = behind_proxy
    app.state.fragments = Fragments()
    app.state.doors = Door(AT_THE_DOOR)
    for name in ROUTERS:
        app.include_router(import_module(f"icefire.arena.web.{name}").router)
    app.mount("/static", StaticFiles(directory=templating.STATIC))
    error_pages.install(app)
    return app


def _running(arena: Arena, worker: bool) -> Callable[[FastAPI], contextlib.AbstractAsyncContextManager[None]]:
    """Return what runs beside the pages while the server does."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.live = live.Live(arena)
        stop = workers.in_background(arena) if worker else None
        try:
            async with live.looking_out(app.state.live):
                yield
        finally:
            if stop is not None:
                await anyio.to_thread.run_sync(stop)

    return lifespan
