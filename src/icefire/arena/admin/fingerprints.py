"""The methods recognised in the releases of a round, for judges and organisers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from icefire.arena.admin.permissions import acting, looking
from icefire.arena.auth.actor import Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.judge.judging import fingerprint_setting
from icefire.arena.storage import jobs, log
from icefire.arena.storage.tables import JobRow, ReleaseRow, SettingRow, TeamRow

JUDGED = ("judged", "refused")


@dataclass(frozen=True)
class FingerprintLine:
    """A release and the methods recognised in it."""

    release: ReleaseRow
    team: str
    job: str | None
    """State of the judge's job; None where nobody has asked for it."""
    methods: Sequence[Mapping[str, Any]] | None
    """Methods by probability; None before the judge has looked."""
    note: str = ""

    @property
    def recognised(self) -> list[str]:
        """Names of the methods that are recognised."""
        return [one["method"] for one in self.methods or () if one["recognised"]]


def fingerprints(arena: Arena, actor: Actor, round_name: str) -> list[FingerprintLine]:
    """Return the judged releases of a round, newest first, with what is recognised in each."""
    arena.round(round_name)
    with looking(arena, actor) as session:
        query = select(ReleaseRow, TeamRow.name).join(TeamRow)
        query = query.where(ReleaseRow.round == round_name, ReleaseRow.state.in_(JUDGED))
        rows = session.execute(query.order_by(ReleaseRow.received.desc(), ReleaseRow.id)).all()
        states = {job.about: job.state for job in session.scalars(select(JobRow).where(JobRow.kind == "fingerprint"))}
        lines = []
        for release, team in rows:
            kept = session.get(SettingRow, fingerprint_setting(release.id))
            value = kept.value if kept is not None else {}
            methods = value.get("methods")
            lines.append(FingerprintLine(release, team, states.get(release.id), methods, value.get("note", "")))
        return lines


def recognise_methods(arena: Arena, actor: Actor, round_name: str) -> int:
    """Have the judge recognise the methods of every judged release of a round; returns how many jobs."""
    arena.round(round_name)
    with acting(arena, actor, judges=True) as session:
        query = select(ReleaseRow.id).where(ReleaseRow.round == round_name, ReleaseRow.state.in_(JUDGED))
        wanted = session.scalars(query.order_by(ReleaseRow.received, ReleaseRow.id)).all()
        for release_id in wanted:
            jobs.again(session, "fingerprint", release_id, arena.now())
        log.write(session, arena.now(), actor.account_id or "", "fingerprints", jobs=len(wanted), round=round_name)
        return len(wanted)
