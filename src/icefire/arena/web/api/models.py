"""Bodies of responses, beside the records of boards, quotas and receipts, which are sent as they are.

Null is what is hidden, or not there (yet).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from icefire.arena.boards.facts import AttackFacts, ReleaseFacts, TeamFacts
from icefire.arena.boards.matrix import MatrixCell
from icefire.arena.contest.quotas import QuotaNow


class ApiModel(BaseModel):
    """The base of all models: unknown fields are refused, and values can be read from database rows."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)


class Refusal(ApiModel):
    """Why something was refused: one sentence and, for files, each problem with its row and column."""

    error: str
    problems: list[str] = []


class Next(ApiModel):
    """The phase that comes next."""

    phase: str
    starts: datetime


class RoundHere(ApiModel):
    """A round as it stands now."""

    name: str
    phase: Literal["before", "anonymise", "freeze", "attack", "reveal"]
    starts: dict[str, datetime]
    next: Next | None
    paused: bool
    revealed: bool
    weight: float
    files: list[str]
    """Its original data."""


class ContestHere(ApiModel):
    """A competition: what is played, and where it stands."""

    title: str
    description: str
    rules: str
    zone: str
    registration: Literal["open", "invite", "organiser"]
    team_names: Literal["shown", "hidden"]
    members_per_team: int | None
    """Null where there is no limit."""
    divisions: list[str]
    terms: dict[str, str]
    """What is to be accepted before data is downloaded, by language; empty if nothing is."""
    terms_sha256: str
    """To be sent back to accept them."""
    releases_per_team: int
    submissions_per_team: int
    max_upload_mb: int
    ranking: Literal["normalised", "rank_sum", "score"]
    """score: by the contest's own."""
    limits: dict[str, float]
    formulas: Literal["refuse", "escape"]
    """What is done with text cells of releases that a spreadsheet would run."""
    custom: dict[str, Any] | None
    """The organiser's own contest, where the rules are "custom"."""
    handed_in: list[str]
    """Files of a submission."""
    handed_out: list[str]
    """Files of a release that attackers get."""
    measures: list[str]
    utilities: list[str]
    attacks: list[str]
    current: str
    """The round people are busy with."""
    rounds: list[RoundHere]
    now: datetime
    """The server's time; no other counts."""
    version: str


class Rounds(ApiModel):
    """All rounds in order."""

    rounds: list[RoundHere]


@dataclass(frozen=True, slots=True)
class ReleaseHere(ReleaseFacts):
    """A release and what can be done with it now."""

    files: tuple[str, ...] = ()
    """What may be downloaded."""
    attackable: bool = False
    """Whether your team may hand in a guess for it."""
    waiting: int | None = None
    """Its place in the judge's queue, for its own team."""


class Releases(ApiModel):
    """The releases of a round that may be seen now."""

    round: str
    releases: list[ReleaseHere]


class MatrixHere(ApiModel):
    """Attackers (rows) against releases (columns)."""

    round: str
    attackers: tuple[TeamFacts, ...]
    releases: list[ReleaseHere]
    cells: tuple[tuple[MatrixCell, ...], ...]


class Teams(ApiModel):
    """Every team, by name."""

    teams: list[TeamFacts]


class OwnGuess(ApiModel):
    """Your team's answers for a release."""

    id: str | None
    release_id: str
    label: str
    received: datetime
    state: str
    found: AttackFacts | None


class Member(ApiModel):
    """Somebody of the team."""

    name: str
    captain: bool


class MyTeam(ApiModel):
    """Your own team in a round."""

    id: str
    name: str
    disqualified: str | None
    round: str
    members: list[Member]
    quota: QuotaNow
    releases: list[ReleaseHere]
    guesses: list[OwnGuess]


class Exported(ApiModel):
    """A table: a list of rows, each with every column."""

    what: str
    round: str | None
    columns: list[str]
    rows: list[dict[str, str | int | float | bool | None]]


class Announcement(ApiModel):
    """Something the organisers tell everybody."""

    id: str
    at: datetime
    text: str


class Announcements(ApiModel):
    """All of them, newest first."""

    announcements: list[Announcement]


class Key(ApiModel):
    """The public key receipts are signed with: Ed25519, base64."""

    public_key: str


class TokenMade(ApiModel):
    """A new token; it is shown this one time."""

    id: str
    token: str
    expires: datetime | None
    """When it ends by itself."""


class AccountLink(ApiModel):
    """A link with which the owner of an account sets its password, once; it is shown this one time."""

    id: str
    """Of the account."""
    name: str
    link: str
    expires: datetime


class NewLinks(ApiModel):
    """The new accounts with their links."""

    accounts: list[AccountLink]


class Rescored(ApiModel):
    """How many jobs were queued."""

    jobs: int


class Done(ApiModel):
    """It was done."""

    done: Literal[True] = True
