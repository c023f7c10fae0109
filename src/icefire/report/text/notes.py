"""Single lines with a title in bold."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from icefire.words import said, said_text, t


def note(title: str, text: str, style: str = "") -> Text:
    """Write a title and a text on one line."""
    words = said_text(text) if " " in text else said(text)
    return Text.assemble((t("numbers.title", title=safe(said(title))), "bold"), (safe(words), style), overflow="fold")


def notes(lines: Mapping[str, str]) -> list[Text]:
    """Write one line per title."""
    return [note(title, text) for title, text in lines.items()]


def safe(text: str) -> str:
    """Make a name from somebody's file harmless: no control characters, no line breaks."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(text))
