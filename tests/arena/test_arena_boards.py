"""Boards worked out by hand: rankings, the paper's tables, the freeze, the ceremony and the matrix."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import msgspec
import pytest
from arena_rows import BEGIN, DAY, JUDGE, ORGANISER, Rows, player, round_of
from sqlalchemy import select

from icefire.arena import log
from icefire.arena.actor import VISITOR
from icefire.arena.errors import Absent, Clash, Refused
from icefire.arena.judge import jobs
from icefire.arena.scores import boards, facts, freezing, matrix, overall, ranking, revealing
from icefire.arena.tables import Event, Guess, Identified, Measured, Phase, Snapshot, Team


@pytest.fixture
def make(tmp_path):
    """Make a competition in its own folder."""
    made: list[Rows] = []

    def one(*rounds, **options) -> Rows:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(Rows(folder, *rounds, **options))
        return made[-1]

    yield one
    for rows in made:
        rows.database.close()


@pytest.fixture
def played(make):
    """Three releases by three teams, attacked by one another; hits are of 100.

    | release | team | U1 | U2 | E1 | E2 | AYA | players | security |
    | Y1 | A | 0 | 10   | 50 | 20 | 10 | B 30      | 0.5 |
    | Y2 | B | 2 | 10   | 5  | 0  | 10 | A 1, C 2  | 0.1 |
    | Y3 | C | 4 | none | 10 | 20 | 0  | A 30      | 0.3 |
    """
    return fill(make())


@pytest.fixture
def played_on_both(make, database_url):
    """The same on each database in turn."""
    return fill(make(url=database_url))


def fill(rows: Rows) -> Rows:
    rows.teams("A", "B", "C")
    for team, label, measures, samples, aya in (
        ("A", "Y1", {"S1": 1.0, "U1": 0.0, "U2": 10.0}, {"E1": 50, "E2": 20}, 10),
        ("B", "Y2", {"S1": 3.0, "U1": 2.0, "U2": 10.0}, {"E1": 5, "E2": 0}, 10),
        ("C", "Y3", {"S1": 1.0, "U1": 4.0, "U2": None}, {"E1": 10, "E2": 20}, 0),
    ):
        rows.release(team, label)
        rows.judged(label, measures, samples, aya)
    for team, label, hits in (("B", "Y1", 30), ("A", "Y2", 1), ("C", "Y2", 2), ("A", "Y3", 30)):
        rows.guess(team, label, hits)
    rows.go("reveal")
    return rows


def known(rows: Rows, actor=VISITOR, round_name="final", arena=None):
    with rows.database.reading() as session:
        return facts.of(session, arena or rows.arena, round_name, actor)


def board(rows: Rows, actor=VISITOR, round_name="final") -> freezing.Board:
    with rows.database.reading() as session:
        return freezing.board(rows.arena, session, actor, round_name)


def in_order(ice: boards.IceBoard) -> list[tuple[int | None, str]]:
    return [(row.rank, row.release.label) for row in ice.rows]


# --- the sums


def test_values_are_stretched_and_what_has_none_is_worst():
    assert ranking.normalised([2.0, None, 4.0, 3.0]) == [0.0, 1.0, 1.0, 0.5]
    assert ranking.normalised([7.0, 7.0, None]) == [0.0, 0.0, 1.0]
    assert ranking.normalised([None, None]) == [1.0, 1.0]
    assert ranking.normalised([]) == []


def test_the_last_digits_of_a_sum_make_no_ranking():
    assert ranking.normalised([0.0, 3e-12, 1e-11]) == [0.0, 0.0, 0.0]
    assert ranking.mean_ranks([0.1 + 0.2, 0.3]) == [1.5, 1.5]
    assert ranking.places([0.1 + 0.2, 0.3, 0.4]) == [1, 1, 3]


def test_ranks_that_are_tied_share_their_mean():
    assert ranking.mean_ranks([5.0, 1.0, 5.0, None, 2.0, None]) == [3.5, 1.0, 3.5, 5.5, 2.0, 5.5]


# --- ice


def test_ice_by_normalised_sums(played):
    found = boards.ice(known(played), "normalised")
    assert in_order(found) == [(1, "Y2"), (2, "Y1"), (3, "Y3")]
    by_label = {row.release.label: row for row in found.rows}
    assert {label: row.security for label, row in by_label.items()} == {"Y1": 0.5, "Y2": 0.1, "Y3": 0.3}
    assert by_label["Y1"].normalised == pytest.approx({"U1": 0.0, "U2": 0.0, "security": 1.0})
    assert by_label["Y2"].normalised == pytest.approx({"U1": 0.5, "U2": 0.0, "security": 0.0})
    assert by_label["Y3"].normalised == pytest.approx({"U1": 1.0, "U2": 1.0, "security": 0.5})
    assert [row.total for row in found.rows] == pytest.approx([0.5, 1.0, 2.5])
    assert (found.complete, found.worst) == (True, 3.0)


def test_ice_by_sums_of_ranks(played):
    found = boards.ice(known(played), "rank_sum")
    assert [(row.release.label, row.rank, row.total) for row in found.rows] == [
        ("Y2", 1, 2 + 1.5 + 1),
        ("Y1", 2, 1 + 1.5 + 3),
        ("Y3", 3, 3 + 3 + 2),
    ]
    assert found.worst == 9.0


@pytest.mark.parametrize("rule", ["normalised", "rank_sum"])
def test_releases_that_are_equal_share_a_rank(played, rule):
    played.release("C", "Y0")
    played.judged("Y0", {"U1": 2.0, "U2": 10.0}, {"E1": 10}, 0)
    assert in_order(boards.ice(known(played), rule))[:3] == [(1, "Y0"), (1, "Y2"), (3, "Y1")]


def test_what_cannot_be_ranked_says_why_and_moves_nobody_else(played):
    usual = boards.ice(known(played), "normalised").rows
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
    found = boards.ice(known(played), "normalised")
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
    assert "Z1" not in [label for _, label in in_order(boards.ice(known(played), "normalised"))]
    own = boards.ice(known(played, player("C")), "normalised").rows[-1]
    assert (own.release.label, own.rank, own.why, own.security) == ("Z1", None, "failed", None)


def test_a_release_judged_late_is_ranked_then(played):
    played.release("C", "Y4", state="waiting")
    before = boards.ice(known(played), "normalised").rows[-1]
    assert (before.release.label, before.why, before.security, before.release.measures) == ("Y4", "waiting", None, {})
    played.release("C", "Y4")
    played.judged("Y4", {"U1": 0.0, "U2": 10.0}, {"E1": 0}, 0)
    assert in_order(boards.ice(known(played), "normalised"))[0] == (1, "Y4")


def test_a_disqualified_attacker_takes_no_security_away(played):
    played.teams("D")
    played.guess("D", "Y2", 99)
    assert in_order(board(played).ice) == [(1, "Y1"), (2, "Y2"), (3, "Y3")]
    played.teams("D", disqualified="had the correspondence")
    best = board(played).ice.rows[0]
    assert (best.release.label, best.security, best.players) == ("Y2", 0.1, 0.02)
    assert [row.rank for row in board(played).fire.rows if row.team == "D"] == [None]


def test_a_contest_without_utilities_ranks_by_security_alone(played):
    found = boards.ice(replace(known(played), utilities=()), "normalised")
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
    assert boards.ice(known(played), "normalised").rows[0].release.label == "Y2"  # it is not ranked with the others


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
    found = boards.fire(known(played), "best_three")
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


# --- the freeze


def public(rows: Rows, actor=VISITOR) -> bytes:
    """Everything about scores that somebody gets, as bytes."""
    releases = [one for one in known(rows, actor).releases if not one.own]
    return msgspec.json.encode([board(rows, actor), releases])


def test_the_public_board_stays_byte_for_byte_until_the_reveal(played_on_both):
    played = played_on_both
    played.arena = played.with_options(played.arena.definition, team_names="shown", show_sample_attacks=True)
    played.reference()
    played.go("freeze")
    freezing.keep_up(played.arena)
    frozen = {actor: public(played, actor) for actor in (VISITOR, player("A"), player(None, "A"))}
    assert board(played).frozen == BEGIN + DAY + timedelta(hours=1)
    for act in (
        lambda: played.go("attack"),
        lambda: played.guess("B", "Y3", 100),
        lambda: played.judged("Y1", {"U1": 99.0}, {"E1": 99}, 99),
        lambda: played.add(Team(id="B", name="Bee", name_key="bee", created=BEGIN, disqualified="late")),
        lambda: played.release("C", "Y3", state="refused", note="U1 is 9; at most 5"),
        lambda: played.job("judge", "Y1"),
        lambda: freezing.keep_up(played.arena),
    ):
        act()
        assert {actor: public(played, actor) for actor in frozen} == frozen
    assert board(played, JUDGE).frozen is None
    assert {row.release.label: row.security for row in board(played, JUDGE).ice.rows}["Y1"] == 0.99
    played.go("reveal")
    assert public(played) not in frozen.values()
    assert board(played).frozen is None


def test_a_withdrawal_is_told_in_the_matrix_and_not_on_the_frozen_board(played):
    played.go("freeze")
    freezing.keep_up(played.arena)
    before = msgspec.json.encode(board(played))
    played.release("C", "Y3", withdrawn=BEGIN + DAY)
    assert msgspec.json.encode(board(played)) == before
    assert [one.withdrawn is not None for one in known(played).releases] == [False, False, True]


def test_a_team_sees_its_own_release_as_it_is_and_others_as_they_were(played):
    played.go("freeze")
    freezing.keep_up(played.arena)
    played.judged("Y1", {"U1": 42.0}, {})
    played.judged("Y2", {"U1": 42.0}, {})
    assert [one.measures["U1"] for one in known(played, player("A")).releases] == [42.0, 2.0, 4.0]
    assert [one.measures["U1"] for one in known(played, JUDGE).releases] == [42.0, 42.0, 4.0]


def test_the_snapshot_waits_for_the_judge_but_not_beyond_the_attacks(played):
    def taken() -> bool:
        freezing.keep_up(played.arena)
        with played.database.reading() as session:
            return session.get(Snapshot, "final") is not None

    played.go("anonymise")
    assert not taken()
    played.go("freeze")
    played.job("judge", "Y1", "running")
    assert not taken()
    played.job("judge", "Y1", "failed")
    played.job("judge", "of another round", "waiting")
    played.job("guess", "A-Y2", "waiting")
    played.job("reference", jobs.reference_of("final"), "waiting")
    assert not taken()
    assert board(played, player("A")) == board(played, VISITOR)  # what will be frozen, and nobody's own
    played.go("attack")
    assert taken()


def test_the_snapshot_is_taken_once_and_is_in_the_log(played):
    played.go("freeze")
    freezing.keep_up(played.arena)
    first = board(played).frozen
    played.clock.move(timedelta(hours=2))
    freezing.keep_up(played.arena)
    assert board(played).frozen == first
    with played.database.reading() as session:
        lines = session.scalars(select(Event).where(Event.kind == "frozen")).all()
        assert [line.body["round"] for line in lines] == ["final"]
        assert log.verify(session) == []


def test_a_freeze_that_is_put_off_is_taken_anew(played):
    played.go("freeze")
    freezing.keep_up(played.arena)
    played.add(Phase(round="final", name="freeze", starts=BEGIN + 1.5 * DAY))
    assert board(played).frozen is None
    played.release("C", "Y9")
    played.judged("Y9", {"U1": 7.0}, {})
    played.clock.set(BEGIN + 1.6 * DAY)
    assert "Y9" in [row.release.label for row in board(played).ice.rows]
    freezing.keep_up(played.arena)
    assert board(played).frozen == BEGIN + 1.6 * DAY
    assert "Y9" in [row.release.label for row in board(played).ice.rows]


def test_while_releases_are_made_the_board_is_live_if_it_has_something_to_say(played):
    played.go("anonymise")
    assert len(board(played).ice.rows) == 3
    assert {row.release.team for row in board(played).ice.rows} == {None}
    played.arena = played.with_options(played.arena.definition, show_utility=False)
    assert board(played).ice.rows == ()
    assert [row.release.label for row in board(played, player("A")).ice.rows] == ["Y1"]
    assert len(board(played, JUDGE).ice.rows) == 3


def test_an_unknown_round_is_nothing(played):
    for ask in (board, known):
        with pytest.raises(Absent):
            ask(played, VISITOR, "semi-final")


# --- the ceremony


@pytest.fixture
def on_stage(played_on_both):
    played = played_on_both
    played.arena = played.with_options(played.arena.definition, ceremony=True)
    played.go("freeze")
    freezing.keep_up(played.arena)
    played.go("reveal")
    return played


def stage(rows: Rows) -> revealing.Stage:
    with rows.database.reading() as session:
        return revealing.stage(rows.arena, session, "final")


def test_places_are_told_one_by_one_from_the_last_to_the_first(on_stage):
    before = public(on_stage)
    assert (stage(on_stage).ice, stage(on_stage).fire, stage(on_stage).ice_places) == ((), (), 3)
    told = []
    for _ in range(6):
        now = revealing.step(on_stage.arena, ORGANISER, "final")
        latest = (now.fire or now.ice)[-1]
        told.append((now.board, latest.rank, latest.team, latest.label))
        assert public(on_stage) == before
        assert not now.done
    assert told == [
        ("ice", 3, "C", "Y3"),
        ("ice", 2, "A", "Y1"),
        ("ice", 1, "B", "Y2"),
        ("fire", 3, "C", None),
        ("fire", 2, "B", None),
        ("fire", 1, "A", None),
    ]
    assert stage(on_stage).ice[2] == revealing.Place(1, "B", "Y2", 0.5, 0.1)
    assert stage(on_stage).fire[2] == revealing.Place(1, "A", None, 31.0, 0.155)
    assert revealing.step(on_stage.arena, ORGANISER, "final").done
    assert in_order(board(on_stage).ice)[0] == (1, "Y2")
    with pytest.raises(Clash, match="is over"):
        revealing.step(on_stage.arena, ORGANISER, "final")


def test_a_reveal_that_is_put_off_takes_the_stage_back(on_stage):
    revealing.step(on_stage.arena, ORGANISER, "final")
    on_stage.go("attack")
    assert stage(on_stage).told == 0
    on_stage.go("reveal")
    assert stage(on_stage).told == 1


def test_the_stage_holds_no_place_that_has_not_been_told(on_stage):
    revealing.step(on_stage.arena, ORGANISER, "final")
    shown = msgspec.json.encode(stage(on_stage)).decode()
    assert "Y3" in shown
    assert "Y1" not in shown
    assert "Y2" not in shown


def test_a_step_can_be_taken_back_and_a_second_click_does_nothing(on_stage):
    with pytest.raises(Clash, match="nothing to take back"):
        revealing.back(on_stage.arena, ORGANISER, "final")
    for told in range(4):
        revealing.step(on_stage.arena, ORGANISER, "final", seen=told)
        assert revealing.step(on_stage.arena, ORGANISER, "final", seen=told).told == told + 1
    assert [place.team for place in stage(on_stage).fire] == ["C"]
    assert revealing.back(on_stage.arena, ORGANISER, "final").fire == ()
    assert len(revealing.back(on_stage.arena, ORGANISER, "final").ice) == 2


def test_all_can_be_told_at_once_and_each_step_is_in_the_log(on_stage):
    revealing.step(on_stage.arena, ORGANISER, "final")
    done = revealing.finish(on_stage.arena, ORGANISER, "final")
    assert (done.done, len(done.ice), len(done.fire)) == (True, 3, 3)
    with on_stage.database.reading() as session:
        lines = session.scalars(select(Event).where(Event.kind == "reveal").order_by(Event.number)).all()
    assert [(line.actor, line.body) for line in lines] == [
        ("organiser", {"round": "final", "board": "ice", "shown": 1, "done": False}),
        ("organiser", {"round": "final", "board": "fire", "shown": 3, "done": True}),
    ]


def test_the_ceremony_is_the_organisers_and_begins_with_the_reveal(on_stage):
    for act in (revealing.step, revealing.back, revealing.finish):
        for actor in (VISITOR, player("A"), JUDGE):
            with pytest.raises(Refused, match="only organisers"):
                act(on_stage.arena, actor, "final")
    on_stage.go("attack")
    with pytest.raises(Refused, match="cannot begin before"):
        revealing.step(on_stage.arena, ORGANISER, "final")
    assert stage(on_stage).told == 0
    plain = on_stage.with_options(on_stage.arena.definition, ceremony=False)
    with pytest.raises(Refused, match="has no ceremony"):
        revealing.step(plain, ORGANISER, "final")


def test_without_a_ceremony_all_is_told_when_the_reveal_begins(played):
    assert (stage(played).done, stage(played).told) == (True, 6)
    played.go("attack")
    assert (stage(played).done, stage(played).told) == (False, 0)


def test_a_round_nobody_played_in_is_over_with_the_first_step(make):
    rows = make(ceremony=True)
    rows.go("reveal")
    assert revealing.step(rows.arena, ORGANISER, "final").done


# --- the matrix


def states(rows: Rows, actor=VISITOR) -> dict[str, str]:
    found = matrix.of(known(rows, actor))
    return {
        team.name: " ".join(cell.state for cell in row) for team, row in zip(found.attackers, found.cells, strict=True)
    }


def test_before_the_reveal_the_matrix_tells_who_attacked_what_and_no_author(played):
    played.go("attack")
    assert states(played) == {"A": "open submitted submitted", "B": "submitted open open", "C": "open submitted open"}


def test_a_team_sees_its_own_cell_and_no_other_teams(played):
    played.go("attack")
    assert states(played, player("A")) == {
        "A": "own submitted submitted",
        "B": "submitted open open",
        "C": "open submitted open",
    }
    assert states(played, player("A", "C"))["C"] == "open submitted open"


def test_where_names_are_shown_every_own_cell_is(played):
    played.arena = played.with_options(played.arena.definition, team_names="shown")
    played.go("attack")
    assert states(played)["B"] == "submitted own open"


def test_judges_and_after_the_reveal_everybody_see_the_scores(played):
    expected = {"A": "own scored scored", "B": "scored own open", "C": "open scored own"}
    assert states(played) == expected
    played.go("attack")
    assert states(played, JUDGE) == expected
    found = matrix.of(known(played, JUDGE))
    assert [cell.rate for cell in found.cells[0]] == [None, 0.01, 0.3]
    hidden = matrix.of(known(played, player("A")))
    assert {cell.rate for row in hidden.cells for cell in row} == {None}
    assert [[cell.guess_id for cell in row] for row in hidden.cells] == [[None, "A-Y2", "A-Y3"], [None] * 3, [None] * 3]


def test_a_guess_the_judge_failed_on_is_open_again_to_its_team_and_looks_like_any_other_elsewhere(played):
    played.guess("B", "Y3")
    with played.database.transaction() as session:
        session.get(Guess, "B-Y3").state = "failed"
    played.go("attack")
    assert {who: states(played, player(who))["B"].split()[2] for who in "ABC"} == {
        "A": "submitted",
        "B": "open",
        "C": "submitted",
    }
    assert states(played, JUDGE)["B"] == "scored own open"


def test_a_release_withdrawn_late_stays_with_the_attacks_on_it_and_an_early_one_goes(played):
    played.release("C", "Y3", withdrawn=BEGIN + 2 * DAY)
    played.release("C", "Y4", withdrawn=BEGIN, in_play=False)
    played.go("attack")
    assert states(played) == {
        "A": "open submitted submitted",
        "B": "submitted open withdrawn",
        "C": "open submitted withdrawn",
    }
    assert len(matrix.of(known(played, JUDGE)).releases) == 3


def test_columns_are_by_label_and_by_team_once_that_is_public(played):
    played.release("C", "X0", number=1)
    played.release("A", "Y7", number=2)
    played.release("A", "Y1", number=1)
    assert [one.label for one in matrix.of(known(played)).releases][:3] == ["Y1", "Y7", "Y2"]
    played.go("attack")
    for actor in (VISITOR, JUDGE, player("A")):
        assert [one.label for one in matrix.of(known(played, actor)).releases] == ["X0", "Y1", "Y2", "Y3", "Y7"]


# --- boards as data


def test_a_board_comes_back_from_json_as_it_was(played):
    for phase in ("attack", "reveal"):
        played.go(phase)
        one = board(played, JUDGE)
        assert msgspec.json.decode(msgspec.json.encode(one), type=freezing.Board) == one


def test_rescored_figures_change_the_board_after_the_reveal(played):
    with played.database.transaction() as session:
        session.delete(session.get(Measured, ("Y3", "U1")))
        session.delete(session.get(Identified, ("Y1", "sample", "E1")))
    rows = {row.release.label: row for row in board(played).ice.rows}
    assert rows["Y3"].normalised["U1"] == 1.0  # a measure that is not there counts as worst
    assert rows["Y1"].security == 0.3
    assert in_order(board(played).ice)[0][1] == "Y1"
