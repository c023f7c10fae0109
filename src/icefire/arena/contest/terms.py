"""The terms of the data: what whoever downloads it has to accept first, in one language or several."""

from __future__ import annotations

import hashlib
import json

from icefire.arena.contest.definition import Definition
from icefire.words.languages import DEFAULT


def texts(definition: Definition) -> dict[str, str]:
    """Return the terms by language; none if there are none."""
    given = definition.terms
    return ({DEFAULT: given} if given.strip() else {}) if isinstance(given, str) else dict(given)


def text(definition: Definition, language: str) -> str:
    """Return the terms in a language or, if they are not written in it, in the first one that they are written in."""
    every = texts(definition)
    return every.get(language) or next(iter(every.values()), "")


def sha256(definition: Definition) -> str:
    """Return what stands for exactly these terms, in all their languages."""
    return hashlib.sha256(json.dumps(texts(definition), sort_keys=True, ensure_ascii=False).encode()).hexdigest()
