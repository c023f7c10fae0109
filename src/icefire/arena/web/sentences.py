"""Translation of the sentences the server writes in English, mostly refusals, by the patterns in words/said_*.toml."""

from __future__ import annotations

from icefire import words
from icefire.arena import web
from icefire.words import patterns


def translate(text: str, language: str) -> str:
    """Translate a sentence by the first pattern that fits, those of the arena first; the rest stays English."""
    return patterns.translate(text, language, (*web.folders("words"), words.FOLDER))
