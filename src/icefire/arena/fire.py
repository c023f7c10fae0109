"""Fire: downloading releases and handing in, once per release, which original each of its rows is."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from icefire.arena import ids, log, phases, submitting
from icefire.arena.actor import Actor
from icefire.arena.arena import Arena
from icefire.arena.errors import Absent, Clash, Refused
from icefire.arena.judge import jobs
from icefire.arena.play import ANSWERS
from icefire.arena.receipts import Receipt
from icefire.arena.scores import sight
from icefire.arena.store import fingerprint
from icefire.arena.tables import Guess, Membership, PastMembership, Release


def submit(arena: Arena, actor: Actor, release_id: str, answers: bytes) -> Receipt:
    """Take a team's answers for a release: one for ever; returns the signed receipt and never a score."""
    arrived = arena.now()  # the last byte is here
    team_id = submitting.team_of(actor)
    with arena.database.reading() as session:
        release = _target(session, arena, actor, release_id, arrived)
        if _standing(session, release_id, team_id) is not None:
            raise _had_it()
    submitting.checked(
        arena,
        team_id,
        "guess",
        {**arena.originals(release.round), ANSWERS: answers},
        check_only=True,
        targets=release.rows,
    )
    guess_id = ids.new_id()
    arena.store.put("guess", guess_id, {ANSWERS: answers})
    try:
        return _write_down(arena, actor, release_id, guess_id, answers, arrived)
    except BaseException:
        arena.store.remove("guess", guess_id)
        raise


def _write_down(
    arena: Arena, actor: Actor, release_id: str, guess_id: str, answers: bytes, arrived: datetime
) -> Receipt:
    team_id = submitting.team_of(actor)
    with arena.database.transaction() as session:
        _target(session, arena, actor, release_id, arrived)
        guess = Guess(
            id=guess_id,
            release_id=release_id,
            team_id=team_id,
            account_id=actor.account_id,
            sha256=fingerprint({ANSWERS: answers}),
            received=arrived,
        )
        _insert(session, guess)
        jobs.add(session, "guess", guess.id, arrived)
        told = {"guess": guess.id, "release": release_id, "team": team_id, "sha256": guess.sha256}
        log.write(session, arrived, actor.account_id or "", "guess", **told)
        return submitting.guess_receipt(arena, session, guess)


def _insert(session: Session, guess: Guess) -> None:
    """Write the one guess; the key in the database is what keeps a second one out.

    A guess the judge could not score was the judge's failure: its row gives way, its line in the log stays.
    """
    mine = (Guess.release_id == guess.release_id, Guess.team_id == guess.team_id)
    session.execute(delete(Guess).where(*mine, Guess.state == "failed"))
    try:
        with session.begin_nested():
            session.add(guess)
    except IntegrityError:
        raise _had_it() from None


def _standing(session: Session, release_id: str, team_id: str) -> Guess | None:
    return session.scalars(
        select(Guess).where(Guess.release_id == release_id, Guess.team_id == team_id, Guess.state != "failed")
    ).first()


def _had_it() -> Clash:
    return Clash("your team has handed in its answers for this release; there is one for each release, and it stays")


def _target(session: Session, arena: Arena, actor: Actor, release_id: str, at: datetime) -> Release:
    """Return a release this actor may attack at this instant."""
    release = session.get(Release, release_id)
    if release is None:
        raise Absent
    now = next(one for one in phases.rounds(session, arena.definition, at) if one.name == release.round)
    if not sight.Sight(actor, now, arena.definition).listed(release):
        raise Absent
    submitting.check_phase(now, "attack", "guesses are taken")
    if not release.in_play:
        raise Refused("this release was withdrawn before the attacks began")
    team_id = submitting.team_of(actor)
    submitting.check_team(session, team_id)
    if release.team_id in _ever_theirs(session, team_id) | actor.past_teams | {team_id}:
        raise Refused("this release is your own, or of a team that one of you was in; own data never count")
    return release


def _ever_theirs(session: Session, team_id: str) -> set[str]:
    """Teams that anybody of this team was ever in."""
    members = select(Membership.account_id).where(Membership.team_id == team_id)
    return set(session.scalars(select(PastMembership.team_id).where(PastMembership.account_id.in_(members))))


def download(arena: Arena, actor: Actor, release_id: str) -> dict[str, bytes]:
    """Return the files of a release that attackers get, shuffled rows and all."""
    with arena.database.reading() as session:
        release = session.get(Release, release_id)
        if release is None:
            raise Absent
        if not sight.Sight(actor, arena.round_now(session, release.round), arena.definition).file(release):
            raise Absent
    return {name: arena.store.get("release", release_id, name) for name in arena.play.handed_out}
