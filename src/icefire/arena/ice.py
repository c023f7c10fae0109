"""Ice: handing in a release with its correspondence, and withdrawing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from icefire.arena import ids, log, phases, submitting
from icefire.arena.actor import Actor
from icefire.arena.arena import Arena
from icefire.arena.errors import Absent, Clash, Refused, WrongInput
from icefire.arena.judge import jobs
from icefire.arena.judge.sandbox import Outcome
from icefire.arena.play import TRUTH
from icefire.arena.receipts import Receipt
from icefire.arena.store import Shelf, fingerprint
from icefire.arena.tables import Quota, Release, Team

SHELVES: tuple[Shelf, ...] = ("handed", "release", "truth")
"""Where the files of a release lie."""


@dataclass(frozen=True, slots=True)
class QuotaNow:
    """What a team has used of what it may."""

    used: int
    most: int
    submitted: int
    most_submitted: int

    @property
    def left(self) -> int:
        """How many releases it may hand in right now."""
        return max(0, min(self.most - self.used, self.most_submitted - self.submitted))


def quota(session: Session, arena: Arena, round_name: str, team_id: str) -> QuotaNow:
    """Return a team's quota in a round."""
    found = session.get(Quota, (round_name, team_id))
    most, altogether = arena.definition.releases_per_team, arena.definition.submissions_per_team
    return QuotaNow(found.used if found else 0, most, found.submitted if found else 0, altogether)


def submit(arena: Arena, actor: Actor, round_name: str, handed: Mapping[str, bytes]) -> Receipt:
    """Take a release in: check it, shuffle it, store it, and queue it for the judge; returns the signed receipt.

    What is wrong with the files is told with row and column and costs nothing but a place in a rate limit.
    """
    arrived = arena.now()  # the last byte is here
    team_id = submitting.team_of(actor)
    with arena.database.reading() as session:
        _check_open(session, arena, round_name, team_id, arrived)
        if quota(session, arena, round_name, team_id).left == 0:
            raise _used_up(arena)
    _check_names(arena, handed)
    release_id = ids.new_id()
    taken = _receive(arena, team_id, round_name, release_id, handed)
    _put(arena, release_id, handed, taken)
    try:
        return _write_down(arena, actor, round_name, release_id, handed, taken, arrived)
    except BaseException:
        for shelf in SHELVES:
            arena.store.remove(shelf, release_id)
        raise


def _check_open(session: Session, arena: Arena, round_name: str, team_id: str, at: datetime) -> None:
    arena.round(round_name)
    now = next(one for one in phases.rounds(session, arena.definition, at) if one.name == round_name)
    submitting.check_phase(now, "anonymise", "releases are taken")
    submitting.check_team(session, team_id)


def _check_names(arena: Arena, handed: Mapping[str, bytes]) -> None:
    wanted = arena.play.handed_in
    if set(handed) != set(wanted):
        raise WrongInput(f"a submission has the files {', '.join(wanted)}; these came: {', '.join(handed) or 'none'}")


def _receive(arena: Arena, team_id: str, round_name: str, release_id: str, handed: Mapping[str, bytes]) -> Outcome:
    given: dict[str, bytes | Path] = {**arena.originals(round_name), **handed}
    seed = arena.signer.seed(f"shuffle {release_id}")
    return submitting.checked(arena, team_id, "receive", given, seed=seed)


def _put(arena: Arena, release_id: str, handed: Mapping[str, bytes], taken: Outcome) -> None:
    arena.store.put("handed", release_id, handed)
    arena.store.put("release", release_id, {name: taken.files[name] for name in arena.play.handed_out})
    arena.store.put("truth", release_id, {TRUTH: taken.files[TRUTH]})


def _write_down(
    arena: Arena,
    actor: Actor,
    round_name: str,
    release_id: str,
    handed: Mapping[str, bytes],
    taken: Outcome,
    arrived: datetime,
) -> Receipt:
    """Use up the quota, write the release and its job: one transaction, and only after it a receipt."""
    team_id = submitting.team_of(actor)
    with arena.database.transaction() as session:
        _check_open(session, arena, round_name, team_id, arrived)
        release = Release(
            id=release_id,
            round=round_name,
            team_id=team_id,
            account_id=actor.account_id,
            number=_take_slot(session, arena, round_name, team_id),
            label=_fresh_label(session, round_name),
            sha256=fingerprint(handed),
            content=taken.result["content"],
            rows=taken.result["rows"],
            received=arrived,
        )
        session.add(release)
        session.flush()
        jobs.add(session, "judge", release.id, arrived)
        told: dict[str, Any] = {"round": round_name, "label": release.label, "sha256": release.sha256}
        log.write(session, arrived, actor.account_id or "", "release", release=release.id, team=team_id, **told)
        return submitting.release_receipt(arena, session, release)


def _take_slot(session: Session, arena: Arena, round_name: str, team_id: str) -> int:
    """Count one up if there is room, in one statement: two at once cannot both take the last place."""
    _ensure_row(session, round_name, team_id)
    taken: int | None = session.scalar(
        update(Quota)
        .where(Quota.round == round_name, Quota.team_id == team_id)
        .where(Quota.used < arena.definition.releases_per_team)
        .where(Quota.submitted < arena.definition.submissions_per_team)
        .values(used=Quota.used + 1, submitted=Quota.submitted + 1)
        .returning(Quota.submitted)
    )
    if taken is None:
        raise _used_up(arena)
    return taken


def _ensure_row(session: Session, round_name: str, team_id: str) -> None:
    if session.get(Quota, (round_name, team_id)) is None:
        try:
            with session.begin_nested():
                session.add(Quota(round=round_name, team_id=team_id, used=0, submitted=0))
        except IntegrityError:
            pass  # the other one of two at once has written it


def _used_up(arena: Arena) -> Clash:
    most, altogether = arena.definition.releases_per_team, arena.definition.submissions_per_team
    return Clash(
        f"the team's quota is used up: {most} releases at a time and {altogether} submissions in a round; "
        "withdraw one to hand in another"
    )


def _fresh_label(session: Session, round_name: str) -> str:
    taken = set(session.scalars(select(Release.label).where(Release.round == round_name)))
    while (label := ids.new_label()) in taken:
        pass
    return label


def withdraw(arena: Arena, actor: Actor, release_id: str) -> None:
    """Withdraw a release. While releases are taken it leaves the competition and its place is free again; later it
    stays in play for the attackers, counts for them and uses the quota, but is not ranked."""
    now = arena.now()
    with arena.database.transaction() as session:
        release = session.get(Release, release_id, with_for_update=True)
        if release is None or actor.team_id is None or release.team_id != actor.team_id:
            raise Absent
        if release.withdrawn is not None:
            raise Clash("this release is withdrawn already")
        here = arena.round_now(session, release.round)
        if here.phase == "reveal":
            raise Refused("the round is over; nothing can be withdrawn any more")
        release.withdrawn = now
        if here.allows("anonymise") and release.in_play:
            release.in_play = False
            free_slot(session, release)
        log.write(session, now, actor.account_id or "", "withdrawn", release=release.id, in_play=release.in_play)


def free_slot(session: Session, release: Release) -> None:
    """Give a team back the place a release took."""
    session.execute(
        update(Quota)
        .where(Quota.round == release.round, Quota.team_id == release.team_id, Quota.used > 0)
        .values(used=Quota.used - 1)
    )


def releases_of(session: Session, team: Team | str) -> list[Release]:
    """Return what a team has handed in, newest first."""
    team_id = team if isinstance(team, str) else team.id
    return list(session.scalars(select(Release).where(Release.team_id == team_id).order_by(Release.received.desc())))
