"""Pages in a real browser: which scripts run, and what the browser has to say."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import uvicorn

from icefire.arena.web import live, session
from threats.world import World

RAN = "a script of a player runs"
PLANT = f"window.hacked = () => console.warn('{RAN}')"
"""What every script that was written into names and announcements calls."""
TOUCH = "() => document.querySelectorAll('*').forEach(e => e.dispatchEvent(new MouseEvent('mouseover')))"
PAGES = ("/", "/board", "/matrix", "/pictures", "/team", "/account")
A_FEW = ("/", "/matrix")
DESK = ("/desk/teams", "/desk/accounts", "/desk/announcements", "/desk/submissions", "/desk/log")


def every_page(world: World, browser: Any, pages: Sequence[str] = PAGES, desk: Sequence[str] = DESK) -> list[str]:
    """Look at every page that shows what people wrote, touch everything on it, and return what the browser says."""
    with _serving(world) as url:
        told: list[str] = []
        for role, paths in (("author", pages), ("admin", (*desk, f"/releases/{world.releases['author']}"))):
            context = browser.new_context(base_url=url)
            context.add_cookies(
                [{"name": session.cookie_name(world.arena), "value": world.as_(role).cookie, "url": url}]
            )
            context.add_init_script(PLANT)
            context.on("console", lambda said: _listen(told, said))
            page = context.new_page()
            for path in paths:
                assert page.goto(path, wait_until="load").status == 200, path
                page.evaluate(TOUCH)
            context.close()
        return told


def _listen(told: list[str], said: Any) -> None:
    if said.type in ("warning", "error"):
        told.append(said.text)


@contextmanager
def _serving(world: World) -> Iterator[str]:
    """Serve the pages at a port of this machine."""
    app = world.server.app
    app.state.live = live.Live(world.arena)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True  # live pages would not let go
        thread.join()
