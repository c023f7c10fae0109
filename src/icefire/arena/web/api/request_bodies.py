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
    confirmed: bool = False
    """Needed to begin attack or reveal at once: what is handed out then cannot be taken back."""


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


class NewPerson(ApiModel):
    """Somebody who is to get an account; the first of a new team is its captain."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    team: Annotated[str, Field(max_length=200)] = ""
    division: Annotated[str, Field(max_length=40)] = ""
    mail: Annotated[str, Field(max_length=254)] = ""


class MakeAccounts(ApiModel):
    """People who are to get accounts: all of them, or none if something is wrong."""

    people: Annotated[list[NewPerson], Field(min_length=1, max_length=2000)]


class AcceptTerms(ApiModel):
    """The terms of the data that were read, by their hash."""

    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
