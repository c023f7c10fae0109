"""Middleware: every request gets an id, is timed for the metrics and, if that is wanted, written to the access log."""

from __future__ import annotations

import logging
import re
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from icefire.arena import ids
from icefire.arena.operations import logs, metrics

HEADER = "x-request-id"
_GIVEN = re.compile(r"[A-Za-z0-9_-]{8,64}")
QUIET = ("/events", "/health/live", "/health/ready", "/metrics", "/static")
"""Routes of which no line is written: thousands of streams would fill the disk, and probes come every few seconds."""
STREAM = "/events"
API = "/api/v1"
UNCOUNTED = "icefire.uncounted"
"""In the scope of a request that the server sends to itself: it is nobody's, and not timed."""
LEFT = 499
"""In the metrics, the status of a request whose sender went away before it was answered. No line is written of it."""
_logger = logging.getLogger(logs.ACCESS)


class Observed:
    """Watches requests from the outside: whatever answers them, it is counted."""

    def __init__(self, app: ASGIApp, behind_proxy: bool) -> None:
        self.app, self.behind_proxy = app, behind_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, under an id that its answer and all its log lines carry."""
        if scope["type"] != "http" or scope.get(UNCOUNTED):
            await self.app(scope, receive, send)
            return
        request = self._id(scope)
        token = logs.REQUEST.set(request)
        began, status, size = time.perf_counter(), LEFT, 0

        async def observed_send(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, observed_send)
        except BaseException:
            status = 500 if status == LEFT else status
            raise
        finally:
            _tell(scope["method"], _route(scope), status, time.perf_counter() - began, size)
            logs.REQUEST.reset(token)

    def _id(self, scope: Scope) -> str:
        """Return the id that a proxy has given, so that its log and ours agree, or a new one."""
        given = Headers(scope=scope).get(HEADER, "") if self.behind_proxy else ""
        return given if _GIVEN.fullmatch(given) else ids.new_id()[:16]


def _route(scope: Scope) -> str:
    """Return the pattern of an address, never the address itself: those may hold codes that are nobody's business."""
    path = getattr(scope.get("route"), "path", None)
    if path is not None:  # a route of the API names only the rest of its address
        below = scope["path"].startswith(f"{API}/") and not path.startswith(f"{API}/")
        return f"{API}{path}" if below else str(path)
    return "/static" if scope.get("root_path", "").endswith("/static") else "none"


def _tell(method: str, route: str, status: int, seconds: float, size: int) -> None:
    known = method if method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH") else "other"
    if route != STREAM:
        metrics.PAGE_SECONDS.labels(route, known, str(status)).observe(seconds)
    if status != LEFT and (route not in QUIET or status >= 500):
        milliseconds = round(1e3 * seconds, 1)
        fields = {"method": known, "route": route, "status": status, "ms": milliseconds, "bytes": size}
        _logger.info("%s %s %s %s ms %s bytes", *fields.values(), extra=fields)
