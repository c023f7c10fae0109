"""Responses to what is refused or failed: a page for people, JSON under /api."""

from __future__ import annotations

import logging
from typing import cast
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from icefire.arena.auth.actor import VISITOR
from icefire.arena.errors import NotLoggedIn, Refused, TermsFirst, TooMany, Unavailable, WrongInput
from icefire.arena.storage import outages
from icefire.arena.web import templating
from icefire.arena.web.preferences import theme_of, words_of
from icefire.arena.web.rendering import render
from icefire.arena.web.requester import Requester, identify
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
    """Register the handlers of exceptions."""
    app.add_exception_handler(IcefireError, _refusal_response)
    app.add_exception_handler(HTTPException, _http_response)
    app.add_exception_handler(RequestValidationError, _invalid_response)
    app.add_exception_handler(SQLAlchemyError, _database_response)


async def status_response(request: Request, status: int) -> Response:
    """Respond to a request of which nothing but the status is known."""
    return await run_in_threadpool(error_response, request, status, GENERAL[status])


def error_response(
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
        _ensure_requester(request)
        said = words_of(request).said
        values = {"problem": said(text), "problems": tuple(said(one) for one in problems)}
        return render(request, "error.html", values, status=status, headers=headers)
    except Exception:  # whatever broke may be what the page needs, such as the database
        logger.exception("the page of an error could not be drawn")
        return PlainTextResponse(f"{text}\n", status, headers)


def is_api(request: Request) -> bool:
    """Tell whether a program sent the request."""
    return request.url.path.startswith("/api/")


def _ensure_requester(request: Request) -> None:
    """See to it that the page knows who sent the request, whatever happened before."""
    if not hasattr(request.state, "requester"):
        try:
            identify(request)
        except NotLoggedIn:
            request.state.requester = Requester(request.app.state.arena, VISITOR)


def _refusal_response(request: Request, error: Exception) -> Response:
    if isinstance(error, NotLoggedIn | TermsFirst) and not is_api(request) and request.method == "GET":
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        first = "/login" if isinstance(error, NotLoggedIn) else "/terms"
        return RedirectResponse(f"{first}?next={quote(path, safe='/')}", 303)
    status = error.status if isinstance(error, Refused) else 422
    problems = error.problems if isinstance(error, WrongInput) else ()
    headers = {}
    if isinstance(error, TooMany | Unavailable):
        headers["Retry-After"] = str(error.seconds)
    if status == 401 and is_api(request):
        headers["WWW-Authenticate"] = "Bearer"
    return error_response(request, status, str(error), problems, headers)


def _database_response(request: Request, error: Exception) -> Response:
    """Respond where the database is away, full, or has tables of another version; any other error is our own."""
    if not outages.is_outage(error):
        raise error
    outages.tell(error)
    said = words_of(request).said(outages.TEXT)
    headers = {"Retry-After": str(Unavailable.seconds)}
    if is_api(request):
        return JSONResponse({"error": outages.TEXT, "problems": []}, Unavailable.status, headers)
    context = {**templating.language_context(request), "theme": theme_of(request), "problem": said}
    return templating.TEMPLATES.TemplateResponse(request, "unavailable.html", context, Unavailable.status, headers)


def _http_response(request: Request, error: Exception) -> Response:
    http = cast(HTTPException, error)
    text = http.detail if http.status_code == 413 else GENERAL.get(http.status_code, http.detail)
    return error_response(request, http.status_code, str(text), headers=dict(http.headers or {}))


def _invalid_response(request: Request, error: Exception) -> Response:
    errors = cast(RequestValidationError, error).errors()
    problems = tuple(f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in errors)
    return error_response(request, 422, "the request cannot be used; see the problems", problems)
