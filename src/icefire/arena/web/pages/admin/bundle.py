"""The whole competition as one file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from icefire.arena import bundle
from icefire.arena.web.pages._kit import Judge, Organiser, Posted, page

router = APIRouter(prefix="/desk/bundle")


@router.get("")
def show(request: Request, asker: Judge) -> Response:
    """Explain the two bundles, and list what can be exported."""
    return page(request, "admin/bundle.html", folder=asker.arena.folder.name)


@router.post("")
def make(asker: Organiser, form: Posted) -> Response:
    """Hand out the public bundle."""
    place = tempfile.TemporaryDirectory(prefix="icefire-bundle-")
    try:
        path = bundle.export(asker.arena, asker.actor, Path(place.name) / "public.zip", public=True)
    except BaseException:
        place.cleanup()
        raise
    done = BackgroundTask(place.cleanup)
    return FileResponse(path, media_type="application/zip", filename="competition_public.zip", background=done)
