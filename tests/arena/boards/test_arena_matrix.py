"""Who has attacked what, and boards as data."""

from __future__ import annotations

import msgspec
from support.arena.boards import board, in_order, known, make, played  # noqa: F401
from support.arena.rows import BEGIN, DAY, JUDGE, Rows, player

from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import matrix, snapshots
from icefire.arena.storage.tables import GuessRow, IdentifiedRow, MeasuredRow

# --- the matrix


def states(rows: Rows, actor=VISITOR) -> dict[str, str]:
    found = matrix.round_matrix(known(rows, actor))
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
    found = matrix.round_matrix(known(played, JUDGE))
    assert [cell.rate for cell in found.cells[0]] == [None, 0.01, 0.3]
    hidden = matrix.round_matrix(known(played, player("A")))
    assert {cell.rate for row in hidden.cells for cell in row} == {None}
    assert [[cell.guess_id for cell in row] for row in hidden.cells] == [[None, "A-Y2", "A-Y3"], [None] * 3, [None] * 3]


def test_a_guess_the_judge_failed_on_is_open_again_to_its_team_and_looks_like_any_other_elsewhere(played):
    played.guess("B", "Y3")
    with played.database.transaction() as session:
        session.get(GuessRow, "B-Y3").state = "failed"
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
    assert len(matrix.round_matrix(known(played, JUDGE)).releases) == 3


def test_columns_are_by_label_and_by_team_once_that_is_public(played):
    played.release("C", "X0", number=1)
    played.release("A", "Y7", number=2)
    played.release("A", "Y1", number=1)
    assert [one.label for one in matrix.round_matrix(known(played)).releases][:3] == ["Y1", "Y7", "Y2"]
    played.go("attack")
    for actor in (VISITOR, JUDGE, player("A")):
        assert [one.label for one in matrix.round_matrix(known(played, actor)).releases] == [
            "X0",
            "Y1",
            "Y2",
            "Y3",
            "Y7",
        ]


# --- boards as data


def test_a_board_comes_back_from_json_as_it_was(played):
    for phase in ("attack", "reveal"):
        played.go(phase)
        one = board(played, JUDGE)
        assert msgspec.json.decode(msgspec.json.encode(one), type=snapshots.RoundBoard) == one


def test_rescored_figures_change_the_board_after_the_reveal(played):
    with played.database.transaction() as session:
        session.delete(session.get(MeasuredRow, ("Y3", "U1")))
        session.delete(session.get(IdentifiedRow, ("Y1", "sample", "E1")))
    rows = {row.release.label: row for row in board(played).ice.rows}
    assert rows["Y3"].normalised["U1"] == 1.0  # a measure that is not there counts as worst
    assert rows["Y1"].security == 0.3
    assert in_order(board(played).ice)[0][1] == "Y1"
