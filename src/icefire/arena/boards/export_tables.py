"""The tables that can be exported, row by row, each row with the teams it is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from icefire.arena.auth.actor import Actor
from icefire.arena.boards import freezing, matrix, reading
from icefire.arena.boards.facts import AttackFacts, ReleaseFacts, TeamFacts
from icefire.arena.boards.rankings import IceBoard, IceRow
from icefire.arena.contest.arena import Arena

Cell = str | int | float | bool | datetime | None


@dataclass(frozen=True, slots=True)
class ExportLine:
    """One row, and the teams whose export it belongs in."""

    teams: frozenset[str | None]
    cells: tuple[Cell, ...]


Lines = tuple[Sequence[str], list[ExportLine]]


def _line(teams: Sequence[str | None], *cells: Cell) -> ExportLine:
    return ExportLine(frozenset(teams), cells)


def board(session: Session, arena: Arena, actor: Actor, round_name: str) -> Lines:
    """The ice board: every release with its measures and attacks, and the original."""
    shown = freezing.board(arena, session, actor, round_name)
    columns = ["rank", "why", "label", "team", "number", "rows", "received", "withdrawn", "state"]
    columns += [*shown.ice.measures, *shown.ice.attacks, "aya", "best_player", "security", "total", "frozen"]
    every = [*shown.ice.rows, *([shown.ice.reference] if shown.ice.reference else [])]
    return columns, [_ice_line(shown.ice, row, shown.frozen) for row in every]


def _ice_line(board: IceBoard, row: IceRow, frozen: datetime | None) -> ExportLine:
    one = row.release
    rates = {attack.name: attack.rate for attack in one.found or () if attack.source == "sample"}
    measures = one.measures or {}
    original = board.reference is not None and row is board.reference
    return _line(
        [one.team_id],
        row.rank,
        "original" if original else row.why,
        one.label,
        one.team,
        one.number,
        one.rows,
        None if original else one.received,
        one.withdrawn,
        one.state,
        *(measures.get(name) for name in board.measures),
        *(rates.get(name) for name in board.attacks),
        row.aya,
        row.players,
        row.security,
        row.total,
        frozen,
    )


def fire(session: Session, arena: Arena, actor: Actor, round_name: str) -> Lines:
    """The fire board; no rows while it is hidden."""
    shown = freezing.board(arena, session, actor, round_name).fire
    rows = shown.rows if shown else ()
    return ("rank", "team", "identified", "trials", "tests", "ratio", "score"), [
        _line([one.team_id], one.rank, one.team, one.identified, one.trials, one.tests, one.ratio, one.score)
        for one in rows
    ]


def cells(session: Session, arena: Arena, actor: Actor, round_name: str) -> Lines:
    """The matrix, a row for each attacker and release."""
    shown = matrix.round_matrix(reading.round_facts(session, arena, round_name, actor))
    return ("attacker", "label", "author", "state", "rate"), [
        _line([team.id, one.team_id], team.name, one.label, one.team, cell.state, cell.rate)
        for team, row in zip(shown.attackers, shown.cells, strict=True)
        for one, cell in zip(shown.releases, row, strict=True)
    ]


def releases(session: Session, arena: Arena, actor: Actor, round_name: str) -> Lines:
    """The releases that are listed."""
    seen = reading.round_facts(session, arena, round_name, actor)
    columns = ("id", "label", "team", "number", "rows", "received", "withdrawn", "in_play", "state", "note")
    return columns, [
        _line(
            [one.team_id],
            *(one.id, one.label, one.team, one.number, one.rows),
            *(one.received, one.withdrawn, one.in_play, one.state, one.note),
        )
        for one in seen.releases
    ]


def attacks(session: Session, arena: Arena, actor: Actor, round_name: str) -> Lines:
    """What each attack achieved on each release, as far as it is shown."""
    seen = reading.round_facts(session, arena, round_name, actor)
    every: list[ReleaseFacts] = [*seen.releases, *([seen.reference] if seen.reference else [])]
    return ("label", "team", "source", "attack", "hits", "targets", "rate"), [
        _line([one.team_id, attack.name], one.label, one.team, attack.source, attack.shown, *_counts(attack))
        for one in every
        for attack in one.found or ()
    ]


def _counts(attack: AttackFacts) -> tuple[int, int, float]:
    return attack.hits, attack.targets, attack.rate


def overall(session: Session, arena: Arena, actor: Actor) -> Lines:
    """All rounds together, ice and then fire; one column for each round."""
    shown = freezing.all_rounds(arena, session, actor)
    names = [one.name for one in arena.definition.rounds]
    return ("side", "rank", "team", "score", *names), [
        _line([one.team_id], side, one.rank, one.team, one.score, *(one.rounds.get(name) for name in names))
        for side, rows in (("ice", shown.ice), ("fire", shown.fire))
        for one in rows
    ]


def teams(session: Session, arena: Arena, actor: Actor) -> Lines:
    """The teams, and why one is out if it is."""
    seen: Sequence[TeamFacts] = reading.round_facts(session, arena, arena.definition.rounds[0].name, actor).teams
    return ("team", "disqualified", "division"), [
        _line([one.id], one.name, one.disqualified, one.division) for one in seen
    ]


OF_A_ROUND: dict[str, Callable[[Session, Arena, Actor, str], Lines]] = {
    "board": board,
    "fire": fire,
    "matrix": cells,
    "releases": releases,
    "attacks": attacks,
}
OF_ALL: dict[str, Callable[[Session, Arena, Actor], Lines]] = {"overall": overall, "teams": teams}
