"""Reading the facts of a round for one actor: the only place where scores are read to be shown, and rounded.

The number of queries does not depend on how much was handed in, and hidden values are not queried. While the board is
frozen, everybody but the judges sees other teams' releases as the snapshot has them, here as well.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.auth.actor import Actor
from icefire.arena.boards import snapshots
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
from icefire.arena.boards.rounding import ScoreRounding
from icefire.arena.boards.visibility import Visibility
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.storage import results
from icefire.arena.storage.tables import (
    GuessRow,
    IdentifiedRow,
    MeasuredRow,
    ReleaseRow,
    SettingRow,
    TeamRow,
)

KINDS = {"sample": 0, "aya": 1, "team": 2}
"""In which order what was achieved on a release is listed."""


def round_facts(
    session: Session,
    arena: Arena,
    round_name: str,
    actor: Actor,
    *,
    release_id: str | None = None,
    team_id: str | None = None,
    with_guesses: bool = True,
    now: RoundNow | None = None,
    teams: tuple[TeamFacts, ...] | None = None,
) -> RoundFacts:
    """Read a round as an actor may see it; of a large one only a release, or only a team: its releases, and that it has
    guessed, not what that achieved (`own_view` has the rest); or all but the guesses. What of the round and its teams
    is known already is not read again."""
    now = now or arena.round_now(session, round_name)
    seen = Visibility(actor, now, arena.definition)
    teams = _teams(session) if teams is None else teams
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
        guesses=reader.guesses({release.id for release in releases}, team_id) if with_guesses else (),
        teams=teams,
        reference=reader.reference(),
    )


def _teams(session: Session) -> tuple[TeamFacts, ...]:
    rows = session.execute(select(TeamRow.id, TeamRow.name, TeamRow.disqualified, TeamRow.division))
    return tuple(sorted((TeamFacts(*row) for row in rows), key=lambda team: ids.folded_name(team.name)))


def hidden_guesses(session: Session, facts: RoundFacts, only: Collection[str] | None = None) -> tuple[GuessFacts, ...]:
    """Read who has attacked what in a round whose results are hidden from its viewer: all guesses, or some by id."""
    assert not facts.sight.players
    wanted = ReleaseRow.round == facts.now.name
    if only is not None:
        wanted &= GuessRow.id.in_(only)
    names = {team.id: team.name for team in facts.teams}
    return _read_guesses(session, facts.sight, names, {release.id for release in facts.releases}, wanted, {})


def _wanted(round_name: str, release_id: str | None, team_id: str | None) -> ColumnElement[bool]:
    wanted = ReleaseRow.round == round_name
    if release_id is not None:
        wanted &= ReleaseRow.id == release_id
    if team_id is not None:
        wanted &= ReleaseRow.team_id == team_id
    return wanted


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
        self._rounding = ScoreRounding(None if seen.exact else seen.definition.shown_digits)
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
        taken = None if self._sight.judges else snapshots.snapshot(self._session, self._sight.now)
        if taken is None:
            return tuple(releases)
        return tuple(one if one.own else _older(one, taken.releases.get(one.id)) for one in releases)

    def guesses(self, listed: set[str], team_id: str | None) -> tuple[GuessFacts, ...]:
        """Who has attacked what."""
        if team_id is not None:
            wanted = (ReleaseRow.round == self._round) & (GuessRow.team_id == team_id)
            return _read_guesses(self._session, self._sight, self._names, None, wanted, {})
        by_team = {(release_id, one.name): one for release_id, some in self._attacks.items() for one in _by_teams(some)}
        return _read_guesses(self._session, self._sight, self._names, listed, self._wanted, by_team)

    def reference(self) -> ReleaseFacts | None:
        """The original, once the judge has measured it."""
        stored = self._session.get(SettingRow, f"reference:{self._round}")
        if stored is None or not stored.value:
            return None
        return _original(self._round, self._sight.now.starts["anonymise"], stored.value, self._rounding)

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
                measured.setdefault(release_id, {})[name] = self._rounding.measure(_finite(value))
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
        sources = ["sample", "aya"] * self._sight.samples + ["team", results.LEVEL] * self._sight.players
        attacks: dict[str, list[AttackFacts]] = {}
        if sources:
            one = IdentifiedRow
            rows = self._session.execute(
                select(one.release_id, one.source, one.name, one.hits, one.targets, one.rate)
                .join(ReleaseRow, ReleaseRow.id == one.release_id)
                .where(self._wanted, one.source.in_(sources), one.name != ReleaseRow.team_id)
            )
            levels: dict[tuple[str, str], dict[str, float]] = {}
            for release_id, source, name, hits, targets, rate in rows:
                if source == results.LEVEL:
                    level, _, team_id = name.partition(":")
                    levels.setdefault((release_id, team_id), {})[level] = rate
                    continue
                shown = self._names.get(name, name) if source == "team" else _attack(source, name)
                facts = AttackFacts(cast(AttackSource, source), name, shown, hits, targets, rate)
                attacks.setdefault(release_id, []).append(self._rounding.attack(facts))
            for release_id in {release_id for release_id, _ in levels} & attacks.keys():
                attacks[release_id] = [_with_levels(one, levels, release_id) for one in attacks[release_id]]
        for some in attacks.values():
            some.sort(key=self._place)
        return attacks

    def _place(self, one: AttackFacts) -> tuple[int, int, str]:
        return KINDS[one.source], self._order.get(one.name, len(self._order)), one.shown


def _read_guesses(
    session: Session,
    sight: Visibility,
    names: Mapping[str, str],
    listed: set[str] | None,
    wanted: ColumnElement[bool],
    by_team: Mapping[tuple[str, str], AttackFacts],
) -> tuple[GuessFacts, ...]:
    """Read guesses in the order of their arrival, those about releases that are listed where it is known which are.

    What a team does to its own release is nothing.
    """
    rows = session.execute(
        select(GuessRow.id, GuessRow.release_id, GuessRow.team_id, GuessRow.received, GuessRow.state)
        .join(ReleaseRow, ReleaseRow.id == GuessRow.release_id)
        .where(wanted, ReleaseRow.team_id != GuessRow.team_id)
        .order_by(GuessRow.received, GuessRow.id)
    )
    judges, players, own_team = sight.judges, sight.players, sight.actor.team_id
    return tuple(
        GuessFacts(
            id=guess_id if judges or own_team == attacker else None,
            release_id=release_id,
            team_id=attacker,
            team=names[attacker],
            received=received,
            state=state if players or (own_team == attacker and state == FAILED) else SUBMITTED,
            found=by_team.get((release_id, attacker)),
        )
        for guess_id, release_id, attacker, received, state in rows
        if players or listed is None or release_id in listed
    )


def _by_teams(attacks: list[AttackFacts]) -> list[AttackFacts]:
    return [one for one in attacks if one.source == "team"]


def _with_levels(one: AttackFacts, levels: Mapping[tuple[str, str], dict[str, float]], release_id: str) -> AttackFacts:
    """Add the rates of a team on the levels of knowledge, in their order."""
    own = levels.get((release_id, one.name), {}) if one.source == "team" else {}
    return replace(one, levels=dict(sorted(own.items(), key=lambda pair: (len(pair[0]), pair[0])))) if own else one


def _attack(source: str, name: str) -> str:
    return "AYA" if source == "aya" else name


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _older(one: ReleaseFacts, old: ReleaseFacts | None) -> ReleaseFacts:
    if old is None:
        return replace(one, state="waiting", note="", measures=None, found=None)
    return replace(old, withdrawn=one.withdrawn, in_play=one.in_play)


def _original(round_name: str, received: datetime, value: Mapping[str, Any], rounding: ScoreRounding) -> ReleaseFacts:
    given: list[tuple[AttackSource, str, Any]] = [("sample", name, score) for name, score in value["attacks"].items()]
    given += [("aya", "aya", value["aya"])] if value.get("aya") else []
    attacks = tuple(
        rounding.attack(
            AttackFacts(source, name, _attack(source, name), score["hits"], score["targets"], score["rate"])
        )
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
        measures={name: rounding.measure(_finite(measure["value"])) for name, measure in value["measures"].items()},
        found=attacks,
        twin=False,
    )
