"""What the API says, as a program sees it. Null is what is hidden, or not there (yet)."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """What all of them have in common: nothing unknown is taken, and dataclasses can be shown."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)


class Problem(Model):
    """Why something was refused: one sentence and, for files, each problem with its row and column."""

    error: str
    problems: list[str] = []


class Next(Model):
    """The phase that comes next."""

    phase: str
    starts: datetime


class Round(Model):
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


class Contest(Model):
    """A competition: what is played, and where it stands."""

    title: str
    description: str
    rules: str
    zone: str
    registration: Literal["open", "invite", "organiser"]
    team_names: Literal["shown", "hidden"]
    releases_per_team: int
    submissions_per_team: int
    max_upload_mb: int
    ranking: Literal["normalised", "rank_sum"]
    limits: dict[str, float]
    handed_in: list[str]
    """Files of a submission."""
    handed_out: list[str]
    """Files of a release that attackers get."""
    measures: list[str]
    utilities: list[str]
    attacks: list[str]
    current: str
    """The round people are busy with."""
    rounds: list[Round]
    now: datetime
    """The server's time; no other counts."""
    version: str


class Rounds(Model):
    """All rounds in order."""

    rounds: list[Round]


class Found(Model):
    """What one attack achieved on one release."""

    source: Literal["sample", "aya", "team"]
    name: str
    shown: str
    hits: int
    targets: int
    rate: float


class Release(Model):
    """A release."""

    id: str
    label: str
    round: str
    number: int | None
    team_id: str | None
    team: str | None
    own: bool
    rows: int
    received: datetime | None
    withdrawn: datetime | None
    in_play: bool
    state: str
    note: str
    measures: dict[str, float | None] | None
    found: list[Found] | None
    twin: bool
    """Another team handed in the same table; only judges are told."""


class ReleaseHere(Release):
    """A release and what can be done with it now."""

    files: list[str] = []
    """What may be downloaded."""
    attackable: bool = False
    """Whether your team may hand in a guess for it."""
    waiting: int | None = None
    """Its place in the judge's queue, for its own team."""


class Releases(Model):
    """The releases of a round that may be seen now."""

    round: str
    releases: list[ReleaseHere]


class Team(Model):
    """A team."""

    id: str
    name: str
    disqualified: str | None


class Teams(Model):
    """Every team, by name."""

    teams: list[Team]


class Quota(Model):
    """What a team has used of what it may."""

    used: int
    most: int
    submitted: int
    most_submitted: int
    left: int


class Guess(Model):
    """Your team's answers for a release."""

    id: str | None
    release_id: str
    label: str
    received: datetime
    state: str
    found: Found | None


class Member(Model):
    """Somebody of the team."""

    name: str
    captain: bool


class MyTeam(Model):
    """Your own team in a round."""

    id: str
    name: str
    disqualified: str | None
    round: str
    members: list[Member]
    quota: Quota
    releases: list[ReleaseHere]
    guesses: list[Guess]


class Exported(Model):
    """A table: a list of rows, each with every column."""

    what: str
    round: str | None
    columns: list[str]
    rows: list[dict[str, str | int | float | bool | None]]


class Announcement(Model):
    """Something the organisers tell everybody."""

    id: str
    at: datetime
    text: str


class Announcements(Model):
    """All of them, newest first."""

    announcements: list[Announcement]


class Receipt(Model):
    """The signed promise that something was received."""

    kind: Literal["release", "guess"]
    id: str
    round: str
    label: str
    team: str
    sha256: str
    at: str
    key: str
    signature: str


class Key(Model):
    """The public key receipts are signed with: Ed25519, base64."""

    public_key: str


class TokenMade(Model):
    """A new token; it is shown this one time."""

    id: str
    token: str


class Rescored(Model):
    """How many jobs were queued."""

    jobs: int


class Done(Model):
    """It was done."""

    done: Literal[True] = True
