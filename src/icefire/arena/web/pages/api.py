"""The page /api: every operation of the API, drawn from its OpenAPI description."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from icefire.arena.web.navigation import FOOTER, MenuEntry
from icefire.arena.web.origin import origin_of
from icefire.arena.web.page import Page
from icefire.arena.web.requester import Anyone

PAGE = Page("api", "/api", menus=(MenuEntry(FOOTER, 10, "nav.api"),))


@PAGE.get()
def show(request: Request, requester: Anyone) -> Response:
    """List the operations by their tags."""
    return PAGE.render(
        request,
        groups=_operations(request.app.openapi()),
        description=request.app.openapi_url,
        origin=origin_of(request),
    )


def _operations(schema: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            groups.setdefault(operation["tags"][0], []).append(
                {
                    "method": method.upper(),
                    "path": path,
                    "told": operation.get("description") or operation.get("summary", ""),
                    "answers": list(operation["responses"]),
                }
            )
    return groups
