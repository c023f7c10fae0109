"""The languages, and the one in use: chosen for a context, else by ICEFIRE_LANG, else English.

The locale of the machine is not asked: a report is written for its readers, and the same command shall write the same
report everywhere.
"""

from __future__ import annotations

import os
import re
from contextvars import ContextVar

LANGUAGES = {"en": "English", "ja": "日本語"}
DEFAULT = "en"
VARIABLE = "ICEFIRE_LANG"
"""Environment variable that chooses the language where nothing else does."""

_chosen: ContextVar[str | None] = ContextVar("icefire_language", default=None)


def current_language() -> str:
    """Return the code of the language in use.

    Raises:
        ValueError: If ICEFIRE_LANG names a language there is not.
    """
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    asked = os.environ.get(VARIABLE, "")
    return language_code(asked, VARIABLE) if asked else DEFAULT


def language_code(asked: str, name: str = "language") -> str:
    """Return the code of a language named as people name it: ja, JA, ja-JP, ja_JP.UTF-8.

    Args:
        asked: The language asked for.
        name: What it was asked with, for the error message.

    Raises:
        ValueError: If there is no such language.
    """
    code = re.split(r"[-_.]", asked.strip().lower())[0]
    if code not in LANGUAGES:
        raise ValueError(f"{name}: there is no language {asked!r}; there are {', '.join(LANGUAGES)}")
    return code


class use_language:  # noqa: N801
    """Write verdicts, reports and other texts in this language: from now on, or inside a `with` block.

    The texts of a verdict are written by the audit, so audit and report belong into the block both.

    Args:
        language: Code of the language: "en" or "ja".

    Returns:
        A context manager; the former language holds again after its block.

    Raises:
        ValueError: If there is no such language.
    """

    def __init__(self, language: str) -> None:
        self._former = _chosen.get()
        self._own = language_code(language)
        _chosen.set(self._own)

    def __enter__(self) -> None:
        _chosen.set(self._own)

    def __exit__(self, *_: object) -> None:
        _chosen.set(self._former)
