"""Protection against forged requests: a change that comes with a cookie must carry the token of its browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request
from starlette.datastructures import FormData

from icefire.arena import ids
from icefire.arena.errors import Refused, WrongInput
from icefire.arena.web.requester import Anyone, Requester

FIELD = "csrf"
HEADER = "x-csrf-token"
MOST_FIELDS = 100
MOST_FILES = 10


async def checked_header(request: Request, requester: Anyone) -> Requester:
    """Refuse a change that comes with a cookie but without the header only our own pages can send.

    For the API: a request with a token needs none, as no browser adds a token by itself.
    """
    if not requester.by_token:
        check_csrf(request, requester, request.headers.get(HEADER, ""))
    return requester


CsrfChecked = Annotated[Requester, Depends(checked_header)]


async def checked_form(request: Request, requester: Anyone) -> AsyncIterator[FormData]:
    """Give the fields of a form that one of our own pages sent, and refuse all others."""
    check_site(request)
    async with request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS) as form:
        check_form(request, requester, form)
        yield form


def check_form(request: Request, requester: Requester, form: FormData) -> None:
    """Refuse a form that none of our own pages sent, or that holds what no text does."""
    token = form.get(FIELD, "")
    check_csrf(request, requester, token if isinstance(token, str) else "")
    if any(isinstance(value, str) and "\0" in value for value in form.values()):
        raise WrongInput("a field holds a character that no text has; write it without")


PostedForm = Annotated[FormData, Depends(checked_form)]


def check_csrf(request: Request, requester: Requester, token: str) -> None:
    """Refuse what another site made the browser send."""
    check_site(request)
    if not requester.csrf or not ids.same(token, requester.csrf):
        raise Refused("this form is too old or not from here; load the page again and repeat")


def check_site(request: Request) -> None:
    """Refuse a request whose browser says that another site caused it."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin", "null")
    if site is not None:
        ours = site in ("same-origin", "none")
    else:  # an older browser: it may hide the origin, then the token alone decides
        ours = origin == "null" or urlsplit(origin).netloc == request.headers.get("host")
    if not ours:
        raise Refused("this form was sent from another site; open the page here and repeat")
