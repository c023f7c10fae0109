"""Bodies of requests, apart from files. The docstrings stand in the OpenAPI description."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from icefire.arena.web.api.models import ApiModel

Id = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
LongText = Annotated[str, Field(min_length=1, max_length=4000)]


class TokenWanted(ApiModel):
    """Name and password, for a token."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    password: Annotated[str, Field(min_length=1, max_length=1000)]
    label: Annotated[str, Field(max_length=80, pattern=r"^[^\x00-\x1f]*$")] = "program"
    """What you call it on your account page."""


class Announce(ApiModel):
    """What to tell everybody."""

    text: LongText


class MovePhase(ApiModel):
    """Have a phase begin at another time; `minutes` moves it and all later ones of the round by so many."""

    round: str
    phase: Literal["anonymise", "freeze", "attack", "reveal"]
    at: datetime | None = None
    """With an offset; at once if neither this nor minutes is given."""
    minutes: Annotated[int, Field(ge=1, le=60 * 24 * 366)] | None = None


class Disqualify(ApiModel):
    """Take a team out of the ranking."""

    team: Id
    reason: LongText


class Reinstate(ApiModel):
    """Let a team back in."""

    team: Id


class Rescore(ApiModel):
    """What to judge again: one of the three."""

    release: Id | None = None
    guess: Id | None = None
    round: str | None = None
