"""Live pages: what they are sent."""

from __future__ import annotations

import asyncio
from typing import Any

from icefire.arena.web import live
from threats import routes
from threats.world import World


def first_frame(world: World) -> Any:
    """Return what a live page is sent at once; the stream itself has no end."""
    app: Any = world.server.app
    app.state.live = live.Live(world.arena)
    app.state.live.marks = app.state.live._read()
    sent: list[dict[str, Any]] = []

    async def listen() -> None:
        async def receive() -> dict[str, Any]:
            while not any(b"event: change" in one.get("body", b"") for one in sent):
                await asyncio.sleep(0.001)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": routes.EVENTS, "query_string": b"", "headers": []}
        await app({**scope, "http_version": "1.1", "scheme": "http", "server": ("testserver", 80)}, receive, send)

    world.server.run(listen())
    return _Streamed(sent)


class _Streamed:
    """The beginning of a stream, with what an answer has."""

    def __init__(self, sent: list[dict[str, Any]]) -> None:
        self.status_code = sent[0]["status"]
        self.headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        self.content = b"".join(one.get("body", b"") for one in sent)
        assert b"event: change" in self.content, "the stream said nothing"
