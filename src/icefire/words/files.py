"""Reading of word files: TOML with the languages of each text side by side.

    [home]
    title.en = "Home"
    title.ja = "ホーム"

A text with an English singular has two forms, { one = "…", other = "…" }, chosen by the value n.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from icefire.words.languages import LANGUAGES

Text = str | dict[str, str]
"""A text in one language: one form, or the forms "one" and "other"."""


def read_texts(paths: Iterable[Path], language: str) -> dict[str, Text]:
    """Return every text of a language by its full name.

    Raises:
        ValueError: If two files define the same text.
    """
    texts: dict[str, Text] = {}
    for path in paths:
        for key, by_language in _flat(tomllib.loads(path.read_text(encoding="utf-8"))):
            if key in texts:
                raise ValueError(f"{path}: the word {key} is defined in another file already; name it otherwise")
            if language in by_language:
                texts[key] = by_language[language]
    return texts


def _flat(tables: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, dict[str, Text]]]:
    for name, value in tables.items():
        if set(value) <= set(LANGUAGES):
            yield before + name, value
        else:
            yield from _flat(value, f"{before}{name}.")
