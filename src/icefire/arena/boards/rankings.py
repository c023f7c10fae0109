"""The ice board and the fire board of a round, computed from facts (P2 Tables 5 and 6, and Table 7).

Nothing here depends on the actor: a value that the facts do not hold is None, and nothing is computed from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from icefire.arena.boards import fire_rules
from icefire.arena.boards import ranking_rules as ranks
from icefire.arena.boards.facts import AttackFacts, ReleaseFacts, RoundFacts, TeamFacts
from icefire.arena.boards.fire_rules import ScoredAttacks
from icefire.contests.common.game import SECURITY, FireRule, ReleaseScoreParts

Why = Literal["hidden", "waiting", "refused", "failed", "withdrawn", "disqualified"]


@dataclass(frozen=True, slots=True)
class IceRow:
    """One release on the board."""

    rank: int | None
    why: Why | None
    """Why it has no rank."""
    release: ReleaseFacts
    security: float | None
    """The largest share of all that counts and is shown: sample attacks, teams and, where it counts, AYA; 0 is best."""
    samples: float | None
    """The best of the sample attacks."""
    aya: float | None
    """The judge's check of the correspondence. A high value with low ones beside it identifies nobody: the rows lie
    nearer to other people than to those they are said to come from."""
    players: float | None
    """The best of the teams, at each level of knowledge where there are several; disqualified ones do not count."""
    total: float | None
    """What the rank is by, lower is better: the sum of the criteria."""
    normalised: dict[str, float]
    """Each criterion as it is added up: 0 (best) .. 1, the rank where ranks are summed, or its part of the score."""

    @property
    def identified(self) -> float | None:
        """The largest share of people that an attack really identified: a sample attack or a team."""
        known = [rate for rate in (self.samples, self.players) if rate is not None]
        return max(known, default=None)

    @property
    def by_aya(self) -> bool:
        """Tell whether the security is that of AYA alone: it says that a correspondence is doubtful, not who is who."""
        return self.aya is not None and self.aya == self.security and self.aya > (self.identified or 0.0)


@dataclass(frozen=True, slots=True)
class IceBoard:
    """The ranking of releases."""

    rows: tuple[IceRow, ...]
    """Ranked ones in order, then the others by label."""
    reference: IceRow | None
    """The original (P2 Table 6)."""
    measures: tuple[str, ...]
    utilities: tuple[str, ...]
    attacks: tuple[str, ...]
    complete: bool
    """Whether the teams' attacks are in it; until then a rank, where there is one, is by the sample attacks alone."""
    worst: Annotated[float, Field(exclude=True)]
    """The total nobody can exceed: that of a team without a ranked release, when rounds are added up."""


@dataclass(frozen=True, slots=True)
class FireRow:
    """One attacker on the board."""

    rank: int | None
    """None for a disqualified team."""
    team_id: str
    team: str
    identified: int
    trials: int
    """Releases attacked."""
    tests: int
    """Records asked about in them."""
    ratio: float
    """identified / tests, in per cent."""
    score: float
    """What the rank is by, higher is better."""


@dataclass(frozen=True, slots=True)
class FireBoard:
    """The ranking of attackers."""

    rows: tuple[FireRow, ...]
    """In order (P2 Table 7)."""
    rule: FireRule
    """See `fire_rules`."""


def average_ratio(board: FireBoard) -> float | None:
    """Return the mean over teams of the share each identified, in per cent (P2 §3.5), without disqualified ones."""
    ratios = [row.ratio for row in board.rows if row.trials and row.rank is not None]
    return sum(ratios) / len(ratios) if ratios else None


def ice(facts: RoundFacts, ranking: str, score_parts: ReleaseScoreParts | None = None) -> IceBoard:
    """Rank the releases of a round by the sum of their utilities and their security, each made comparable.

    A contest's own score, given as the parts that add up to it, takes the place of that sum.
    """
    out = {team.id for team in facts.teams if team.disqualified is not None}
    plain = [_row(release, facts, out) for release in facts.releases]
    rows = [row for row in plain if row.why is None]
    parts = _parts(rows, facts.utilities, ranking) if score_parts is None else _parts_of_score(rows, score_parts)
    ranked = _ranked(rows, parts)
    others = [row for row in plain if row.why is not None]
    return IceBoard(
        rows=(*sorted(ranked, key=_by_rank), *sorted(others, key=_by_rank)),
        reference=None if facts.reference is None else replace(_row(facts.reference, facts, out), why=None),
        measures=facts.measures,
        utilities=facts.utilities,
        attacks=facts.attacks,
        complete=facts.sight.players,
        worst=_worst(ranked, facts.utilities, ranking),
    )


def _row(release: ReleaseFacts, facts: RoundFacts, out: set[str]) -> IceRow:
    """A release with what its attacks add up to, not ranked yet."""
    attacks = [one for one in release.found or () if not (one.source == "team" and one.name in out)]
    samples, aya, players = _best(attacks, "sample"), _best(attacks, "aya"), _best_players(attacks)
    counted = (samples, players, aya if facts.sight.definition.aya == "total" else None)
    known = [rate for rate in counted if rate is not None]
    judged = release.found is not None and release.state in ("judged", "refused")
    return IceRow(
        rank=None,
        why=_why(release, facts, out),
        release=release,
        security=max(known, default=0.0 if judged else None),
        samples=samples,
        aya=aya,
        players=players,
        total=None,
        normalised={},
    )


def _best(attacks: Iterable[AttackFacts], source: str) -> float | None:
    return max((one.rate for one in attacks if one.source == source), default=None)


def _best_players(attacks: Iterable[AttackFacts]) -> float | None:
    """The best team's rate; where there are levels of knowledge, the mean over them of the best team's at each."""
    teams = [one for one in attacks if one.source == "team"]
    levels = list(dict.fromkeys(level for one in teams for level in one.levels))
    if not levels:
        return _best(teams, "team")
    return sum(max(one.levels.get(level, 0.0) for one in teams) for level in levels) / len(levels)


def _why(release: ReleaseFacts, facts: RoundFacts, out: set[str]) -> Why | None:
    """Why a release has no rank; one whose author is hidden is not told to be a disqualified team's."""
    if release.withdrawn is not None:
        return "withdrawn"
    if release.state != "judged":
        return {"refused": "refused", "failed": "failed"}.get(release.state, "waiting")  # type: ignore[return-value]
    if release.team_id in out:
        return "disqualified"
    hidden = release.found is None or (release.measures is None and facts.utilities) or not facts.sight.listed_all
    return "hidden" if hidden else None


def _parts(rows: Sequence[IceRow], utilities: Sequence[str], ranking: str) -> list[dict[str, float]]:
    """Make the criteria of the releases comparable."""
    criteria = {name: [(row.release.measures or {}).get(name) for row in rows] for name in utilities}
    criteria[SECURITY] = [row.security for row in rows]
    points = {name: ranks.RULES[ranking](values) for name, values in criteria.items()}
    return [{name: some[at] for name, some in points.items()} for at in range(len(rows))]


def _parts_of_score(rows: Sequence[IceRow], score_parts: ReleaseScoreParts) -> list[dict[str, float]]:
    return [score_parts(row.release.measures or {}, row.security) for row in rows]


def _ranked(rows: Sequence[IceRow], parts: Sequence[dict[str, float]]) -> list[IceRow]:
    totals = [sum(one.values()) for one in parts]
    return [
        replace(row, rank=rank, total=total, normalised=one)
        for row, rank, total, one in zip(rows, ranks.places(totals), totals, parts, strict=True)
    ]


def _worst(ranked: Sequence[IceRow], utilities: Sequence[str], ranking: str) -> float:
    """The total nobody can exceed; errors have no largest value, so a score counts at least 1."""
    if ranking == "score":
        return max([1.0, *(row.total or 0.0 for row in ranked)])
    return (len(utilities) + 1) * (len(ranked) if ranking == "rank_sum" else 1.0)


def _by_rank(row: IceRow) -> tuple[int, str]:
    return row.rank or 0, row.release.label


def fire(facts: RoundFacts, rule: FireRule, board: IceBoard | None = None) -> FireBoard | None:
    """Rank the attackers of a round; None while their results are hidden.

    The board of releases is needed where a rule is about the best of them.
    """
    if not facts.sight.players:
        return None
    attacks = ScoredAttacks.read(facts, () if board is None else [row.release.id for row in board.rows if row.rank])
    rows = [_attacker(team, attacks, rule) for team in facts.teams if team.id in attacks.by_team]
    playing = [row for row, out in rows if not out]
    places = ranks.places([-row.score for row in playing])
    ranked = [replace(row, rank=rank) for row, rank in zip(playing, places, strict=True)]
    return FireBoard((*sorted(ranked, key=lambda row: row.rank or 0), *(row for row, out in rows if out)), rule)


def _attacker(team: TeamFacts, attacks: ScoredAttacks, rule: FireRule) -> tuple[FireRow, bool]:
    """An attacker without its rank, and whether it gets none."""
    scored = list(attacks.by_team[team.id].values())
    identified, tests = sum(one.hits for one in scored), sum(one.targets for one in scored)
    row = FireRow(
        rank=None,
        team_id=team.id,
        team=team.name,
        identified=identified,
        trials=len(scored),
        tests=tests,
        ratio=100 * identified / tests if tests else 0.0,
        score=fire_rules.RULES[rule](attacks, team.id),
    )
    return row, team.disqualified is not None
