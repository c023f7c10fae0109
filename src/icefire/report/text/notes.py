"""Single lines with a title in bold."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from icefire.report.text.tables import safe


def note(title: str, text: str, style: str = "") -> Text:
    """Write a title and a text on one line."""
    return Text.assemble((f"{safe(title)}: ", "bold"), (safe(text), style), overflow="fold")


def notes(lines: Mapping[str, str]) -> list[Text]:
    """Write one line per title."""
    return [note(title, text) for title, text in lines.items()]
