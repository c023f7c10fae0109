"""Translation of the sentences the server writes in English, mostly refusals, by the patterns in words/said_*.toml."""

from __future__ import annotations

import re
import string
import tomllib
from functools import cache

from icefire.arena import web

PREFIX = "said_"
MOST_TRANSLATED = 1000
"""Longer sentences hold what somebody wrote into a file, and stay as they are."""


def translate(text: str, language: str) -> str:
    """Translate a sentence by the first pattern that fits, and its parts likewise; the rest stays English."""
    if len(text) > MOST_TRANSLATED:
        return text
    for start, pattern, translation in _patterns(language):
        match = pattern.fullmatch(text) if text.startswith(start) else None
        if match:
            return translation.format(**{name: translate(part, language) for name, part in match.groupdict().items()})
    return text


@cache
def _patterns(language: str) -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """Return how each sentence begins, its pattern and its translation."""
    paths = [folder / f"{PREFIX}{language}.toml" for folder in web.folders("words")]
    texts = [path.read_text(encoding="utf-8") for path in paths if path.exists()]
    translations: list[tuple[str, str]] = [pair for text in texts for pair in tomllib.loads(text).items()]
    return tuple((english.partition("{")[0], _pattern(english), other) for english, other in translations)


def _pattern(english: str) -> re.Pattern[str]:
    parts = string.Formatter().parse(english)
    return re.compile(
        "".join(re.escape(plain) + (f"(?P<{name}>.+?)" if name else "") for plain, name, _, _ in parts), re.DOTALL
    )
