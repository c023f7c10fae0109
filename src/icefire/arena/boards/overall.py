"""All rounds together: each team by its best release of a round, and by its attacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from icefire.arena.boards import ranking_rules as ranks
from icefire.arena.boards.rankings import FireBoard, IceBoard, IceRow


@dataclass(frozen=True, slots=True)
class BestReleaseRow:
    """A team with its best release of a round."""

    rank: int
    team_id: str
    team: str
    best: IceRow


@dataclass(frozen=True, slots=True)
class OverallRow:
    """A team over all rounds."""

    rank: int
    team_id: str
    team: str
    rounds: dict[str, float | None]
    """Its score in each round, before the weight; None where it has none."""
    score: float


@dataclass(frozen=True, slots=True)
class Overall:
    """All rounds that are revealed, together."""

    ice: tuple[OverallRow, ...]
    """Lower is better; a round without a ranked release counts as the worst total possible there."""
    fire: tuple[OverallRow, ...]
    """Higher is better; a round without an attack counts 0."""


def teams(board: IceBoard) -> tuple[BestReleaseRow, ...]:
    """Rank the teams of a round by their best releases; a release whose author is hidden is no team's."""
    best: dict[str, IceRow] = {}
    for row in board.rows:
        if row.rank is not None and row.release.team_id is not None:
            best.setdefault(row.release.team_id, row)  # rows are in order, so the first is the best
    places = ranks.places([row.total or 0.0 for row in best.values()])
    return tuple(
        BestReleaseRow(rank, team_id, row.release.team or "", row)
        for rank, (team_id, row) in zip(places, best.items(), strict=True)
    )


def overall(ice: Mapping[str, IceBoard], fire: Mapping[str, FireBoard], weights: Mapping[str, float]) -> Overall:
    """Add up the rounds that have a ranking, by their weights; a team that is ranked in any of them is in it."""
    ranked = {name: teams(board) for name, board in ice.items()}
    best = {name: {row.team_id: row for row in rows} for name, rows in ranked.items() if rows}
    attackers = {name: [row for row in board.rows if row.rank is not None] for name, board in fire.items()}
    return Overall(
        ice=_summed(
            {name: {key: row.best.total or 0.0 for key, row in some.items()} for name, some in best.items()},
            _names((row.team_id, row.team) for some in best.values() for row in some.values()),
            {name: board.worst for name, board in ice.items()},
            weights,
        ),
        fire=_summed(
            {name: {row.team_id: row.score for row in some} for name, some in attackers.items()},
            _names((row.team_id, row.team) for some in attackers.values() for row in some),
            dict.fromkeys(fire, 0.0),
            weights,
            higher_is_better=True,
        ),
    )


def _names(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    return dict(sorted(pairs, key=lambda pair: pair[1].casefold()))


def _summed(
    scores: Mapping[str, Mapping[str, float]],
    names: Mapping[str, str],
    missing: Mapping[str, float],
    weights: Mapping[str, float],
    higher_is_better: bool = False,
) -> tuple[OverallRow, ...]:
    """Weighted sums over the rounds, in order; `missing` is what a round counts that a team has no score in."""
    sums = [sum(weights[name] * some.get(team, missing[name]) for name, some in scores.items()) for team in names]
    places = ranks.places([-one if higher_is_better else one for one in sums])
    rows = [
        OverallRow(place, team, shown, {name: some.get(team) for name, some in scores.items()}, total)
        for place, (team, shown), total in zip(places, names.items(), sums, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: row.rank))
