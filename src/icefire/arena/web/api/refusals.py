"""Refusals and files that an endpoint may respond with, declared for the OpenAPI description."""

from __future__ import annotations

from typing import Any

from icefire.arena.web.api.models import Exported, Refusal

_DESCRIPTIONS = {
    400: "It cannot be read at all.",
    401: "Log in first, or the token is not valid.",
    403: "Not now, or not you.",
    404: "Nothing here, or nothing you may see: the same answer for both.",
    408: "It came too slowly.",
    409: "Already there, already done, or used up.",
    413: "More than is taken.",
    422: "It cannot be used as it is; nothing was taken.",
    429: "Too often; try again after the seconds of Retry-After.",
    503: "The server cannot take it now, as when its disk is full; try again after the seconds of Retry-After.",
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the declaration of some refusals; a token that is not valid is refused everywhere."""
    return {status: {"model": Refusal, "description": _DESCRIPTIONS[status]} for status in sorted({401, *statuses})}


def changing(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the declaration of the refusals of something that changes the competition, and of these others."""
    return refusals(400, 403, 413, 422, *statuses)


def files_body(*files: str, optional: tuple[str, ...] = (), fields: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the declaration of a body of files, which an endpoint reads by itself after it has looked at the rest."""
    file, field = {"type": "string", "format": "binary"}, {"type": "string", "maxLength": 40}
    properties = dict.fromkeys((*files, *optional), file) | dict.fromkeys(fields, field)
    schema = {"type": "object", "required": list(files), "properties": properties}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


_TEXT = {"schema": {"type": "string", "format": "binary"}}
CSV: dict[int | str, dict[str, Any]] = {200: {"description": "The file.", "content": {"text/csv": _TEXT}}}
TABLE: dict[int | str, dict[str, Any]] = {200: {"model": Exported, "content": {"text/csv": _TEXT}}}
