"""The whole competition as one file, and its tables."""

from __future__ import annotations

import tempfile
from pathlib import Path

from fastapi import Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from icefire.arena import bundle
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.navigation import ADMIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.requester import Judge, Organiser

PAGE = Page("admin/bundle", "/desk/bundle", menus=(MenuEntry(ADMIN, 100, "desk.bundle"),))


@PAGE.get()
def show(request: Request, requester: Judge) -> Response:
    """Explain the two bundles, and list what can be exported."""
    return PAGE.render(request, folder=requester.arena.folder.name)


@PAGE.post()
def export(requester: Organiser, form: PostedForm) -> Response:
    """Hand out the public bundle."""
    folder = tempfile.TemporaryDirectory(prefix="icefire-bundle-")
    try:
        path = bundle.export(requester.arena, requester.actor, Path(folder.name) / "public.zip", public=True)
    except BaseException:
        folder.cleanup()
        raise
    cleanup = BackgroundTask(folder.cleanup)
    return FileResponse(path, media_type="application/zip", filename="competition_public.zip", background=cleanup)
