"""The application: pages, API, static files, live events and, unless it runs elsewhere, the judge's worker."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence

import anyio
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.staticfiles import StaticFiles

from icefire import __version__
from icefire.arena.contest import upload_limits
from icefire.arena.contest.arena import Arena
from icefire.arena.judge import worker as workers
from icefire.arena.web import addresses, api, assets, downloads, error_pages, first_pages, health, live, pages
from icefire.arena.web.api.description import use_public_names
from icefire.arena.web.changes import Changes
from icefire.arena.web.fragments import FragmentCache
from icefire.arena.web.navigation import Navigation
from icefire.arena.web.observed import Observed
from icefire.arena.web.oidc import routes as oidc_routes
from icefire.arena.web.oidc.provider import Provider
from icefire.arena.web.password_threads import PasswordThreads
from icefire.arena.web.security import SMALL_BODY, BodyLimit, SecurityHeaders
from icefire.arena.web.uploads import UploadSpace

MATRIX_ROWS = 10_000
"""How many drawn rows of the matrix are kept."""
OWN_RELEASES = 2_000
"""Of how many teams it is kept what they have handed in."""


def create_app(
    arena: Arena,
    *,
    worker: bool = True,
    secure_cookies: bool = False,
    behind_proxy: Sequence[str] = (),
    metrics_from: Sequence[str] = health.LOCAL,
    draws_first: bool = False,
) -> FastAPI:
    """Make the application of one competition.

    Args:
        arena: The competition.
        worker: Whether the judge's worker runs in this process.
        secure_cookies: For a server reached by https.
        behind_proxy: Addresses or networks of the proxies that are believed where a request came from.
        metrics_from: Networks from which the metrics may be read.
        draws_first: Whether the pages that everybody opens first are drawn before the first request is answered.

    Returns:
        The application, to be run by an ASGI server.
    """
    files = len(arena.game.handed_in) + len(arena.game.optional)
    most = files * upload_limits.largest_file_limit(arena) + SMALL_BODY
    app = FastAPI(
        title=arena.definition.title,
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan(arena, worker, draws_first),
        middleware=[
            Middleware(Observed, behind_proxy=bool(behind_proxy)),
            Middleware(SecurityHeaders, secure=secure_cookies, respond=error_pages.status_response),
            Middleware(BodyLimit, most=most),
        ],
    )
    app.state.arena = arena
    app.state.secure = secure_cookies
    app.state.trusted_proxies = addresses.trusted_networks(behind_proxy)
    app.state.metrics_from = addresses.read_networks(metrics_from, "--metrics-from")
    app.state.fragments = FragmentCache()
    app.state.matrix_rows = FragmentCache(MATRIX_ROWS)
    app.state.own_releases = FragmentCache(OWN_RELEASES)
    app.state.changes = Changes()
    app.state.password_threads = PasswordThreads()
    app.state.uploads = UploadSpace()
    _add_routes(app)
    if arena.definition.oidc is not None:
        app.state.oidc = Provider(arena.definition.oidc)
        app.include_router(oidc_routes.router)
    error_pages.install(app)
    use_public_names(app)
    return app


def _add_routes(app: FastAPI) -> None:
    every = pages.discover()
    app.state.navigation = Navigation([(page.path, entry) for page in every for entry in page.menus])
    routers = (health.router, live.router, api.router, downloads.router, assets.router)
    for router in (*routers, *(page.router for page in every)):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=assets.STATIC))


def _lifespan(
    arena: Arena, worker: bool, draws_first: bool
) -> Callable[[FastAPI], contextlib.AbstractAsyncContextManager[None]]:
    """Return what runs beside the pages while the server does."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.live = live.Live(arena)
        stop = workers.in_background(arena) if worker else None
        if draws_first:
            await first_pages.draw(app, arena)
        try:
            async with live.polling(app.state.live):
                yield
        finally:
            if stop is not None:
                await anyio.to_thread.run_sync(stop)

    return lifespan
