"""Downloading releases, and handing in one guess for each (fire)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.auth import accepted_terms, shared_people
from icefire.arena.auth.actor import Actor
from icefire.arena.boards import visibility
from icefire.arena.contest import phases
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.signing import Receipt
from icefire.arena.errors import Absent, Clash, Refused
from icefire.arena.operations import metrics
from icefire.arena.storage import jobs, log
from icefire.arena.storage.store import fingerprint
from icefire.arena.storage.tables import GuessRow, ReleaseRow
from icefire.arena.submit import checks, receipts
from icefire.contests.common.game import ANSWERS


@metrics.counting_submissions("guess")
def submit(arena: Arena, actor: Actor, release_id: str, answers: bytes, arrived: datetime | None = None) -> Receipt:
    """Take a team's answers for a release: one for ever; returns the signed receipt and never a score.

    `arrived` is when the last byte came; now, if it is not given.
    """
    arrived = arrived or arena.now()
    team_id = checks.team_of(actor)
    with arena.database.reading() as session:
        release = check_target(session, arena, actor, release_id, arrived)
    checks.check_room(arena, len(answers))
    checks.checked(
        arena,
        team_id,
        "guess",
        {**arena.originals(release.round), ANSWERS: answers},
        check_only=True,
        targets=release.rows,
    )
    guess_id = ids.new_id()
    try:
        with checks.stored_or_refused():
            arena.store.put("guess", guess_id, {ANSWERS: answers})
            return _write_down(arena, actor, release_id, guess_id, answers, arrived)
    except BaseException:
        arena.store.remove("guess", guess_id)
        raise


def check_target(session: Session, arena: Arena, actor: Actor, release_id: str, at: datetime) -> ReleaseRow:
    """Return a release this actor may attack at this instant and has not attacked yet."""
    release = _target(session, arena, actor, release_id, at)
    if _standing(session, release_id, checks.team_of(actor)) is not None:
        raise _had_it()
    return release


def _write_down(
    arena: Arena, actor: Actor, release_id: str, guess_id: str, answers: bytes, arrived: datetime
) -> Receipt:
    team_id = checks.team_of(actor)
    with arena.database.transaction() as session:
        _target(session, arena, actor, release_id, arrived)
        guess = GuessRow(
            id=guess_id,
            release_id=release_id,
            team_id=team_id,
            account_id=actor.account_id,
            sha256=fingerprint({ANSWERS: answers}),
            received=arrived,
        )
        _insert(session, guess)
        jobs.add(session, "guess", guess.id, arrived)
        logged = {"guess": guess.id, "release": release_id, "team": team_id, "sha256": guess.sha256}
        guess.log_line = log.write(session, arrived, actor.account_id or "", "guess", **logged).number
        return receipts.guess_receipt(arena, session, guess)


def _insert(session: Session, guess: GuessRow) -> None:
    """Write the one guess; the key in the database is what keeps a second one out.

    A guess the judge could not score was the judge's failure: its row gives way, its line in the log stays.
    """
    mine = (GuessRow.release_id == guess.release_id, GuessRow.team_id == guess.team_id)
    session.execute(delete(GuessRow).where(*mine, GuessRow.state == "failed"))
    try:
        with session.begin_nested():
            session.add(guess)
    except IntegrityError:
        raise _had_it() from None


def _standing(session: Session, release_id: str, team_id: str) -> GuessRow | None:
    return session.scalars(
        select(GuessRow).where(
            GuessRow.release_id == release_id, GuessRow.team_id == team_id, GuessRow.state != "failed"
        )
    ).first()


def _had_it() -> Clash:
    return Clash("your team has handed in its answers for this release; there is one for each release, and it stays")


def _target(session: Session, arena: Arena, actor: Actor, release_id: str, at: datetime) -> ReleaseRow:
    """Return a release this actor may attack at this instant."""
    release = session.get(ReleaseRow, release_id)
    if release is None:
        raise Absent
    now = next(one for one in phases.rounds(session, arena.definition, at) if one.name == release.round)
    if not visibility.Visibility(actor, now, arena.definition).listed(release):
        raise Absent
    checks.check_phase(now, "attack", "guesses are taken")
    if not release.in_play:
        raise Refused("this release was withdrawn before the attacks began")
    team_id = checks.team_of(actor)
    checks.check_team(session, team_id)
    if release.team_id == team_id or shared_people.shared(session, release.team_id, team_id):
        raise Refused("this release is your own, or of a team that has had somebody of yours; own data never count")
    return release


def download(arena: Arena, actor: Actor, release_id: str) -> dict[str, bytes]:
    """Return the files of a release that attackers get, shuffled rows and all."""
    with arena.database.reading() as session:
        release = session.get(ReleaseRow, release_id)
        if release is None or release.removed is not None:
            raise Absent
        if not visibility.Visibility(actor, arena.round_now(session, release.round), arena.definition).file(release):
            raise Absent
        accepted_terms.check(session, arena, actor)
    return {name: arena.store.get("release", release_id, name) for name in arena.game.handed_out}
