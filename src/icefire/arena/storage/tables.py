"""The tables of the database. They hold facts; boards are computed from them and stored only when frozen."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Float, ForeignKey, Integer, String, Text, TypeDecorator, UniqueConstraint
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

ID = String(32)


class Instant(TypeDecorator[datetime]):
    """A time in UTC, whatever the database makes of zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store UTC."""
        if value is None or value.tzinfo is None:
            assert value is None, "a time without a zone is refused"
            return None
        return value.astimezone(UTC)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """Return UTC."""
        if value is None:
            return None
        instant: datetime = value
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


class Base(DeclarativeBase):
    """What every table is made from."""


class AccountRow(Base):
    """Somebody who can log in."""

    __tablename__ = "account"
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    name_key: Mapped[str] = mapped_column(String(200), unique=True)
    password: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(16), default="player")
    created: Mapped[datetime] = mapped_column(Instant)
    disabled: Mapped[bool] = mapped_column(default=False)
    invited_by: Mapped[str | None] = mapped_column(ID, default=None)
    """The team whose invitation it was made with."""
    mail: Mapped[str | None] = mapped_column(String(254), default=None)
    """Where it is told of phases, if the organisers gave an address."""


class AccountAddressRow(Base):
    """That an account came from an address; only a keyed digest of the address is kept."""

    __tablename__ = "account_address"
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), primary_key=True)
    address: Mapped[str] = mapped_column(String(32), primary_key=True, index=True)
    last: Mapped[datetime] = mapped_column(Instant)


class OneTimeLinkRow(Base):
    """A link with which the owner of an account sets its password, once; only the digest of its code is kept."""

    __tablename__ = "one_time_link"
    code: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), index=True)
    expires: Mapped[datetime] = mapped_column(Instant)


class LoginIdentityRow(Base):
    """Somebody at a login provider who is let into an account here."""

    __tablename__ = "login_identity"
    issuer: Mapped[str] = mapped_column(String(200), primary_key=True)
    subject: Mapped[str] = mapped_column(String(255), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), index=True)
    shown: Mapped[str] = mapped_column(String(200), default="")
    """What the provider calls it, for the account page."""
    linked: Mapped[datetime] = mapped_column(Instant)


class AcceptedTermsRow(Base):
    """That an account has accepted the terms of the data; others, when they change, are to be accepted anew."""

    __tablename__ = "accepted_terms"
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Of the text that was accepted."""
    at: Mapped[datetime] = mapped_column(Instant)


class TeamRow(Base):
    """The unit of quota, ownership and ranking."""

    __tablename__ = "team"
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    name_key: Mapped[str] = mapped_column(String(200), unique=True)
    created: Mapped[datetime] = mapped_column(Instant)
    disqualified: Mapped[str | None] = mapped_column(Text, default=None)
    """The reason, where it is."""
    division: Mapped[str | None] = mapped_column(String(40), default=None)
    """Where the contest has divisions: the one it is ranked in."""


class MembershipRow(Base):
    """An account is in one team at most; who was in which stays written down in the log."""

    __tablename__ = "membership"
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), primary_key=True)
    team_id: Mapped[str] = mapped_column(ForeignKey("team.id"), index=True)
    captain: Mapped[bool] = mapped_column(default=False)


class PastMembershipRow(Base):
    """A team somebody was in before: its releases are never theirs to attack."""

    __tablename__ = "past_membership"
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), primary_key=True)
    team_id: Mapped[str] = mapped_column(ForeignKey("team.id"), primary_key=True)


class InviteRow(Base):
    """A code that lets somebody register, or join a team; only its digest is kept."""

    __tablename__ = "invite"
    code: Mapped[str] = mapped_column(String(64), primary_key=True)
    team_id: Mapped[str | None] = mapped_column(ForeignKey("team.id"), default=None)
    """The team it lets join; none where it lets register."""
    expires: Mapped[datetime] = mapped_column(Instant)
    uses_left: Mapped[int] = mapped_column(Integer, default=1)
    by_organiser: Mapped[bool] = mapped_column(default=False)
    """Whether an organiser made it, and not the captain of the team."""


class BrowserSessionRow(Base):
    """A browser; only the digest of its cookie is kept."""

    __tablename__ = "session"
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[str | None] = mapped_column(ForeignKey("account.id"), default=None, index=True)
    csrf: Mapped[str] = mapped_column(String(64))
    expires: Mapped[datetime] = mapped_column(Instant)


class TokenRow(Base):
    """A key for programs; only its digest is kept."""

    __tablename__ = "token"
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), index=True)
    secret: Mapped[str] = mapped_column(String(64), unique=True)
    name: Mapped[str] = mapped_column(String(80))
    created: Mapped[datetime] = mapped_column(Instant)
    expires: Mapped[datetime | None] = mapped_column(Instant, default=None)
    """None in bundles of older versions, whose tokens are not valid any more."""
    role: Mapped[str] = mapped_column(String(16), default="player")
    """The account's role when it was made: whatever the account becomes, the token may no more than this."""


class AttemptRow(Base):
    """Failed tries, by account or address; kept in the database so that a restart forgives nothing."""

    __tablename__ = "attempt"
    key: Mapped[str] = mapped_column(String(120), primary_key=True)
    failures: Mapped[int] = mapped_column(Integer, default=0)
    since: Mapped[datetime] = mapped_column(Instant)


class PhaseRow(Base):
    """When a phase of a round begins; organisers may move it."""

    __tablename__ = "phase"
    round: Mapped[str] = mapped_column(String(40), primary_key=True)
    name: Mapped[str] = mapped_column(String(16), primary_key=True)
    starts: Mapped[datetime] = mapped_column(Instant)


class SettingRow(Base):
    """Single facts about the competition: paused since when, revealed how far."""

    __tablename__ = "setting"
    name: Mapped[str] = mapped_column(String(80), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)


class QuotaRow(Base):
    """How many releases a team has in a round, and how many it ever had; counted by one conditional update."""

    __tablename__ = "quota"
    round: Mapped[str] = mapped_column(String(40), primary_key=True)
    team_id: Mapped[str] = mapped_column(ForeignKey("team.id"), primary_key=True)
    used: Mapped[int] = mapped_column(Integer, default=0)
    submitted: Mapped[int] = mapped_column(Integer, default=0)


class ReleaseRow(Base):
    """A release handed in; what is handed out lies in the store, its truth in the vault, both under this id."""

    __tablename__ = "release"
    __table_args__ = (UniqueConstraint("round", "team_id", "number"), UniqueConstraint("round", "label"))
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    round: Mapped[str] = mapped_column(String(40), index=True)
    team_id: Mapped[str] = mapped_column(ForeignKey("team.id"), index=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"))
    number: Mapped[int] = mapped_column(Integer)
    label: Mapped[str] = mapped_column(String(16))
    """What strangers call it before the reveal."""
    sha256: Mapped[str] = mapped_column(String(64))
    """Of the files as they were handed in; it is on the receipt."""
    content: Mapped[str] = mapped_column(String(64), index=True)
    """Of the released rows in sorted order: two teams with the same one handed in the same table."""
    rows: Mapped[int] = mapped_column(Integer)
    received: Mapped[datetime] = mapped_column(Instant)
    withdrawn: Mapped[datetime | None] = mapped_column(Instant, default=None)
    in_play: Mapped[bool] = mapped_column(default=True)
    """False if it was withdrawn while releases were still taken; later it stays in play, withdrawn or not."""
    state: Mapped[str] = mapped_column(String(16), default="waiting")
    """waiting, judged, refused (breaks a limit); failed only in competitions judged by an older version."""
    note: Mapped[str] = mapped_column(Text, default="")
    log_line: Mapped[int | None] = mapped_column(Integer, default=None)
    """Number of the line of the log that tells of it; its hash is on the receipt."""
    removed: Mapped[datetime | None] = mapped_column(Instant, default=None)
    """When its files were removed, after the retention of withdrawn releases."""


class GuessRow(Base):
    """A team's answers for one release: one, for ever."""

    __tablename__ = "guess"
    __table_args__ = (UniqueConstraint("release_id", "team_id"),)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    release_id: Mapped[str] = mapped_column(ForeignKey("release.id"), index=True)
    team_id: Mapped[str] = mapped_column(ForeignKey("team.id"), index=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"))
    sha256: Mapped[str] = mapped_column(String(64))
    received: Mapped[datetime] = mapped_column(Instant)
    state: Mapped[str] = mapped_column(String(16), default="waiting")
    note: Mapped[str] = mapped_column(Text, default="")
    log_line: Mapped[int | None] = mapped_column(Integer, default=None)


class MeasuredRow(Base):
    """The value of one measure of one release; None where it has none."""

    __tablename__ = "measured"
    release_id: Mapped[str] = mapped_column(ForeignKey("release.id"), primary_key=True)
    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[float | None] = mapped_column(Float)
    note: Mapped[str] = mapped_column(Text, default="")


class IdentifiedRow(Base):
    """What one attack achieved on one release: a sample, AYA, or a team's guess."""

    __tablename__ = "identified"
    release_id: Mapped[str] = mapped_column(ForeignKey("release.id"), primary_key=True)
    source: Mapped[str] = mapped_column(String(16), primary_key=True)
    """sample, aya or team."""
    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    """The attack, or the team's id."""
    hits: Mapped[int] = mapped_column(Integer)
    targets: Mapped[int] = mapped_column(Integer)
    rate: Mapped[float] = mapped_column(Float)


class JobRow(Base):
    """Something for the judge to do; the row is written with what it is about, in one transaction."""

    __tablename__ = "job"
    __table_args__ = (UniqueConstraint("kind", "about"),)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    about: Mapped[str] = mapped_column(ID)
    state: Mapped[str] = mapped_column(String(16), default="waiting", index=True)
    """waiting, running, done; failed only in competitions judged by an older version."""
    created: Mapped[datetime] = mapped_column(Instant)
    worker: Mapped[str | None] = mapped_column(String(40), default=None)
    lease: Mapped[datetime | None] = mapped_column(Instant, default=None)
    """Until when the worker has it; a dead worker's job is taken over after that."""
    tries: Mapped[int] = mapped_column(Integer, default=0)
    error: Mapped[str] = mapped_column(Text, default="")
    not_before: Mapped[datetime | None] = mapped_column(Instant, default=None)
    """After a failure of the judge: when it is tried again."""


class EventRow(Base):
    """One line of the log; each holds the hash of the one before. The hashes are made with the competition's key."""

    __tablename__ = "event"
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column(Instant)
    actor: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(40), index=True)
    body: Mapped[Any] = mapped_column(JSON)
    before: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))


class DeliveryRow(Base):
    """A message to somebody outside: by mail, or to the organisers' own server (webhook)."""

    __tablename__ = "delivery"
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    """mail or webhook."""
    target: Mapped[str] = mapped_column(String(254))
    """The address it goes to."""
    body: Mapped[Any] = mapped_column(JSON)
    created: Mapped[datetime] = mapped_column(Instant)
    state: Mapped[str] = mapped_column(String(16), default="waiting", index=True)
    """waiting, sent, or given_up after the last try."""
    tries: Mapped[int] = mapped_column(Integer, default=0)
    not_before: Mapped[datetime] = mapped_column(Instant)
    """When it is tried next; whoever tries it puts this off first, so that nobody else does."""
    error: Mapped[str] = mapped_column(Text, default="")


class AnnouncementRow(Base):
    """Something the organisers tell everybody."""

    __tablename__ = "announcement"
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    at: Mapped[datetime] = mapped_column(Instant)
    text: Mapped[str] = mapped_column(Text)


class SnapshotRow(Base):
    """A board as it was when it was frozen."""

    __tablename__ = "snapshot"
    round: Mapped[str] = mapped_column(String(40), primary_key=True)
    taken: Mapped[datetime] = mapped_column(Instant)
    body: Mapped[Any] = mapped_column(JSON)
