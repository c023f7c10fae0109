"""Boards worked out by hand: rankings, the paper's tables, the freeze, the ceremony and the matrix."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.arena.boards import board, in_order, known, make, played  # noqa: F401
from support.arena.rows import BEGIN, DAY, JUDGE, player, round_of

from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import freezing, overall, ranking_rules, rankings

# --- the sums


def test_values_are_stretched_and_what_has_none_is_worst():
    assert ranking_rules.normalised([2.0, None, 4.0, 3.0]) == [0.0, 1.0, 1.0, 0.5]
    assert ranking_rules.normalised([7.0, 7.0, None]) == [0.0, 0.0, 1.0]
    assert ranking_rules.normalised([None, None]) == [1.0, 1.0]
    assert ranking_rules.normalised([]) == []


def test_the_last_digits_of_a_sum_make_no_ranking():
    assert ranking_rules.normalised([0.0, 3e-12, 1e-11]) == [0.0, 0.0, 0.0]
    assert ranking_rules.mean_ranks([0.1 + 0.2, 0.3]) == [1.5, 1.5]
    assert ranking_rules.places([0.1 + 0.2, 0.3, 0.4]) == [1, 1, 3]


def test_ranks_that_are_tied_share_their_mean():
    assert ranking_rules.mean_ranks([5.0, 1.0, 5.0, None, 2.0, None]) == [3.5, 1.0, 3.5, 5.5, 2.0, 5.5]


# --- ice


def test_ice_by_normalised_sums(played):
    found = rankings.ice(known(played), "normalised")
    assert in_order(found) == [(1, "Y2"), (2, "Y1"), (3, "Y3")]
    by_label = {row.release.label: row for row in found.rows}
    assert {label: row.security for label, row in by_label.items()} == {"Y1": 0.5, "Y2": 0.1, "Y3": 0.3}
    assert by_label["Y1"].normalised == pytest.approx({"U1": 0.0, "U2": 0.0, "security": 1.0})
    assert by_label["Y2"].normalised == pytest.approx({"U1": 0.5, "U2": 0.0, "security": 0.0})
    assert by_label["Y3"].normalised == pytest.approx({"U1": 1.0, "U2": 1.0, "security": 0.5})
    assert [row.total for row in found.rows] == pytest.approx([0.5, 1.0, 2.5])
    assert (found.complete, found.worst) == (True, 3.0)


def test_ice_by_sums_of_ranks(played):
    found = rankings.ice(known(played), "rank_sum")
    assert [(row.release.label, row.rank, row.total) for row in found.rows] == [
        ("Y2", 1, 2 + 1.5 + 1),
        ("Y1", 2, 1 + 1.5 + 3),
        ("Y3", 3, 3 + 3 + 2),
    ]
    assert found.worst == 9.0


def test_ice_by_a_contests_own_score(played):
    def score_parts(measures, security):
        return {"U1": measures["U1"] / 2, "U2": 0.0, "security": security / 2}

    found = rankings.ice(known(played), "score", score_parts)
    assert [(row.rank, row.release.label, row.total) for row in found.rows] == [
        (1, "Y1", 0.25),
        (2, "Y2", 1 + 0.05),
        (3, "Y3", 2 + 0.15),
    ]
    assert found.rows[1].normalised == {"U1": 1.0, "U2": 0.0, "security": 0.05}
    assert found.worst == found.rows[2].total


@pytest.mark.parametrize("rule", ["normalised", "rank_sum"])
def test_releases_that_are_equal_share_a_rank(played, rule):
    played.release("C", "Y0")
    played.judged("Y0", {"U1": 2.0, "U2": 10.0}, {"E1": 10}, 0)
    assert in_order(rankings.ice(known(played), rule))[:3] == [(1, "Y0"), (1, "Y2"), (3, "Y1")]


def test_what_cannot_be_ranked_says_why_and_moves_nobody_else(played):
    usual = rankings.ice(known(played), "normalised").rows
    played.reveal()
    played.teams("D", disqualified="shared its answers")
    extreme = {"U1": 1e6, "U2": -1e6}
    for label, more in {
        "Z1": {"state": "refused", "note": "U1 is 1,000,000; at most 5"},
        "Z2": {"state": "waiting"},
        "Z3": {"withdrawn": BEGIN + 2 * DAY},
    }.items():
        played.release("C", label, **more)
        played.judged(label, extreme, {"E1": 100})
    played.release("D", "Z4")
    played.judged("Z4", extreme, {"E1": 100})
    found = rankings.ice(known(played), "normalised")
    assert found.rows[:3] == usual
    assert [(row.release.label, row.rank, row.why) for row in found.rows[3:]] == [
        ("Z1", None, "refused"),
        ("Z2", None, "waiting"),
        ("Z3", None, "withdrawn"),
        ("Z4", None, "disqualified"),
    ]
    assert all(row.total is None and row.normalised == {} for row in found.rows[3:])


def test_a_release_the_judge_failed_on_is_the_teams_and_the_judges_to_see(played):
    played.release("C", "Z1", state="failed", in_play=False)
    assert "Z1" not in [label for _, label in in_order(rankings.ice(known(played), "normalised"))]
    own = rankings.ice(known(played, player("C")), "normalised").rows[-1]
    assert (own.release.label, own.rank, own.why, own.security) == ("Z1", None, "failed", None)


def test_a_release_judged_late_is_ranked_then(played):
    played.release("C", "Y4", state="waiting")
    before = rankings.ice(known(played), "normalised").rows[-1]
    assert (before.release.label, before.why, before.security, before.release.measures) == ("Y4", "waiting", None, {})
    played.release("C", "Y4")
    played.judged("Y4", {"U1": 0.0, "U2": 10.0}, {"E1": 0}, 0)
    assert in_order(rankings.ice(known(played), "normalised"))[0] == (1, "Y4")


def test_a_disqualified_attacker_takes_no_security_away(played):
    played.teams("D")
    played.guess("D", "Y2", 99)
    assert in_order(board(played).ice) == [(1, "Y1"), (2, "Y2"), (3, "Y3")]
    played.teams("D", disqualified="had the correspondence")
    best = board(played).ice.rows[0]
    assert (best.release.label, best.security, best.players) == ("Y2", 0.1, 0.02)
    assert [row.rank for row in board(played).fire.rows if row.team == "D"] == [None]


def test_a_contest_without_utilities_ranks_by_security_alone(played):
    found = rankings.ice(replace(known(played), utilities=()), "normalised")
    assert in_order(found) == [(1, "Y2"), (2, "Y3"), (3, "Y1")]
    assert found.worst == 1.0


def test_a_judged_release_that_nothing_identified_has_security_zero(make):
    rows = make()
    rows.teams("A")
    rows.release("A", "Y1")
    rows.go("reveal")
    row = board(rows).ice.rows[0]
    assert (row.rank, row.security, row.samples, row.aya, row.players) == (1, 0.0, None, None, None)


def test_before_the_reveal_nothing_is_ranked_by_what_is_hidden(played):
    played.go("attack")
    found = board(played, player("A")).ice
    assert {(row.rank, row.why, row.security, row.total) for row in found.rows} == {(None, "hidden", None, None)}
    assert in_order(found) == [(None, "Y1"), (None, "Y2"), (None, "Y3")]
    assert found.rows[0].release.measures == {"S1": 1.0, "U1": 0.0, "U2": 10.0}
    assert board(played, player("A")).fire is None
    judges = board(played, JUDGE)
    assert in_order(judges.ice)[0] == (1, "Y2")
    assert judges.fire is not None


def test_sample_attacks_that_are_shown_give_a_ranking_for_the_time_being(played):
    played.arena = played.with_options(played.arena.definition, show_sample_attacks=True)
    played.guess("A", "Y2", 100)
    played.go("attack")
    found = board(played).ice
    assert found.complete is False
    assert in_order(found) == [(1, "Y2"), (2, "Y1"), (3, "Y3")]
    assert [row.players for row in found.rows] == [None] * 3
    played.go("anonymise")
    assert in_order(board(played, player("A")).ice) == in_order(found)  # live while releases are made


def test_a_hidden_author_is_not_told_by_being_disqualified(played):
    played.arena = played.with_options(played.arena.definition, show_sample_attacks=True)
    played.teams("B", disqualified="late")
    played.go("attack")
    assert in_order(board(played).ice)[0] == (1, "Y2")
    played.go("reveal")
    assert [row.why for row in board(played).ice.rows if row.release.label == "Y2"] == ["disqualified"]


# --- the paper's tables

# rank, team, U1..U6, S1, S2, E1..E4, AYA, largest of all: P2 Table 5. Where the last exceeds the rest it was a player.
TABLE_5 = """
1 02 0.00 0.00 0.00 0.09 0.01 0.00 1.00 13.71 0.00 0.00 0.00 0.00 0.03 0.03
2 02 0.00 0.00 0.00 0.09 0.01 0.00 1.00 13.68 0.00 0.00 0.00 0.00 0.08 0.08
3 01 0.00 0.00 0.00 0.07 0.02 0.00 1.00 36.07 0.00 0.02 0.00 0.00 0.36 0.36
4 02 0.00 4321.75 1.54 0.03 0.01 0.00 3.00 36.07 0.00 0.02 0.01 0.00 0.21 0.30
5 10 0.00 0.00 0.00 0.00 0.03 0.00 1.00 36.07 0.00 0.08 0.08 0.01 0.92 0.92
"""
COLUMNS = ("U1", "U2", "U3", "U4", "U5", "U6", "S1", "S2")
ATTACKS = ("E1", "E2", "E3", "E4")


def test_the_largest_of_all_attacks_is_the_security_of_table_5(make):
    rows = make()
    lines = [line.split() for line in TABLE_5.split("\n") if line]
    rows.teams(*{line[1] for line in lines}, "attacker")
    for rank, team, *cells in lines:
        values = [float(cell) for cell in cells]
        hits = [round(value * 100) for value in values[8:]]
        rows.release(team, f"Y{rank}")
        rows.judged(
            f"Y{rank}",
            dict(zip(COLUMNS, values[:8], strict=True)),
            dict(zip(ATTACKS, hits[:4], strict=True)),
            hits[4],
        )
        if hits[5] > max(hits[:5]):
            rows.guess("attacker", f"Y{rank}", hits[5])
    rows.go("reveal")
    by_label = {row.release.label: row for row in board(rows).ice.rows}
    assert [by_label[f"Y{line[0]}"].security for line in lines] == [float(line[-1]) for line in lines]
    fourth = by_label["Y4"]
    assert (fourth.samples, fourth.aya, fourth.players) == (0.02, 0.21, 0.30)
    assert [one.shown for one in fourth.release.found] == ["E1", "E2", "E3", "E4", "AYA", "attacker"]


def test_the_original_stands_beside_the_board_as_in_table_6(played):
    played.reference()
    for phase in ("anonymise", "attack", "reveal"):
        played.go(phase)
        row = board(played).ice.reference
        assert (row.release.label, row.rank, row.why, row.security, row.total) == ("X", None, None, 1.0, None)
        assert row.release.measures == {"S1": 1.0, "U1": 0.0, "U2": 0.0}
        assert [(one.name, one.rate) for one in row.release.found] == [("E1", 0.65), ("E2", 1.0)]
    assert rankings.ice(known(played), "normalised").rows[0].release.label == "Y2"  # it is not ranked with the others


# identified records, trials, tests, ratio in per cent: P2 Table 7, 8,333 records a release.
TABLE_7 = """
51628 21 174993 29.5
44852 23 191659 23.4
40204 17 141661 28.4
38811 22 183326 21.2
34247 8 66664 51.4
34059 12 99996 34.1
31110 22 183326 17.0
23420 21 174993 13.4
13584 8 66664 20.4
8344 11 91663 9.1
1943 1 8333 23.3
18 2 16666 0.1
5 5 41665 0.0
"""


def test_attackers_are_ranked_as_in_table_7(make):
    rows = make()
    lines = [line.split() for line in TABLE_7.split("\n") if line]
    rows.teams("author", *(f"T{len(lines) - at:02}" for at in range(len(lines))))
    for number in range(23):
        rows.release("author", f"Y{number}")
    for at, (identified, trials, _, _) in enumerate(lines):
        share, rest = divmod(int(identified), int(trials))
        for number in range(int(trials)):
            rows.guess(f"T{len(lines) - at:02}", f"Y{number}", share + (number < rest), 8333)
    rows.go("reveal")
    found = board(rows).fire
    assert [(row.rank, row.team) for row in found.rows] == [(at + 1, f"T{13 - at:02}") for at in range(13)]
    shown = [f"{row.identified} {row.trials} {row.tests} {row.ratio:.1f}" for row in found.rows]
    assert shown == [line for line in TABLE_7.split("\n") if line]


def test_fire_counts_what_is_scored_and_withdrawn_releases_too(played):
    played.release("C", "Y3", withdrawn=BEGIN + 2 * DAY)
    played.guess("B", "Y3")  # not scored yet
    played.reveal()
    rows = {row.team: (row.rank, row.identified, row.trials, row.tests) for row in board(played).fire.rows}
    assert rows == {"A": (1, 31, 2, 200), "B": (2, 30, 1, 100), "C": (3, 2, 1, 100)}


def test_fire_ties_and_disqualified_attackers(played):
    played.guess("C", "Y1", 28)
    played.teams("D", disqualified="two accounts")
    played.guess("D", "Y1", 100)
    assert [(row.rank, row.team) for row in board(played).fire.rows] == [(1, "A"), (2, "B"), (2, "C"), (None, "D")]


def test_the_best_three_attacks_count_and_those_not_made_are_zero(played):
    for label, hits in (("Y4", 90), ("Y5", 60), ("Y6", 6)):
        played.release("C", label)
        played.guess("A", label, hits)
    found = rankings.fire(known(played), "best_three")
    assert [(row.team, row.score) for row in found.rows] == [
        ("A", pytest.approx((0.9 + 0.6 + 0.3) / 3)),
        ("B", pytest.approx(0.1)),
        ("C", pytest.approx(0.02 / 3)),
    ]


# --- all rounds


def test_rounds_are_added_up_by_their_weights(make):
    """Totals are 0 and 2 where two releases differ in one utility and in security, and 3 without a release.

    | | preliminary (weight 1) | final (weight 9) | |
    | A | 0, its other one 2 | 2 | 18 |
    | B | 2 | 0 | 2 |
    | C | none: 3 | 2 | 21 |
    """
    rows = make(round_of("preliminary"), round_of("final", BEGIN + 10 * DAY, 9.0))
    rows.teams("A", "B", "C")
    for team, label, name, good in (
        ("A", "P1", "preliminary", True),
        ("A", "P2", "preliminary", False),
        ("B", "P3", "preliminary", False),
        ("A", "F1", "final", False),
        ("B", "F2", "final", True),
        ("C", "F3", "final", False),
    ):
        rows.release(team, label, name)
        rows.judged(label, {"U1": 0.0 if good else 5.0, "U2": 1.0}, {"E1": 0 if good else 20}, 0)
    for team, label, hits in (("A", "P3", 10), ("B", "P1", 8), ("B", "F1", 3), ("C", "F1", 1)):
        rows.guess(team, label, hits)
    rows.clock.set(BEGIN + 99 * DAY)
    with rows.database.reading() as session:
        found = freezing.all_rounds(rows.arena, session, VISITOR)
    assert [(row.rank, row.team, row.score) for row in found.ice] == [(1, "B", 2.0), (2, "A", 18.0), (3, "C", 21.0)]
    assert found.ice[2].rounds == {"preliminary": None, "final": 2.0}
    assert [(row.rank, row.team, row.score) for row in found.fire] == [(1, "B", 35.0), (2, "A", 10.0), (3, "C", 9.0)]


def test_only_rounds_that_are_public_are_added_up(make):
    open_games = {"team_names": "shown", "show_sample_attacks": True}
    rows = make(round_of("preliminary"), round_of("final", BEGIN + 10 * DAY), **open_games)
    rows.teams("A")
    for label, name in (("P1", "preliminary"), ("F1", "final")):
        rows.release("A", label, name)
        rows.judged(label, {"U1": 0.0, "U2": 1.0}, {"E1": 0})
    rows.clock.set(BEGIN + 12.5 * DAY)
    with rows.database.reading() as session:
        assert list(freezing.all_rounds(rows.arena, session, player("A")).ice[0].rounds) == ["preliminary"]
        assert list(freezing.all_rounds(rows.arena, session, JUDGE).ice[0].rounds) == ["preliminary", "final"]
    rows.clock.set(BEGIN)
    with rows.database.reading() as session:
        assert freezing.all_rounds(rows.arena, session, VISITOR) == overall.Overall((), ())


def test_a_team_stands_with_its_best_release(played):
    played.release("A", "Y4")
    played.judged("Y4", {"U1": 0.0, "U2": 10.0}, {"E1": 0}, 0)
    assert [(row.rank, row.team, row.best.release.label) for row in overall.teams(board(played).ice)] == [
        (1, "A", "Y4"),
        (2, "B", "Y2"),
        (3, "C", "Y3"),
    ]


def test_a_disqualified_team_is_nowhere_in_the_end(played):
    played.teams("B", disqualified="shared its answers")
    with played.database.reading() as session:
        found = freezing.all_rounds(played.arena, session, VISITOR)
    assert "B" not in [row.team for row in (*found.ice, *found.fire)]
