"""The API for programs, under /api/v1; its OpenAPI description is generated from the endpoints.

The tags stand in that description and are kept as clients know them.
"""

from __future__ import annotations

from fastapi import APIRouter

from icefire.arena.web.api import admin_endpoints, board_endpoints, file_endpoints, play_endpoints, read_endpoints

router = APIRouter()
for endpoints, tag in (
    (board_endpoints, "looking"),
    (read_endpoints, "looking"),
    (file_endpoints, "looking"),
    (play_endpoints, "playing"),
    (admin_endpoints, "organising"),
):
    router.include_router(endpoints.router, prefix="/api/v1", tags=[tag])
