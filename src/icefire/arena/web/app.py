"""The application: pages, API, static files, live events and, unless it runs elsewhere, the judge's worker."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable

import anyio
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.staticfiles import StaticFiles

from icefire import __version__
from icefire.arena.contest.arena import Arena
from icefire.arena.judge import worker as workers
from icefire.arena.web import api, assets, downloads, error_pages, live, pages
from icefire.arena.web.api.description import use_public_names
from icefire.arena.web.fragments import FragmentCache
from icefire.arena.web.navigation import Navigation
from icefire.arena.web.password_threads import PasswordThreads
from icefire.arena.web.security import SMALL_BODY, BodyLimit, SecurityHeaders


def create_app(
    arena: Arena, *, worker: bool = True, secure_cookies: bool = False, behind_proxy: bool = False
) -> FastAPI:
    """Make the application of one competition.

    Args:
        arena: The competition.
        worker: Whether the judge's worker runs in this process.
        secure_cookies: For a server reached by https.
        behind_proxy: Whether to believe the proxy in front of the server where a request came from.

    Returns:
        The application, to be run by an ASGI server.
    """
    most = len(arena.game.handed_in) * (arena.definition.max_upload_mb << 20) + SMALL_BODY
    app = FastAPI(
        title=arena.definition.title,
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan(arena, worker),
        middleware=[
            Middleware(SecurityHeaders, secure=secure_cookies, respond=error_pages.status_response),
            Middleware(BodyLimit, most=most),
        ],
    )
    app.state.arena = arena
    app.state.secure = secure_cookies
    app.state.behind_proxy = behind_proxy
    app.state.fragments = FragmentCache()
    app.state.password_threads = PasswordThreads()
    _add_routes(app)
    error_pages.install(app)
    use_public_names(app)
    return app


def _add_routes(app: FastAPI) -> None:
    every = pages.discover()
    app.state.navigation = Navigation([(page.path, entry) for page in every for entry in page.menus])
    routers = (live.router, api.router, downloads.router, assets.router)
    for router in (*routers, *(page.router for page in every)):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=assets.STATIC))


def _lifespan(arena: Arena, worker: bool) -> Callable[[FastAPI], contextlib.AbstractAsyncContextManager[None]]:
    """Return what runs beside the pages while the server does."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.live = live.Live(arena)
        stop = workers.in_background(arena) if worker else None
        try:
            async with live.polling(app.state.live):
                yield
        finally:
            if stop is not None:
                await anyio.to_thread.run_sync(stop)

    return lifespan
