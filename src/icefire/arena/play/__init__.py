"""How each contest is played: which files a team hands in, what is handed out, and how both are scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from icefire import contests
from icefire.arena.play.game import (
    ANSWERS,
    CORRESPONDENCE,
    CUSTOMERS,
    ORIGINAL,
    ORIGINAL_CUSTOMERS,
    RELEASED,
    TARGETS,
    TRUTH,
    Asked,
    Play,
    Published,
)
from icefire.arena.play.histories import HistoryPlay
from icefire.arena.play.surveys import SurveyPlay
from icefire.arena.play.tables import TablePlay

__all__ = [
    "ANSWERS",
    "CORRESPONDENCE",
    "CUSTOMERS",
    "ORIGINAL",
    "ORIGINAL_CUSTOMERS",
    "RELEASED",
    "TARGETS",
    "TRUTH",
    "Asked",
    "Play",
    "Published",
    "build",
]


def build(rules: str, custom: Mapping[str, Any] | None = None, limits: Mapping[str, float] | None = None) -> Play:
    """Return how a contest is played, known by name or, for "custom", by its table; `limits` are the organiser's."""
    found = contests.get_or_build(rules, custom)
    bounds = limits or {}
    if "subject" in found.reading:
        return HistoryPlay(found, bounds)
    return SurveyPlay(found, bounds) if found.name == "pwscup2021" else TablePlay(found, bounds)
