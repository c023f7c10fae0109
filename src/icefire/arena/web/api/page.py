"""The page /api: every operation in plain HTML, drawn from the description itself; no script, nothing from elsewhere."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

router = APIRouter(include_in_schema=False)

_PAGE = Markup("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · {title}</title></head><body><main>
<h1>The API of {title}</h1>
<p>Everything here can be done by a program. The full description, for tools, is <a href="{address}">{address}</a>.
Get a token with <code>icefire arena login</code>, on your account page, or from <code>POST /api/v1/tokens</code>, and
send it with every request: <code>Authorization: Bearer ifa_…</code>. In Python: <code>icefire.arena.client.Client</code>.
A refusal is JSON: <code>{{"error": "…", "problems": ["…"]}}</code>.</p>
<table><thead><tr><th>Operation</th><th>What it does</th><th>Answers</th></tr></thead><tbody>
{rows}
</tbody></table></main></body></html>
""")
_ROW = Markup("<tr><td><code>{method} {path}</code></td><td>{told}</td><td>{answers}</td></tr>")


@router.get("/api")
def described(request: Request) -> HTMLResponse:
    """List the operations."""
    schema: dict[str, Any] = request.app.openapi()
    rows = [
        _ROW.format(
            method=method.upper(),
            path=path,
            told=told.get("description") or told.get("summary", ""),
            answers=", ".join(told["responses"]),
        )
        for path, methods in schema["paths"].items()
        for method, told in methods.items()
    ]
    title = escape(request.app.state.arena.definition.title)
    return HTMLResponse(_PAGE.format(title=title, address=request.app.openapi_url, rows=Markup("\n").join(rows)))
