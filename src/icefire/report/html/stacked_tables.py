"""Tables for narrow screens: every cell carries the heading of its column, so that rows can be shown as lists."""

from __future__ import annotations

import re

from markupsafe import Markup

HEADING = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
ROW = re.compile(r"<tr\b[^>]*>.*?</tr>", re.DOTALL)
CELL = re.compile(r"<(td|th)\b([^>]*)>")
TAG = re.compile(r"<[^>]+>")


def labelled(table: Markup | str) -> Markup:
    """Return the inside of a table whose cells of the body name their column in the attribute data-label.

    Args:
        table: Head and body of a table, made by the templates: everything in it is escaped.
    """
    head, sign, body = str(table).partition("</thead>")
    if not sign:
        return Markup(table)
    headings = [TAG.sub("", heading).strip() for heading in HEADING.findall(head)]
    return Markup(head + sign + ROW.sub(lambda row: _with_labels(row.group(), headings), body))


def _with_labels(row: str, headings: list[str]) -> str:
    """Name the column of each cell; a cell over several columns has no name."""
    place = -1

    def named(cell: re.Match[str]) -> str:
        nonlocal place
        place += 1
        tag, attributes = cell.groups()
        if "colspan" in attributes or place >= len(headings) or tag == "th" or not headings[place]:
            return cell.group()
        label = headings[place].replace('"', "&quot;")
        return f'<{tag}{attributes} data-label="{label}">'

    return CELL.sub(named, row)
