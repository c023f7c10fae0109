"""The texts of the charts, in the languages of the arena."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = ("en", "ja")


@dataclass(frozen=True, slots=True)
class ChartWords:
    """Sentences by name: `say("tradeoff.title")`."""

    texts: dict[str, str]

    def __call__(self, key: str, **values: Any) -> str:
        """Return a sentence with its blanks filled in."""
        return self.texts[key].format_map(values)


@cache
def chart_words(language: str) -> ChartWords:
    """Return the words of a language; English where there is none."""
    name = language if language in LANGUAGES else LANGUAGES[0]
    text = files("icefire.arena.charts").joinpath(f"words_{name}.toml").read_text(encoding="utf-8")
    return ChartWords(dict(_flat(tomllib.loads(text))))


def _flat(table: dict[str, Any], before: str = "") -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            pairs += _flat(value, f"{before}{name}.")
        else:
            pairs.append((f"{before}{name}", value))
    return pairs
