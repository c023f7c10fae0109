"""Divisions: places among the teams of one, by the totals of all."""

from __future__ import annotations

import pytest
from support.arena.fixtures import player
from support.arena.rows import JUDGE, Rows
from support.arena.web import STORED, _quick_passwords, account, csrf, log_in  # noqa: F401

from icefire.arena import admin
from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import divisions, exports, freezing
from icefire.arena.errors import Absent, WrongInput
from icefire.arena.storage.tables import EventRow, TeamRow

DIVISIONS = ("students", "others")


@pytest.fixture
def rows(tmp_path):
    """Four teams, two in each division, each with one release, all attacked; A is best, then B, C and D."""
    made = Rows(tmp_path, divisions=DIVISIONS)
    made.teams("A", "B", "C", "D")
    with made.database.transaction() as session:
        for name, division in zip("ABCD", ("others", "students", "others", "students"), strict=True):
            session.get_one(TeamRow, name).division = division
    for number, name in enumerate("ABCD"):
        made.release(name, name.lower())
        made.judged(name.lower(), {"U1": number / 4, "U2": number / 4}, {"E1": 20 * number, "E2": 0})
    for attacker, hits in (("A", 4), ("B", 6), ("D", 2)):
        made.guess(attacker, "c", hits=hits)
    return made


def board(rows, actor, division):
    with rows.database.reading() as session:
        whole = freezing.board(rows.arena, session, actor, "final")
        return divisions.of_division(whole, divisions.teams_in(session, rows.arena, division))


def test_places_are_among_the_division_and_totals_those_of_all(rows):
    rows.go("reveal")
    rows.reveal()
    with rows.database.reading() as session:
        whole = freezing.board(rows.arena, session, VISITOR, "final")
    totals = {row.release.team: row.total for row in whole.ice.rows}
    for name, teams in (("students", ["B", "D"]), ("others", ["A", "C"])):
        here = board(rows, VISITOR, name)
        assert [(row.rank, row.release.team) for row in here.ice.rows] == [(1, teams[0]), (2, teams[1])]
        assert all(row.total == totals[row.release.team] for row in here.ice.rows)
    assert [(row.rank, row.team) for row in board(rows, VISITOR, "students").fire.rows] == [(1, "B"), (2, "D")]
    assert [(row.rank, row.team) for row in board(rows, VISITOR, "others").fire.rows] == [(1, "A")]


def test_a_hidden_author_is_in_no_division_until_the_reveal(rows):
    rows.go("attack")
    assert board(rows, VISITOR, "students").ice.rows == ()
    assert {row.release.team for row in board(rows, JUDGE, "students").ice.rows} == {"B", "D"}


def test_a_division_that_does_not_exist_has_no_board(rows):
    with pytest.raises(Absent):
        board(rows, VISITOR, "nobody")


def test_a_team_is_founded_in_a_division_and_moved_at_the_desk(make_arena):
    from starlette.testclient import TestClient

    from icefire.arena.web.app import create_app

    arena = make_arena(more='divisions = ["students", "others"]')
    account(arena, "Ann")
    boss = player(arena, "Boss", role="organiser")
    with TestClient(create_app(arena, worker=False), follow_redirects=False) as browser:
        log_in(browser, "Ann")
        token = csrf(browser, "/team")
        for wrong in ("", "elders"):
            sent = {"csrf": token, "name": "Snow", "division": wrong}
            assert browser.post("/team/found", data=sent).status_code == 422
        assert browser.post("/team/found", data={**sent, "division": "students"}).status_code == 303
        assert "Division: students" in browser.get("/team").text
        (team,) = browser.get("/api/v1/teams").json()["teams"]
        assert team["division"] == "students"
        assert "division=others" in browser.get("/board").text
        assert "Places among the teams" in browser.get("/board?division=students").text
        assert browser.get("/board?division=elders").status_code == 404
        assert browser.get("/api/v1/board?division=others").json()["ice"]["rows"] == []
        assert browser.get("/api/v1/overall?division=elders").status_code == 404
    admin.set_division(arena, boss, team["id"], "others")
    with pytest.raises(WrongInput, match="it takes one of students, others"):
        admin.set_division(arena, boss, team["id"], "elders")
    assert b"Snow,,others" in exports.export(arena, VISITOR, "teams", "csv")
    with arena.database.reading() as session:
        assert session.query(EventRow).where(EventRow.kind == "division").one().body["division"] == "others"
