"""Handing in a release with its correspondence (ice), and withdrawing it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.auth.actor import Actor
from icefire.arena.contest import phases, quotas
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.signing import Receipt
from icefire.arena.errors import Absent, Clash, Refused, WrongInput
from icefire.arena.judge.sandbox import TaskResult
from icefire.arena.operations import metrics
from icefire.arena.storage import jobs, log
from icefire.arena.storage.store import Shelf, fingerprint
from icefire.arena.storage.tables import ReleaseRow, TeamRow
from icefire.arena.submit import checks, drawn, receipts

SHELVES: tuple[Shelf, ...] = ("handed", "release", "truth")
"""Where the files of a release lie."""


@metrics.counting_submissions("release")
def submit(
    arena: Arena, actor: Actor, round_name: str, handed: Mapping[str, bytes], arrived: datetime | None = None
) -> Receipt:
    """Take a release in: check it, shuffle it, store it, and queue it for the judge; returns the signed receipt.

    What is wrong with the files is told with row and column and costs nothing but a place in a rate limit. `arrived` is
    when the last byte came; now, if it is not given.
    """
    arrived = arrived or arena.now()
    team_id = checks.team_of(actor)
    with arena.database.reading() as session:
        _check_open(session, arena, round_name, team_id, arrived)
        if quotas.team_quota(session, arena, round_name, team_id).left == 0:
            raise quotas.used_up(arena)
    _check_names(arena, handed)
    checks.check_room(arena, sum(map(len, handed.values())))
    release_id = ids.new_id()
    taken = _receive(arena, team_id, round_name, release_id, handed)
    try:
        with checks.stored_or_refused():
            _put(arena, release_id, handed, taken)
            return _write_down(arena, actor, round_name, release_id, handed, taken, arrived)
    except BaseException:
        for shelf in SHELVES:
            arena.store.remove(shelf, release_id)
        raise


def _check_open(session: Session, arena: Arena, round_name: str, team_id: str, at: datetime) -> None:
    arena.round(round_name)
    now = next(one for one in phases.rounds(session, arena.definition, at) if one.name == round_name)
    checks.check_phase(now, "anonymise", "releases are taken")
    checks.check_team(session, team_id)


def _check_names(arena: Arena, handed: Mapping[str, bytes]) -> None:
    wanted, optional = arena.game.handed_in, arena.game.optional
    if not set(wanted) <= set(handed) <= {*wanted, *optional}:
        besides = f" and may have {', '.join(optional)}" if optional else ""
        came = ", ".join(handed) or "none"
        raise WrongInput(f"a submission has the files {', '.join(wanted)}{besides}; these came: {came}")


def _receive(arena: Arena, team_id: str, round_name: str, release_id: str, handed: Mapping[str, bytes]) -> TaskResult:
    given: dict[str, bytes | Path] = {
        **arena.originals(round_name),
        **drawn.files(arena, round_name, team_id),
        **handed,
    }
    seed = arena.signer.seed(f"shuffle {release_id}")
    return checks.checked(arena, team_id, "receive", given, seed=seed)


def _put(arena: Arena, release_id: str, handed: Mapping[str, bytes], taken: TaskResult) -> None:
    arena.store.put("handed", release_id, handed)
    arena.store.put("release", release_id, {name: taken.files[name] for name in arena.game.handed_out})
    arena.store.put("truth", release_id, {name: taken.files[name] for name in arena.game.judge_files})


def _write_down(
    arena: Arena,
    actor: Actor,
    round_name: str,
    release_id: str,
    handed: Mapping[str, bytes],
    taken: TaskResult,
    arrived: datetime,
) -> Receipt:
    """Use up the quota, write the release and its job: one transaction, and only after it a receipt."""
    team_id = checks.team_of(actor)
    with arena.database.transaction() as session:
        _check_open(session, arena, round_name, team_id, arrived)
        release = ReleaseRow(
            id=release_id,
            round=round_name,
            team_id=team_id,
            account_id=actor.account_id,
            number=quotas.take_slot(session, arena, round_name, team_id),
            label=_fresh_label(session, round_name),
            sha256=fingerprint(handed),
            content=taken.result["content"],
            rows=taken.result["rows"],
            received=arrived,
        )
        session.add(release)
        session.flush()
        jobs.add(session, "judge", release.id, arrived)
        logged: dict[str, Any] = {"round": round_name, "label": release.label, "sha256": release.sha256}
        line = log.write(
            session, arrived, actor.account_id or "", "release", release=release.id, team=team_id, **logged
        )
        release.log_line = line.number
        return receipts.release_receipt(arena, session, release)


def _fresh_label(session: Session, round_name: str) -> str:
    taken = set(session.scalars(select(ReleaseRow.label).where(ReleaseRow.round == round_name)))
    while (label := ids.new_label()) in taken:
        pass
    return label


def withdraw(arena: Arena, actor: Actor, release_id: str) -> None:
    """Withdraw a release. While releases are taken it leaves the competition and its place is free again; later it
    stays in play for the attackers, counts for them and uses the quota, but is not ranked."""
    now = arena.now()
    with arena.database.transaction() as session:
        release = session.get(ReleaseRow, release_id, with_for_update=True)
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
            quotas.free_slot(session, release)
        log.write(session, now, actor.account_id or "", "withdrawn", release=release.id, in_play=release.in_play)


def releases_of(session: Session, team: TeamRow | str) -> list[ReleaseRow]:
    """Return what a team has handed in, newest first."""
    team_id = team if isinstance(team, str) else team.id
    return list(
        session.scalars(select(ReleaseRow).where(ReleaseRow.team_id == team_id).order_by(ReleaseRow.received.desc()))
    )
