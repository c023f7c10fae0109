"""Middleware: security headers, a limit on the size of requests, and the response where the program failed."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from urllib.parse import unquote_plus

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
YEAR = 365 * 24 * 3600
STATIC = "/static/"
SMALL_BODY = 256 * 1024
"""What a form without files may hold."""
SURPLUS = 64 * 1024 * 1024
"""How much of what is too large is read and thrown away: a browser shows the answer only when it has sent all."""
UPLOADS = re.compile(r"/submit/?|/releases/[^/]+/guess/?|/api/v1/releases(/[^/]+/guess)?/?")
"""Addresses that take files."""
logger = logging.getLogger("icefire.arena")


class SecurityHeaders:
    """Adds the headers, and responds where nothing else could: no trace of the program is ever shown."""

    def __init__(self, app: ASGIApp, secure: bool, respond: Callable[[Request, int], Awaitable[Response]]) -> None:
        self.app, self.secure, self.respond = app, secure, respond

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, and complete its response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                self._add_headers(MutableHeaders(scope=message), scope["path"])
            await send(message)

        if "\0" in unquote_plus(scope["path"] + scope["query_string"].decode("latin-1")):
            # No name of ours has it, and PostgreSQL takes it in no text.
            response = await self.respond(Request(scope), 404)
            await response(scope, receive, send_with_headers)
            return
        try:
            await self.app(scope, receive, send_with_headers)
        except ClientDisconnect:
            return  # whoever was sending is gone: there is nobody to answer, and nothing to write down
        except Exception:
            logger.exception("%s %s failed", scope["method"], scope["path"])
            if started:
                raise
            response = await self.respond(Request(scope), 500)
            await response(scope, receive, send_with_headers)

    def _add_headers(self, headers: MutableHeaders, path: str) -> None:
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        if self.secure:
            headers.setdefault("strict-transport-security", f"max-age={YEAR}")
        # The addresses of static files change with their content; all else is for one requester, and for now.
        kept = f"public, max-age={YEAR}, immutable" if path.startswith(STATIC) else "no-store"
        headers.setdefault("cache-control", kept)


class BodyLimit:
    """Counts the bytes of a request while they come, whatever was announced, and refuses too many of them."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app, self.most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, as long as it is not too large."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = self.most if UPLOADS.fullmatch(scope["path"]) else min(SMALL_BODY, self.most)
        length = Headers(scope=scope).get("content-length", "0")
        announced = int(length) if length.isdecimal() else 0
        too_large = announced > most
        refusal = f"this is too large; {most // 1024:,} kB are taken"
        read = 0

        async def limited_receive() -> Message:
            nonlocal read, too_large
            if announced > most + SURPLUS:  # nobody waits for so much
                raise HTTPException(413, refusal, headers={"connection": "close"})
            message = await receive()
            read += len(message.get("body", b""))
            too_large = too_large or read > most
            while too_large:
                if message["type"] != "http.request" or not message.get("more_body") or read > most + SURPLUS:
                    # FastAPI passes on this exception, and no other, while it reads a body
                    raise HTTPException(413, refusal)
                message = await receive()
                read += len(message.get("body", b""))
            return message

        await self.app(scope, limited_receive, send)
