"""Words of the pages in every language, read from words/**/*.toml, and the choice of a language.

A word is named by its section and its own name: t("home.title"). The files are written as `icefire.words.files` says;
here a word may stand in any of them, so that a page brings its own file with words of its menu and messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from icefire.arena import web
from icefire.arena.web import sentences
from icefire.words import chosen_form, patterns
from icefire.words.files import Text, read_texts
from icefire.words.languages import DEFAULT, LANGUAGES

COOKIE = "icefire-lang"


def choose(asked: str | None, cookie: str | None, accepted: str) -> str:
    """Return the language asked for, else the one chosen before, else the best one the browser accepts."""
    for language in (asked, cookie):
        if language in LANGUAGES:
            return str(language)
    for tag in _by_preference(accepted):
        if tag.partition("-")[0] in LANGUAGES:
            return tag.partition("-")[0]
    return DEFAULT


def _by_preference(accepted: str) -> list[str]:
    """Read an Accept-Language header; what cannot be read comes last."""

    def weight(part: str) -> float:
        quality = re.search(r";\s*q\s*=\s*([01](?:\.\d{1,3})?)\s*$", part)
        return float(quality.group(1)) if quality else float(";" not in part)

    parts = sorted(accepted[:500].lower().split(","), key=weight, reverse=True)
    return [part.partition(";")[0].strip() for part in parts if weight(part) > 0]


class Words:
    """The words of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._texts = read(language)
        self._without_values: dict[str, Markup] = {}

    def __call__(self, key: str, **values: Any) -> Markup:
        """Return a word for a page; values are escaped unless they are markup themselves."""
        if values:
            return Markup(escape(self._form(key, values))).format(**values)
        known = self._without_values.get(key)
        if known is None:  # most words of a page have no values, and every page has dozens of them
            known = self._without_values[key] = Markup(escape(self._form(key, {}))).format()
        return known

    def plain(self, key: str, **values: Any) -> str:
        """Return a word as plain text."""
        return self._form(key, values).format(**values)

    def has(self, key: str) -> bool:
        """Tell whether there is such a word."""
        return key in self._texts

    def said(self, text: str) -> str:
        """Return a sentence of the server, written in English, in this language as far as it is known."""
        return sentences.translate(text, self.language)

    def _form(self, key: str, values: Mapping[str, Any]) -> str:
        return chosen_form(self._texts[key], values)


@cache
def words_in(language: str) -> Words:
    """Return the words of a language."""
    return Words(language)


def read(language: str) -> dict[str, Text]:
    """Return every word of a language by its full name.

    Raises:
        ValueError: If two files define the same word.
    """
    return read_texts(word_files(), language)


def word_files() -> list[Path]:
    """Return the files that hold words of pages; those of sentences are read elsewhere."""
    paths = (path for folder in web.folders("words") for path in sorted(folder.rglob("*.toml")))
    return [path for path in paths if not path.name.startswith(patterns.PREFIX)]
