"""Tables for narrow screens: cells carry the heading of their column, and long names break after an underscore."""

from __future__ import annotations

import re

from markupsafe import Markup

HEADING = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
ROW = re.compile(r"<tr\b[^>]*>.*?</tr>", re.DOTALL)
CELL = re.compile(r"<(td|th)\b([^>]*)>")
TAG = re.compile(r"<[^>]+>")
DRAWN_OR_TAG = re.compile(r"(<svg\b.*?</svg>|<[^>]+>)", re.DOTALL)
NAME = re.compile(r"<th\b.*?</th>", re.DOTALL)
JOINT = re.compile(r"(?<=[^\W_])_(?=[^\W_])")
"""An underscore between the words of a name."""


def labelled(table: Markup | str) -> Markup:
    """Return the inside of a table whose cells of the body name their column in the attribute data-label.

    Args:
        table: Head and body of a table, made by the templates: everything in it is escaped.
    """
    head, sign, body = str(table).partition("</thead>")
    if not sign:
        return Markup(table)
    headings = [TAG.sub("", heading).strip() for heading in HEADING.findall(head)]
    return Markup(head + sign + ROW.sub(lambda row: _with_breaks(_with_labels(row.group(), headings)), body))


def _with_breaks(row: str) -> str:
    """Let the name of a row, such as other_diseases, break after the underscore rather than inside a word."""
    return NAME.sub(lambda name: _broken_between_words(name.group()), row)


def _broken_between_words(name: str) -> str:
    """Allow breaks in the texts of a cell, but not in its tags and pictures."""
    texts = DRAWN_OR_TAG.split(name)
    return "".join(text if text.startswith("<") else JOINT.sub("_<wbr>", text) for text in texts)


def _with_labels(row: str, headings: list[str]) -> str:
    """Name the column of each cell; one over several columns has no name, and a row's own name needs none."""
    place = -1

    def named(cell: re.Match[str]) -> str:
        nonlocal place
        place += 1
        tag, attributes = cell.groups()
        is_name = tag == "th" and 'class="n"' not in attributes
        if "colspan" in attributes or place >= len(headings) or is_name or not headings[place]:
            return cell.group()
        label = headings[place].replace('"', "&quot;")
        return f'<{tag}{attributes} data-label="{label}">'

    return CELL.sub(named, row)
