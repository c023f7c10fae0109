"""The page /api: every operation, drawn from the description itself; no script, nothing from elsewhere."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from icefire.arena.web.pages._kit import Somebody, origin_of, page

router = APIRouter(include_in_schema=False)


@router.get("/api")
def described(request: Request, asker: Somebody) -> Response:
    """List the operations, by what they are for."""
    schema: dict[str, Any] = request.app.openapi()
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method, told in methods.items():
            what = told.get("description") or told.get("summary", "")
            operation = {"method": method.upper(), "path": path, "told": what, "answers": list(told["responses"])}
            groups.setdefault(told["tags"][0], []).append(operation)
    return page(
        request,
        "api.html",
        groups=groups,
        description=request.app.openapi_url,
        origin=origin_of(request),
    )
