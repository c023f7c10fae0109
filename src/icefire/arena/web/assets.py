"""Static files: stylesheets, scripts and the icon."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from fastapi import APIRouter
from starlette.responses import FileResponse, Response

STATIC = Path(__file__).parent / "static"
router = APIRouter(include_in_schema=False)


@cache
def asset(name: str) -> str:
    """Return the address of a static file; it changes with the content, so that a browser may keep it for ever."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


@router.get("/favicon.ico")
def icon() -> Response:
    """Serve the icon where browsers look for it unasked."""
    return FileResponse(STATIC / "favicon.svg", media_type="image/svg+xml")
