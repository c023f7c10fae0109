"""Reading the facts of a round for one actor: the only place where scores are read to be shown.

The number of queries does not depend on how much was handed in, and hidden values are not queried. While the board is
frozen, everybody but the judges sees other teams' releases as the snapshot has them, here as well.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

import msgspec
from sqlalchemy import ColumnElement, func, select, true
from sqlalchemy.orm import Session

from icefire.arena.auth.actor import Actor
from icefire.arena.boards.facts import (
    FAILED,
    ORIGINAL,
    SUBMITTED,
    AttackFacts,
    AttackSource,
    GuessFacts,
    ReleaseFacts,
    RoundFacts,
    TeamFacts,
)
from icefire.arena.boards.visibility import Visibility
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.storage.tables import (
    GuessRow,
    IdentifiedRow,
    MeasuredRow,
    ReleaseRow,
    SettingRow,
    SnapshotRow,
    TeamRow,
)


def round_facts(
    session: Session,
    arena: Arena,
    round_name: str,
    actor: Actor,
    *,
    release_id: str | None = None,
    team_id: str | None = None,
) -> RoundFacts:
    """Read a round as an actor may see it; of a large one only a release, or only a team: its releases, its guesses
    and what those are about."""
    now = arena.round_now(session, round_name)
    seen = Visibility(actor, now, arena.definition)
    teams = sorted(session.scalars(select(TeamRow)), key=lambda team: team.name_key)  # here: databases sort differently
    names = {team.id: team.name for team in teams}
    reader = _Reader(session, seen, names, arena.game.attacks, _wanted(round_name, release_id, team_id))
    releases = reader.releases()
    return RoundFacts(
        now=now,
        sight=seen,
        measures=tuple(arena.game.measures),
        utilities=tuple(arena.game.utilities),
        attacks=tuple(arena.game.attacks),
        releases=releases,
        guesses=reader.guesses({release.id for release in releases}, team_id),
        teams=tuple(TeamFacts(team.id, team.name, team.disqualified) for team in teams),
        reference=reader.reference(),
    )


def _wanted(round_name: str, release_id: str | None, team_id: str | None) -> ColumnElement[bool]:
    wanted = ReleaseRow.round == round_name
    if release_id is not None:
        wanted &= ReleaseRow.id == release_id
    if team_id is not None:
        attacked = select(GuessRow.release_id).where(GuessRow.team_id == team_id)
        wanted &= (ReleaseRow.team_id == team_id) | ReleaseRow.id.in_(attacked)
    return wanted


def snapshot(session: Session, now: RoundNow) -> SnapshotRow | None:
    """Return the frozen board of a round; one from before the phase was put off counts no more."""
    stored = session.get(SnapshotRow, now.name) if now.frozen else None
    return stored if stored is not None and stored.taken >= now.starts["freeze"] else None


class _Reader:
    """Reads the tables of one round for one actor."""

    def __init__(
        self,
        session: Session,
        seen: Visibility,
        names: Mapping[str, str],
        attacks: Sequence[str],
        wanted: ColumnElement[bool],
    ) -> None:
        self._session, self._round, self._sight, self._names = session, seen.now.name, seen, names
        self._wanted = wanted
        self._order = {name: place for place, name in enumerate(attacks)}
        self._attacks = self._read_attacks()

    def releases(self) -> tuple[ReleaseFacts, ...]:
        """The releases listed, by label: labels are drawn at random and tell nothing."""
        every = self._session.scalars(select(ReleaseRow).where(self._wanted)).all()
        measured, twins = self._read_measured(), self._read_twins() if self._sight.judges else set()
        listed = sorted((one for one in every if self._sight.listed(one)), key=lambda one: one.label)
        releases = [self._release(one, measured.get(one.id, {}), one.content in twins) for one in listed]
        return self._as_frozen(releases)

    def _release(self, one: ReleaseRow, measured: dict[str, float | None], twin: bool) -> ReleaseFacts:
        seen, own = self._sight, self._sight.ours(one.team_id)
        author = seen.author(one)
        return ReleaseFacts(
            id=one.id,
            label=one.label,
            round=one.round,
            number=one.number if author else None,
            team_id=one.team_id if author else None,
            team=self._names[one.team_id] if author else None,
            own=own,
            rows=one.rows,
            received=one.received if author else None,
            withdrawn=one.withdrawn,
            in_play=one.in_play,
            state=one.state,
            note=one.note if own or seen.judges or seen.now.revealed else "",
            measures=measured if seen.measures else None,
            found=tuple(self._attacks.get(one.id, ())) if seen.samples or seen.players else None,
            twin=twin,
        )

    def _as_frozen(self, releases: list[ReleaseFacts]) -> tuple[ReleaseFacts, ...]:
        """Other teams' releases as they were when the board was frozen; withdrawing is told all the same."""
        taken = None if self._sight.judges else snapshot(self._session, self._sight.now)
        if taken is None:
            return tuple(releases)
        rows = [msgspec.convert(row["release"], ReleaseFacts) for row in taken.body["ice"]["rows"]]
        old = {row.id: row for row in rows}
        return tuple(one if one.own else _older(one, old.get(one.id)) for one in releases)

    def guesses(self, listed: set[str], team_id: str | None) -> tuple[GuessFacts, ...]:
        """Who has attacked what. What a team does to its own release is nothing."""
        whose = true() if team_id is None else GuessRow.team_id == team_id
        rows = self._session.execute(
            select(GuessRow.id, GuessRow.release_id, GuessRow.team_id, GuessRow.received, GuessRow.state)
            .join(ReleaseRow, ReleaseRow.id == GuessRow.release_id)
            .where(self._wanted, whose, ReleaseRow.team_id != GuessRow.team_id)
            .order_by(GuessRow.received, GuessRow.id)
        )
        return tuple(self._guess(row) for row in rows if row.release_id in listed or self._sight.players)

    def _guess(self, row: Any) -> GuessFacts:
        seen, own = self._sight, self._sight.ours(row.team_id)
        known = (
            one for one in self._attacks.get(row.release_id, ()) if one.source == "team" and one.name == row.team_id
        )
        return GuessFacts(
            id=row.id if seen.judges or own else None,
            release_id=row.release_id,
            team_id=row.team_id,
            team=self._names[row.team_id],
            received=row.received,
            state=row.state if seen.players or (own and row.state == FAILED) else SUBMITTED,
            found=next(known, None),
        )

    def reference(self) -> ReleaseFacts | None:
        """The original, once the judge has measured it."""
        stored = self._session.get(SettingRow, f"reference:{self._round}")
        if stored is None or not stored.value:
            return None
        return _original(self._round, self._sight.now.starts["anonymise"], stored.value)

    def _read_measured(self) -> dict[str, dict[str, float | None]]:
        """Every release's measures."""
        measured: dict[str, dict[str, float | None]] = {}
        if self._sight.measures:
            rows = self._session.execute(
                select(MeasuredRow.release_id, MeasuredRow.name, MeasuredRow.value)
                .join(ReleaseRow, ReleaseRow.id == MeasuredRow.release_id)
                .where(self._wanted)
            )
            for release_id, name, value in rows:
                measured.setdefault(release_id, {})[name] = _finite(value)
        return measured

    def _read_twins(self) -> set[str]:
        """Contents that two teams or more handed in."""
        several = func.count(ReleaseRow.team_id.distinct()) > 1
        query = (
            select(ReleaseRow.content)
            .where(ReleaseRow.round == self._round)
            .group_by(ReleaseRow.content)
            .having(several)
        )
        return set(self._session.scalars(query))

    def _read_attacks(self) -> dict[str, list[AttackFacts]]:
        """What was achieved on every release, attacks in their order, then AYA, then teams by name."""
        sources = ["sample", "aya"] * self._sight.samples + ["team"] * self._sight.players
        attacks: dict[str, list[AttackFacts]] = {}
        if sources:
            rows = self._session.scalars(
                select(IdentifiedRow)
                .join(ReleaseRow, ReleaseRow.id == IdentifiedRow.release_id)
                .where(self._wanted, IdentifiedRow.source.in_(sources), IdentifiedRow.name != ReleaseRow.team_id)
            )
            for row in rows:
                shown = self._names.get(row.name, row.name) if row.source == "team" else _attack(row.source, row.name)
                one = AttackFacts(cast(AttackSource, row.source), row.name, shown, row.hits, row.targets, row.rate)
                attacks.setdefault(row.release_id, []).append(one)
        for some in attacks.values():
            some.sort(key=self._place)
        return attacks

    def _place(self, one: AttackFacts) -> tuple[int, int, str]:
        kinds = ("sample", "aya", "team")
        return kinds.index(one.source), self._order.get(one.name, len(self._order)), one.shown


def _attack(source: str, name: str) -> str:
    return "AYA" if source == "aya" else name


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _older(one: ReleaseFacts, old: ReleaseFacts | None) -> ReleaseFacts:
    if old is None:
        return replace(one, state="waiting", note="", measures=None, found=None)
    return replace(old, withdrawn=one.withdrawn, in_play=one.in_play)


def _original(round_name: str, received: datetime, value: Mapping[str, Any]) -> ReleaseFacts:
    given: list[tuple[AttackSource, str, Any]] = [("sample", name, score) for name, score in value["attacks"].items()]
    given += [("aya", "aya", value["aya"])] if value.get("aya") else []
    attacks = tuple(
        AttackFacts(source, name, _attack(source, name), score["hits"], score["targets"], score["rate"])
        for source, name, score in given
    )
    return ReleaseFacts(
        id=ORIGINAL,
        label=ORIGINAL,
        round=round_name,
        number=None,
        team_id=None,
        team=None,
        own=False,
        rows=max((one.targets for one in attacks), default=0),
        received=received,
        withdrawn=None,
        in_play=False,
        state="judged",
        note="",
        measures={name: _finite(measure["value"]) for name, measure in value["measures"].items()},
        found=attacks,
        twin=False,
    )
