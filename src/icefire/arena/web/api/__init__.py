"""The API: what the pages can do, for programs, under /api/v1. Its description is generated from what stands here."""

from __future__ import annotations

from fastapi import APIRouter

from icefire.arena.web.api import files, looking, organising, page, playing

router = APIRouter()
for part, tag in ((looking, "looking"), (files, "looking"), (playing, "playing"), (organising, "organising")):
    router.include_router(part.router, prefix="/api/v1", tags=[tag])
router.include_router(page.router)
