"""The address of the server, for links and examples that people copy."""

from __future__ import annotations

from fastapi import Request

from icefire.arena.contest.arena import Arena


def origin_of(request: Request) -> str:
    """Return the address of this server: as the organiser wrote it down, or as the browser knows it."""
    arena: Arena = request.app.state.arena
    if arena.definition.address:
        return arena.definition.address
    scheme = "https" if request.app.state.secure else request.url.scheme
    return f"{scheme}://{request.url.netloc}"
