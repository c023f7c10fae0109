"""The refusals an operation may answer with, declared for whoever reads the description of the API."""

from __future__ import annotations

from typing import Any

from icefire.arena.web.api.models import Problem

_MEANT = {
    401: "Log in first, or the token is not valid.",
    403: "Not now, or not you.",
    404: "Nothing here, or nothing you may see: the same answer for both.",
    409: "Already there, already done, or used up.",
    413: "More than is taken.",
    422: "It cannot be used as it is; nothing was taken.",
    429: "Too often; try again after the seconds of Retry-After.",
    503: "The server is busy; try again in a moment.",
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the declaration of some refusals; a token that is not valid is refused everywhere."""
    return {status: {"model": Problem, "description": _MEANT[status]} for status in sorted({401, *statuses})}


FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": {"text/csv": {"schema": {"type": "string", "format": "binary"}}}}
}
