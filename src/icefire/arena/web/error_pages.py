"""Answers to what is refused or failed: a page for people, JSON under /api."""

from __future__ import annotations

import logging
from typing import cast
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from icefire.arena.auth.actor import VISITOR
from icefire.arena.errors import NotLoggedIn, Refused, TooMany, WrongInput
from icefire.arena.web.pages._kit import page, words_of
from icefire.arena.web.session import Asker, somebody
from icefire.core.errors import IcefireError

GENERAL = {
    400: "this request cannot be read; go back and try again",
    403: "this is not for you",
    404: "there is nothing here",
    405: "this address does not take such a request",
    500: "something went wrong on the server; it was noted, try again in a minute",
}
logger = logging.getLogger("icefire.arena")


def install(app: FastAPI) -> None:
    """Give the application its answers."""
    app.add_exception_handler(IcefireError, _refused)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)


async def refuse(request: Request, status: int) -> Response:
    """Answer with a status alone."""
    return await run_in_threadpool(answer, request, status, GENERAL[status])


def answer(
    request: Request,
    status: int,
    text: str,
    problems: tuple[str, ...] = (),
    headers: dict[str, str] | None = None,
) -> Response:
    """Tell what was refused, and why: {"error": …, "problems": […]} under /api, else a page."""
    if is_api(request):
        return JSONResponse({"error": text, "problems": list(problems)}, status, headers)
    try:
        _find_asker(request)
        said = words_of(request).said
        told = tuple(said(one) for one in problems)
        return page(request, "error.html", status=status, headers=headers, problem=said(text), problems=told)
    except Exception:  # whatever broke may be what the page needs, such as the database
        logger.exception("the page of an error could not be drawn")
        return PlainTextResponse(f"{text}\n", status, headers)


def is_api(request: Request) -> bool:
    """Tell a request of a program."""
    return request.url.path.startswith("/api/")


def _find_asker(request: Request) -> None:
    """See to it that the page knows who asked, whatever happened before."""
    if not hasattr(request.state, "asker"):
        try:
            somebody(request)
        except NotLoggedIn:
            request.state.asker = Asker(request.app.state.arena, VISITOR)


def _refused(request: Request, error: Exception) -> Response:
    if isinstance(error, NotLoggedIn) and not is_api(request) and request.method == "GET":
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(path, safe='/')}", 303)
    status = error.status if isinstance(error, Refused) else 422
    problems = error.problems if isinstance(error, WrongInput) else ()
    headers = {}
    if isinstance(error, TooMany):
        headers["Retry-After"] = str(error.seconds)
    if status == 401 and is_api(request):
        headers["WWW-Authenticate"] = "Bearer"
    return answer(request, status, str(error), problems, headers)


def _http(request: Request, error: Exception) -> Response:
    found = cast(HTTPException, error)
    text = found.detail if found.status_code == 413 else GENERAL.get(found.status_code, found.detail)
    return answer(request, found.status_code, str(text), headers=dict(found.headers or {}))


def _invalid(request: Request, error: Exception) -> Response:
    found = cast(RequestValidationError, error).errors()
    problems = tuple(f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in found)
    return answer(request, 422, "the request cannot be used; see the problems", problems)
