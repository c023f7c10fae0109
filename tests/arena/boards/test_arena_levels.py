"""Where attackers answer at several levels of knowledge, the best team at each level counts."""

from __future__ import annotations

from support.arena.boards import make, played  # noqa: F401
from support.arena.rows import JUDGE

from icefire.arena.boards import freezing
from icefire.arena.storage import results
from icefire.arena.storage.tables import GuessRow, IdentifiedRow, TeamRow


def row_of(rows, label):
    with rows.database.reading() as session:
        board = freezing.board(rows.arena, session, JUDGE, "final")
    return next(one for one in board.ice.rows if one.release.label == label)


def test_the_best_team_at_each_level_counts(played):
    rates = {"A": {"25": 0.0, "100": 0.9}, "C": {"25": 0.4, "100": 0.6}}
    for team, levels in rates.items():
        for level, rate in levels.items():
            name = results.level_name(level, team)
            played.add(IdentifiedRow(release_id="Y2", source="level", name=name, hits=0, targets=50, rate=rate))
    row = row_of(played, "Y2")
    assert row.players == (0.4 + 0.9) / 2  # no single team has more than 0.5
    assert row.security == 0.65
    played.add(TeamRow(id="A", name="A", name_key="a", created=played.clock.now(), disqualified="cheated"))
    assert row_of(played, "Y2").players == 0.5
    assert row_of(played, "Y1").players == 0.3  # without levels, the best rate


def test_levels_are_told_by_the_log(played):
    played.add(IdentifiedRow(release_id="Y2", source="level", name="25:C", hits=0, targets=50, rate=0.25))
    with played.database.reading() as session:
        guess = GuessRow(release_id="Y2", team_id="C")
        assert results.guess_results(session, guess) == [2, 100, 0.02, {"25": 0.25}]
        assert set(results.release_results(session, "Y2")["attacks"]) == {"sample E1", "sample E2", "aya aya"}
