"""The address of the server, for examples that people copy."""

from __future__ import annotations

from fastapi import Request


def origin_of(request: Request) -> str:
    """Return the address of this server as the browser knows it."""
    scheme = "https" if request.app.state.secure else request.url.scheme
    return f"{scheme}://{request.url.netloc}"
