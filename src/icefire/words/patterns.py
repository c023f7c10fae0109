"""Translation of sentences that are written in English in the code, by the patterns in said_LANGUAGE*.toml.

It serves sentences made where no language is known or where English is the source: messages of errors, reasons why an
attack was left out, help of the command line. A pattern may have blanks, {name}; what stands there is translated too.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from icefire.words.languages import DEFAULT

PREFIX = "said_"
MOST_TRANSLATED = 1000
"""Longer sentences hold what somebody wrote into a file, and stay as they are."""

NAMES = ("column", "columns", "attack", "data_value")
"""Blanks that hold names out of the data or the registry, which stay as they are."""

NUMBERS = ("n", "m")
"""Blanks that hold a number."""
NUMBER = r"(?:about |less than )?[\d.,]+(?: ?%)?"

CUT_LIST = re.compile(r"(?P<names>.+)(?P<tail>, … \(\d+ in all\))", re.DOTALL)
"""A list of names that was cut short: the names may stay as they are, how many there are is said in the language."""

SINGULAR = {
    "rows": "row",
    "people": "person",
    "columns": "column",
    "classes": "class",
    "members": "member",
    "others": "other",
    "groups": "group",
    "customers": "customer",
    "households": "household",
    "pseudonyms": "pseudonym",
    "cells": "cell",
    "values": "value",
    "are": "is",
    "were": "was",
    "have": "has",
    "hold": "holds",
    "stand": "stands",
    "they": "it",
    "equal": "equals",
    "match": "matches",
}
"""Words after a blank that are written otherwise where the blank is 1; one pattern serves both."""

Folders = tuple[Path, ...]


def translate(text: str, language: str, folders: Folders) -> str:
    """Translate a sentence by the first pattern that fits, and its parts likewise; the rest stays English."""
    if language == DEFAULT:
        return text
    whole, patterns = _read(language, folders)
    if text in whole:
        return whole[text]
    if len(text) > MOST_TRANSLATED:
        return text
    for start, pattern, translation in patterns:
        match = pattern.fullmatch(text) if text.startswith(start) else None
        if match:
            parts = {name: _part(name, part, language, folders) for name, part in match.groupdict().items()}
            return translation.format(**parts)
    return text


def _part(name: str, part: str, language: str, folders: Folders) -> str:
    """Translate what stands in a blank, unless it is a name."""
    cut = CUT_LIST.fullmatch(part)
    if cut:
        return _part(name, cut["names"], language, folders) + translate(cut["tail"], language, folders)
    return part if name in NAMES else translate(part, language, folders)


def whole_sentence(text: str, language: str, folders: Folders) -> str | None:
    """Return the translation of a text that stands in the files without blanks; None if there is none."""
    return _read(language, folders)[0].get(text)


@cache
def _read(language: str, folders: Folders) -> tuple[dict[str, str], tuple[tuple[str, re.Pattern[str], str], ...]]:
    """Return sentences without blanks, and of the others how each begins, its pattern and its translation."""
    paths = [path for folder in folders for path in sorted(folder.glob(f"{PREFIX}{language}*.toml"))]
    pairs = [pair for path in paths for pair in tomllib.loads(path.read_text(encoding="utf-8")).items()]
    whole = {english.format(): other.format() for english, other in pairs if not _has_blanks(english)}
    blanks = [(english, other) for english, other in pairs if _has_blanks(english)]
    # The words as they are written come first: "{n} people" shall not take "2 goods of each person".
    # Of several that fit, the one with most words of its own is meant: "{n} of {all}" fits half of all sentences.
    blanks.sort(key=lambda pair: -_own_letters(pair[0]))
    both = [
        (_start(english), _pattern(english, fit), other)
        for fit in (re.escape, _in_both_numbers)
        for english, other in blanks
    ]
    return whole, tuple(both)


def _own_letters(english: str) -> int:
    """Return how many letters stand outside of blanks."""
    return sum(len(plain) for plain, *_ in string.Formatter().parse(english))


def _has_blanks(text: str) -> bool:
    return any(name for _, name, _, _ in string.Formatter().parse(text))


def _start(english: str) -> str:
    """Return the words before the first blank."""
    return next((plain for plain, *_ in string.Formatter().parse(english)), "")


def _pattern(english: str, fit: Callable[[str], str]) -> re.Pattern[str]:
    parts = string.Formatter().parse(english)
    written = [
        (fit(plain) if place else re.escape(plain)) + (f"(?P<{name}>{_blank(name)})" if name else "")
        for place, (plain, name, _, _) in enumerate(parts)
    ]
    return re.compile("".join(written), re.DOTALL)


def _blank(name: str) -> str:
    return NUMBER if name in NUMBERS else ".+?"


def _in_both_numbers(plain: str) -> str:
    """Write words for a pattern so that they fit in the plural and in the singular."""
    return re.sub(
        "[a-z]+",
        lambda word: f"(?:{word[0]}|{SINGULAR[word[0]]})" if word[0] in SINGULAR else word[0],
        re.escape(plain),
    )
