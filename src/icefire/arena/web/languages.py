"""The words of the pages in every language, from words/*.toml, and what the server says translated for people.

A word is found by the name of its section and its own: t("home.title"). One with an English singular has two forms,
{ one = "…", other = "…" }, chosen by the value n.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

FOLDER = Path(__file__).parent / "words"
LANGUAGES = {"en": "English", "ja": "日本語"}
DEFAULT = "en"
COOKIE = "icefire-lang"
MOST_TRANSLATED = 1000
"""Longer sentences hold what somebody wrote into a file, and stay as they are."""


def chosen(asked: str | None, cookie: str | None, accepted: str) -> str:
    """Return the language to speak: the one asked for, the one chosen before, or the best the browser accepts."""
    for one in (asked, cookie):
        if one in LANGUAGES:
            return str(one)
    for part in _by_preference(accepted):
        if part.partition("-")[0] in LANGUAGES:
            return part.partition("-")[0]
    return DEFAULT


def _by_preference(accepted: str) -> list[str]:
    """Read an Accept-Language header; what cannot be read comes last."""

    def weight(part: str) -> float:
        found = re.search(r";\s*q\s*=\s*([01](?:\.\d{1,3})?)\s*$", part)
        return float(found.group(1)) if found else float(";" not in part)

    parts = sorted(accepted[:500].lower().split(","), key=weight, reverse=True)
    return [part.partition(";")[0].strip() for part in parts if weight(part) > 0]


class Words:
    """The words of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._words = read(language)

    def __call__(self, key: str, **values: Any) -> Markup:
        """Return a word for a page; values are escaped unless they are markup themselves."""
        return Markup(escape(self._form(key, values))).format(**values)

    def plain(self, key: str, **values: Any) -> str:
        """Return a word as plain text."""
        return self._form(key, values).format(**values)

    def has(self, key: str) -> bool:
        """Tell whether there is such a word."""
        return key in self._words

    def said(self, text: str) -> str:
        """Return what the server says, in English, in this language as far as it is known."""
        return translated(text, self.language)

    def _form(self, key: str, values: Mapping[str, Any]) -> str:
        word = self._words[key]
        if isinstance(word, str):
            return word
        return word["one"] if values.get("n") == 1 and "one" in word else word["other"]


@cache
def of(language: str) -> Words:
    """Return the words of a language."""
    return Words(language)


def read(language: str) -> dict[str, str | dict[str, str]]:
    """Return every word of a language by its full name."""
    given = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return dict(_flat(given))


def _flat(given: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in given.items():
        if isinstance(value, str) or set(value) <= {"one", "other"}:
            found.append((before + name, value))
        else:
            found += _flat(value, f"{before}{name}.")
    return found


def fields(text: str) -> set[str]:
    """Return the names of the values a word needs."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def translated(text: str, language: str) -> str:
    """Translate a sentence of the server by its pattern, and what it holds likewise; the rest stays English."""
    if len(text) > MOST_TRANSLATED:
        return text
    for start, pattern, told in _sentences(language):
        found = pattern.fullmatch(text) if text.startswith(start) else None
        if found:
            return told.format(**{name: translated(part, language) for name, part in found.groupdict().items()})
    return text


@cache
def _sentences(language: str) -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """Return how each sentence begins, its pattern and its translation."""
    path = FOLDER / f"said_{language}.toml"
    if not path.exists():
        return ()
    given: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple((english.partition("{")[0], _pattern(english), told) for english, told in given.items())


def _pattern(english: str) -> re.Pattern[str]:
    parts = string.Formatter().parse(english)
    return re.compile(
        "".join(re.escape(plain) + (f"(?P<{name}>.+?)" if name else "") for plain, name, _, _ in parts), re.DOTALL
    )
