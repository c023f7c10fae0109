"""What `icefire inspect` found, as one HTML page: no script, no request, readable in light and dark."""

from __future__ import annotations

from html import escape
from pathlib import Path

from icefire.audit.inspection.histories import HistoryInspection
from icefire.audit.inspection.tables import Inspection
from icefire.io.writing import output_file
from icefire.report.notebook import html_of

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="icefire">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
:root{{color-scheme:light dark}}
body{{margin:0 auto;padding:1rem;max-width:60rem;background:Canvas;color:CanvasText}}
.icefire-fragment{{overflow-x:auto}}
</style>
</head>
<body><main>{body}</main></body>
</html>
"""


def inspection_page(inspection: Inspection | HistoryInspection) -> str:
    """Draw an inspection as a self-contained page."""
    title = f"icefire inspect: {inspection.provenance.table.name}"
    return PAGE.format(title=escape(title), body=html_of(inspection))


def write_inspection(inspection: Inspection | HistoryInspection, path: str | Path, force: bool = False) -> None:
    """Write the page; the file appears whole or not at all."""
    page = inspection_page(inspection)
    with output_file(path, force) as draft:
        draft.write_text(page, encoding="utf-8", errors="replace")
