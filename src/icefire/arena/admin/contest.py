"""Announcements, pauses, divisions, disqualification, and judging a submission again."""

from __future__ import annotations

import unicodedata
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.admin.permissions import acting
from icefire.arena.auth import teams
from icefire.arena.auth.actor import Actor
from icefire.arena.contest import phases
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Absent, Clash, WrongInput
from icefire.arena.storage import jobs, log
from icefire.arena.storage.tables import AnnouncementRow, GuessRow, ReleaseRow, TeamRow

MOST_TEXT = 4000


def announce(arena: Arena, actor: Actor, text: str) -> AnnouncementRow:
    """Tell everybody something."""
    shown = clean_text(text, "announcement")
    with acting(arena, actor) as session:
        return tell(session, arena, actor, shown)


def tell(session: Session, arena: Arena, actor: Actor, text: str) -> AnnouncementRow:
    """Write an announcement in the transaction of what it is about."""
    announcement = AnnouncementRow(id=ids.new_id(), at=arena.now(), text=text)
    session.add(announcement)
    log.write(session, announcement.at, actor.account_id or "", "announcement", announcement=announcement.id)
    return announcement


def clean_text(text: str, what: str) -> str:
    """Return words that can be shown: no control characters but the end of a line, not empty, not endless."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = (letter for letter in lines if letter == "\n" or unicodedata.category(letter) not in ("Cc", "Cs"))
    shown = "".join(kept).strip()
    if not shown or len(shown) > MOST_TEXT:
        raise WrongInput(f"the {what} has {len(shown):,} characters; it takes 1 to {MOST_TEXT:,}")
    return shown


def pause(arena: Arena, actor: Actor) -> None:
    """Stop the clock of every phase; nothing is taken until it goes on."""
    with acting(arena, actor) as session:
        if phases.paused_since(session) is not None:
            raise Clash("the competition is paused already")
        phases.pause(session, arena.now())
        log.write(session, arena.now(), actor.account_id or "", "pause")
        tell(session, arena, actor, "The competition is paused. All clocks stand still until it goes on.")


def resume(arena: Arena, actor: Actor) -> timedelta:
    """Go on; whatever had not begun begins later by the length of the pause, which is returned."""
    with acting(arena, actor) as session:
        if phases.paused_since(session) is None:
            raise Clash("the competition is not paused")
        stood = phases.resume(session, arena.now())
        starts = {r.name: {name: at.isoformat() for name, at in r.starts.items()} for r in arena.rounds(session)}
        pause = {"seconds": stood.total_seconds(), "starts": starts}
        log.write(session, arena.now(), actor.account_id or "", "resume", **pause)
        later = timedelta(seconds=round(stood.total_seconds()))
        tell(session, arena, actor, f"The competition goes on. Whatever had not begun yet begins {later} later.")
        return stood


def disqualify(arena: Arena, actor: Actor, team_id: str, reason: str) -> None:
    """Take a team out of every ranking; the reason is shown. What it handed in stays, and so do attacks on it."""
    shown = clean_text(reason, "reason")
    with acting(arena, actor) as session:
        team = _team(session, team_id)
        if team.disqualified is not None:
            raise Clash("this team is disqualified already; reinstate it first to change the reason")
        team.disqualified = shown
        log.write(session, arena.now(), actor.account_id or "", "disqualified", team=team.id, reason=shown)


def reinstate(arena: Arena, actor: Actor, team_id: str) -> None:
    """Let a disqualified team back in."""
    with acting(arena, actor) as session:
        team = _team(session, team_id)
        if team.disqualified is None:
            raise Clash("this team is not disqualified")
        team.disqualified = None
        log.write(session, arena.now(), actor.account_id or "", "disqualified", team=team.id, reinstated=True)


def set_division(arena: Arena, actor: Actor, team_id: str, division: str) -> None:
    """Put a team into another division."""
    with acting(arena, actor) as session:
        team = _team(session, team_id)
        team.division = teams.checked_division(arena.definition, division)
        log.write(session, arena.now(), actor.account_id or "", "division", team=team.id, division=team.division)


def _team(session: Session, team_id: str) -> TeamRow:
    team = session.get(TeamRow, team_id, with_for_update=True)
    if team is None:
        raise Absent
    return team


def rescore(
    arena: Arena,
    actor: Actor,
    *,
    release_id: str | None = None,
    guess_id: str | None = None,
    round_name: str | None = None,
) -> int:
    """Have one release, one guess, or all of a round judged again, from the files kept; returns how many jobs.

    The judge's draws repeat themselves, so the result is the same unless the rules or the judge have changed.
    """
    about = {"release": release_id, "guess": guess_id, "round": round_name}
    given = {name: value for name, value in about.items() if value is not None}
    if len(given) != 1:
        raise WrongInput("name one thing to judge again: a release, a guess, or a round")
    if round_name is not None:
        arena.round(round_name)
    with acting(arena, actor, judges=True) as session:
        wanted = _wanted(session, release_id, guess_id, round_name)
        for kind, one in wanted:
            jobs.again(session, kind, one, arena.now())
        log.write(session, arena.now(), actor.account_id or "", "rescored", jobs=len(wanted), **given)
        return len(wanted)


def _wanted(
    session: Session, release_id: str | None, guess_id: str | None, round_name: str | None
) -> list[tuple[jobs.JobKind, str]]:
    if round_name is None:
        table, one = (ReleaseRow, release_id) if release_id is not None else (GuessRow, guess_id)
        row = session.get(table, one)
        if row is None:
            raise Absent
        if isinstance(row, ReleaseRow) and row.removed is not None:
            raise Clash("the files of this release were removed after it was withdrawn; it cannot be judged again")
        return [("judge" if table is ReleaseRow else "guess", str(one))]
    kept = (ReleaseRow.round == round_name, ReleaseRow.removed.is_(None))
    releases = session.scalars(select(ReleaseRow.id).where(*kept)).all()
    guesses = session.scalars(select(GuessRow.id).join(ReleaseRow).where(ReleaseRow.round == round_name)).all()
    return [
        ("reference", jobs.reference_of(round_name)),
        *(("judge", one) for one in releases),
        *(("guess", one) for one in guesses),
    ]
