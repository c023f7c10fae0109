"""The actions and lists of organisers and judges: who may do what, what changes, what the log says."""

from __future__ import annotations

import inspect
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from sqlalchemy import select, update
from support.arena.events import events
from support.arena.fixtures import BEGIN, DAY, player, release_files
from support.arena.played import run_here

from icefire.arena import admin
from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import freezing
from icefire.arena.contest.definition import PHASES
from icefire.arena.errors import Absent, Clash, NotLoggedIn, Refused, WrongInput
from icefire.arena.judge import sandbox, worker
from icefire.arena.storage.tables import (
    AnnouncementRow,
    GuessRow,
    ReleaseRow,
)
from icefire.arena.submit import ice

PASSWORD = "correct horse battery"


@pytest.fixture
def staff(arena):
    return {role: player(arena, f"a-{role}", role=role) for role in ("player", "judge", "organiser", "admin")}


def starts(arena, name="final") -> dict[str, datetime]:
    with arena.database.reading() as session:
        return arena.round_now(session, name).starts


def announced(arena) -> list[str]:
    with arena.database.reading() as session:
        return list(session.scalars(select(AnnouncementRow.text).order_by(AnnouncementRow.at)))


# --- who may


ACTIONS = {
    "announce": lambda a, who: admin.announce(a, who, "hello"),
    "move_phase": lambda a, who: admin.move_phase(a, who, "final", "reveal", BEGIN + 9 * DAY),
    "undo_begin": lambda a, who: admin.undo_begin(a, who, "final"),
    "extend": lambda a, who: admin.extend(a, who, "final", "freeze", 5),
    "pause": lambda a, who: admin.pause(a, who),
    "resume": lambda a, who: admin.resume(a, who),
    "disqualify": lambda a, who: admin.disqualify(a, who, "t" * 32, "why"),
    "set_division": lambda a, who: admin.set_division(a, who, "t" * 32, ""),
    "reinstate": lambda a, who: admin.reinstate(a, who, "t" * 32),
    "make_account": lambda a, who: admin.make_account(a, who, "new", PASSWORD),
    "make_accounts": lambda a, who: admin.make_accounts(a, who, [admin.ListedPerson("new")]),
    "new_link": lambda a, who: admin.new_link(a, who, "p" * 32),
    "deliveries": lambda a, who: admin.deliveries(a, who),
    "send_again": lambda a, who: admin.send_again(a, who),
    "set_role": lambda a, who: admin.set_role(a, who, "p" * 32, "judge"),
    "reset_password": lambda a, who: admin.reset_password(a, who, "p" * 32),
    "set_disabled": lambda a, who: admin.set_disabled(a, who, "p" * 32),
    "clear_lockout": lambda a, who: admin.clear_lockout(a, who, "p" * 32),
    "clear_all_lockouts": lambda a, who: admin.clear_all_lockouts(a, who),
    "failed_logins": lambda a, who: admin.failed_logins(a, who),
    "accounts": lambda a, who: admin.accounts(a, who),
    "rescore": lambda a, who: admin.rescore(a, who, round_name="final"),
    "teams": lambda a, who: admin.teams(a, who),
    "releases": lambda a, who: admin.releases(a, who, "final"),
    "guesses": lambda a, who: admin.guesses(a, who, "final"),
    "suspicions": lambda a, who: admin.suspicions(a, who),
    "queue": lambda a, who: admin.queue(a, who),
    "log_page": lambda a, who: admin.log_page(a, who),
    "fingerprints": lambda a, who: admin.fingerprints(a, who, "final"),
    "recognise_methods": lambda a, who: admin.recognise_methods(a, who, "final"),
}
JUDGES_TOO = {
    "rescore",
    "suspicions",
    "teams",
    "releases",
    "guesses",
    "queue",
    "log_page",
    "fingerprints",
    "recognise_methods",
}


def test_every_door_of_the_desk_is_tried_below():
    assert set(ACTIONS) == {name for name in admin.__all__ if inspect.isfunction(getattr(admin, name))}


@pytest.mark.parametrize("name", ACTIONS)
def test_only_staff_get_to_the_desk(arena, staff, name):
    before = events(arena)
    with pytest.raises(NotLoggedIn):
        ACTIONS[name](arena, VISITOR)
    for role in ("player", "judge"):
        if role == "judge" and name in JUDGES_TOO:
            continue
        with pytest.raises(Refused) as refusal:
            ACTIONS[name](arena, staff[role])
        assert refusal.value.status == 403
    assert events(arena) == before
    try:
        ACTIONS[name](arena, staff["admin"])
    except Absent:
        assert name in (
            "disqualify",
            "reinstate",
            "set_division",
            "set_role",
            "reset_password",
            "set_disabled",
            "new_link",
            "clear_lockout",
        )
    except Clash:
        assert name in ("resume", "undo_begin")
    else:
        looks = name in JUDGES_TOO - {"rescore", "recognise_methods"} | {"accounts", "deliveries", "failed_logins"}
        assert (events(arena) == before) == looks
        assert all(one[1] == staff["admin"].account_id for one in events(arena)[len(before) :] if one[0] != "account")


# --- telling


def test_an_announcement_is_told_and_written_down(arena, staff):
    made = admin.announce(arena, staff["organiser"], "  Lunch\r\nat noon\x00\x1b \n")
    assert announced(arena) == ["Lunch\nat noon"]
    assert events(arena)[-1] == ("announcement", staff["organiser"].account_id, {"announcement": made.id})
    for text in ("", " \n ", "x" * 4001):
        with pytest.raises(WrongInput, match="takes 1 to 4,000"):
            admin.announce(arena, staff["organiser"], text)


# --- phases


def test_a_phase_is_moved_in_order_and_everybody_is_told(arena, staff):
    by = staff["organiser"]
    assert admin.move_phase(arena, by, "final", "attack", BEGIN + 2.5 * DAY) == BEGIN + 2.5 * DAY
    assert starts(arena)["attack"] == BEGIN + 2.5 * DAY
    assert "attack: 2026-05-03 12:00:00 UTC (2026-05-03 21:00:00 Asia/Tokyo)" in announced(arena)[-1]
    assert ("phase", by.account_id) in [one[:2] for one in events(arena)]
    with pytest.raises(WrongInput, match="'attack' would begin after 'reveal'"):
        admin.move_phase(arena, by, "final", "attack", BEGIN + 4 * DAY)
    with pytest.raises(WrongInput, match="'attack' would begin before 'freeze'"):
        admin.move_phase(arena, by, "final", "attack", BEGIN + 0.9 * DAY)
    with pytest.raises(WrongInput, match="no zone"):
        admin.move_phase(arena, by, "final", "attack", datetime(2026, 5, 3))
    with pytest.raises(WrongInput, match="it takes one of anonymise"):
        admin.move_phase(arena, by, "final", "lunch", BEGIN)
    with pytest.raises(Absent):
        admin.move_phase(arena, by, "semi-final", "attack", BEGIN)
    assert len(announced(arena)) == 1


def test_a_phase_can_begin_at_once_and_never_in_the_past(arena, staff):
    assert admin.move_phase(arena, staff["organiser"], "final", "freeze") == arena.now()
    assert admin.move_phase(arena, staff["organiser"], "final", "attack", BEGIN - DAY, confirmed=True) == arena.now()
    with arena.database.reading() as session:
        assert arena.round_now(session, "final").phase == "attack"


def test_extending_moves_all_that_comes_later_and_nothing_else(arena, staff):
    before = starts(arena)
    admin.extend(arena, staff["organiser"], "final", "freeze", 90)
    after = starts(arena)
    assert {name: after[name] - before[name] for name in PHASES} == {
        "anonymise": timedelta(0),
        **dict.fromkeys(PHASES[1:], timedelta(minutes=90)),
    }
    for minutes in (0, -5, 10**9):
        with pytest.raises(WrongInput, match="minutes is"):
            admin.extend(arena, staff["organiser"], "final", "freeze", minutes)


def test_what_has_been_shown_cannot_be_hidden_again(arena, staff, monkeypatch):
    by = staff["organiser"]
    arena.clock.set(BEGIN + 2.5 * DAY)
    for phase in ("anonymise", "freeze", "attack"):
        with pytest.raises(Refused, match="has begun"):
            admin.move_phase(arena, by, "final", phase, BEGIN + 2.9 * DAY)
        with pytest.raises(Refused, match="has begun"):
            admin.extend(arena, by, "final", phase, 10**5)
    arena.clock.set(BEGIN + 3.5 * DAY)
    with pytest.raises(Refused, match="has begun"):
        admin.extend(arena, by, "final", "reveal", 10**5)


def test_a_freeze_that_has_just_begun_can_be_put_off_and_the_board_is_frozen_anew(arena, staff, original, monkeypatch):
    monkeypatch.setattr(sandbox, "run_task", run_here)
    team = player(arena, "p", "Ice")
    worker.finish(arena)
    arena.clock.set(BEGIN + DAY + timedelta(minutes=1))
    freezing.keep_up(arena)
    with pytest.raises(Refused):
        ice.submit(arena, team, "final", release_files(original))
    with pytest.raises(WrongInput, match="too few"):
        admin.extend(arena, staff["organiser"], "final", "freeze", 1)
    admin.extend(arena, staff["organiser"], "final", "freeze", 30)
    label = ice.submit(arena, team, "final", release_files(original)).label
    worker.finish(arena)
    arena.clock.set(BEGIN + DAY + timedelta(minutes=31))
    freezing.keep_up(arena)
    with arena.database.reading() as session:
        shown = freezing.board(arena, session, VISITOR, "final")
    assert shown.frozen == arena.now()
    assert [row.release.label for row in shown.ice.rows] == [label]


def test_the_first_phase_can_be_put_off_only_while_nothing_was_handed_in(arena, staff, original, monkeypatch):
    monkeypatch.setattr(sandbox, "run_task", run_here)
    admin.move_phase(arena, staff["organiser"], "final", "anonymise", BEGIN + 0.6 * DAY)
    team = player(arena, "p", "Ice")
    with pytest.raises(Refused, match="only in the phase 'anonymise'"):
        ice.submit(arena, team, "final", release_files(original))
    arena.clock.set(BEGIN + 0.7 * DAY)
    ice.submit(arena, team, "final", release_files(original))
    with pytest.raises(Refused, match="releases were handed in"):
        admin.move_phase(arena, staff["organiser"], "final", "anonymise", BEGIN + 0.8 * DAY)


def test_a_pause_stops_everything_and_moves_what_comes(arena, staff):
    by, before = staff["organiser"], starts(arena)
    admin.pause(arena, by)
    with pytest.raises(Clash, match="paused already"):
        admin.pause(arena, by)
    arena.clock.move(timedelta(hours=2))
    with pytest.raises(Refused, match="paused"):
        admin.move_phase(arena, by, "final", "attack", BEGIN + 2.5 * DAY)
    admin.extend(arena, by, "final", "reveal", 60)
    assert admin.resume(arena, by) == timedelta(hours=2)
    with pytest.raises(Clash, match="not paused"):
        admin.resume(arena, by)
    after = starts(arena)
    assert [after[name] - before[name] for name in PHASES] == [timedelta(hours=hours) for hours in (0, 2, 2, 3)]
    assert [one[0] for one in events(arena) if one[0] in ("pause", "resume")] == ["pause", "resume"]
    assert "begins 2:00:00 later" in announced(arena)[-1]


# --- teams and scores


def test_disqualifying_takes_a_team_out_and_reinstating_puts_it_back(played):
    arena, by, team = played.arena, played.admin, played.teams[1]

    def ranked():
        with arena.database.reading() as session:
            board = freezing.board(arena, session, VISITOR, "final")
        return {row.release.team for row in board.ice.rows if row.rank}, {
            row.team for row in board.fire.rows if row.rank
        }

    assert all("Fire" in some for some in ranked())
    admin.disqualify(arena, by, team.team_id, "two accounts")
    assert not any("Fire" in some for some in ranked())
    with pytest.raises(Clash, match="disqualified already"):
        admin.disqualify(arena, by, team.team_id, "again")
    admin.reinstate(arena, by, team.team_id)
    assert all("Fire" in some for some in ranked())
    with pytest.raises(Clash, match="not disqualified"):
        admin.reinstate(arena, by, team.team_id)
    told = [one[2] for one in events(arena) if one[0] == "disqualified"][-2:]
    assert told == [{"team": team.team_id, "reason": "two accounts"}, {"team": team.team_id, "reinstated": True}]


def test_a_judge_has_things_judged_again(played):
    arena = played.arena
    judge = player(arena, "j", role="judge")
    with arena.database.reading() as session:
        release, guess = session.scalars(select(ReleaseRow.id)).first(), session.scalars(select(GuessRow.id)).first()
    assert admin.rescore(arena, judge, release_id=release) == 1
    assert admin.rescore(arena, judge, guess_id=guess) == 1
    waiting = {(one.kind, one.about, one.state) for one in admin.queue(arena, judge)}
    assert waiting == {("judge", release, "waiting"), ("guess", guess, "waiting")}
    assert admin.rescore(arena, judge, round_name="final") == 1 + 5 + 12
    assert events(arena)[-1] == ("rescored", judge.account_id, {"jobs": 18, "round": "final"})
    for wrong in ({}, {"release_id": release, "guess_id": guess}):
        with pytest.raises(WrongInput, match="name one thing"):
            admin.rescore(arena, judge, **wrong)
    for absent in ({"release_id": "x"}, {"guess_id": "x"}, {"round_name": "x"}):
        with pytest.raises(Absent):
            admin.rescore(arena, judge, **absent)


# --- lists


def test_the_lists_of_the_desk_tell_no_score(played):
    arena, by = played.arena, played.admin
    teams = {one.name: one for one in admin.teams(arena, by)}
    assert (teams["Fire"].members, teams["Fire"].releases, teams["Fire"].guesses) == (("person-Fire",), 2, 6)
    assert teams["Ice"].disqualified == "shared its key"
    assert [(one.name, one.team) for one in admin.accounts(arena, by) if one.role == "admin"] == [("the-admin", None)]
    lines, guesses = admin.releases(arena, by, "final"), admin.guesses(arena, by, "final")
    releases = [one.release for one in lines]
    assert (len(releases), len(guesses)) == (5, 12)
    assert all(one.received >= other.received for one, other in pairwise(releases))
    assert [one.state for one in releases if one.withdrawn] == ["judged"]
    assert not any(one.twin for one in lines)
    with arena.database.transaction() as session:
        first = session.get(ReleaseRow, releases[0].id)
        session.execute(update(ReleaseRow).where(ReleaseRow.round == "final").values(content=first.content))
    assert all(one.twin for one in admin.releases(arena, by, "final"))
    stored = [vars(one) for one in (*releases, *(one.guess for one in guesses), *admin.queue(arena, by))]
    shown = repr([*lines, *guesses, *teams.values(), *stored])
    assert "rate" not in shown
    assert "hits" not in shown


def test_the_log_is_read_page_by_page(played):
    every = admin.log_page(played.arena, played.admin, size=500)
    first = admin.log_page(played.arena, played.admin, size=7)
    second = admin.log_page(played.arena, played.admin, before=first[-1].number, size=7)
    assert every[:14] == first + second
    assert [one.number for one in every] == list(range(len(every), 0, -1))
    assert "the-admin" in {one.actor for one in every}
    assert admin.log_page(played.arena, played.admin, before=1) == []
