"""What organisers write for people in several languages: the titles of rounds, and announcements.

An announcement is one text. Where a line of it is the code of a language and a colon, such as `ja:`, what follows is
for readers of that language; a text without such lines is for all.
"""

from __future__ import annotations

from collections.abc import Mapping

from icefire.arena.contest.definition import Definition
from icefire.words.languages import LANGUAGES

MARKS = {f"{language}:": language for language in LANGUAGES}
USUAL_TITLES = {"preliminary": {"ja": "予選"}, "final": {"ja": "決勝"}}
"""Of rounds with a usual name, where the organisers gave no title and the name itself is not of the language."""


def round_title(definition: Definition, name: str, language: str) -> str:
    """Return what people call a round: its title in a language, or in the first it has; without one, its name."""
    given = next((one.title for one in definition.rounds if one.name == name), "")
    title = given if isinstance(given, str) else given.get(language) or next(iter(given.values()), "")
    return title or USUAL_TITLES.get(name, {}).get(language, name)


def combined(texts: Mapping[str, str]) -> str:
    """Return one text for readers of several languages; that of a single language stays as it is."""
    written = {language: text.strip() for language, text in texts.items() if text.strip()}
    if len(written) < 2:
        return next(iter(written.values()), "")
    return "\n".join(f"{language}:\n{text}" for language, text in written.items())


def in_language(text: str, language: str) -> str:
    """Return the part of a text that is for readers of a language; if it has none for them, its first part."""
    parts: dict[str, list[str]] = {}
    before: list[str] = []
    at = before
    for line in text.splitlines():
        if line.strip() in MARKS:
            at = parts.setdefault(MARKS[line.strip()], [])
        else:
            at.append(line)
    if not parts or any(line.strip() for line in before):
        return text
    return "\n".join(parts.get(language) or next(iter(parts.values()))).strip()
