"""What captains do with their team, and how large it may be."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select
from support.arena.fixtures import BEGIN, DAY, player

from icefire.arena import verify
from icefire.arena.auth import actor as actors
from icefire.arena.auth import captains, invitations, shared_people, teams
from icefire.arena.errors import Absent, Clash, Refused
from icefire.arena.storage.tables import AccountRow, EventRow, MembershipRow, TeamRow


@pytest.fixture
def both(make_arena, database_url):
    """A competition on each database, with a captain, two members and a stranger."""
    arena = make_arena(database_url, "members_per_team = 3")
    ann = player(arena, "Ann", "Snow")
    return arena, {
        "ann": ann,
        "bob": player(arena, "Bob", join=ann),
        "cid": player(arena, "Cid", join=ann),
        "dan": player(arena, "Dan", "Rain"),
        "eve": player(arena, "Eve"),
    }


def now_as(session, who):
    return actors.actor_of(session, session.get_one(AccountRow, who.account_id))


def events(arena, kind):
    with arena.database.reading() as session:
        return session.scalars(select(EventRow).where(EventRow.kind == kind).order_by(EventRow.number)).all()


def test_a_captain_removes_a_member_who_stays_out(both):
    arena, who = both
    with arena.database.transaction() as session:
        code = invitations.new_invite(session, who["ann"], who["ann"].team_id, arena.now())
        captains.remove_member(session, who["ann"], who["bob"].account_id, arena.now())
    with arena.database.transaction() as session:
        assert session.get(MembershipRow, who["bob"].account_id) is None
        assert who["bob"].account_id in shared_people.ever_members(session, who["ann"].team_id)
    with pytest.raises(Refused, match="not valid"), arena.database.transaction() as session:
        teams.join_team(session, now_as(session, who["bob"]), code, arena.now())
    (line,) = events(arena, "removed")
    assert line.actor == who["ann"].account_id
    assert line.body == {"team": who["ann"].team_id, "account": who["bob"].account_id}


def test_codes_of_the_organisers_outlive_a_removal(both):
    arena, who = both
    boss = player(arena, "Boss", role="organiser")
    with arena.database.transaction() as session:
        code = invitations.new_invite(session, boss, who["ann"].team_id, arena.now())
        captains.remove_member(session, who["ann"], who["bob"].account_id, arena.now())
    with arena.database.transaction() as session:
        assert teams.join_team(session, now_as(session, who["eve"]), code, arena.now(), 3).name == "Snow"


def test_a_captain_hands_over_and_has_nothing_to_say_any_more(both):
    arena, who = both
    with arena.database.transaction() as session:
        captains.hand_over(session, who["ann"], who["bob"].account_id, arena.now())
    with arena.database.transaction() as session:
        every = session.scalars(select(MembershipRow).where(MembershipRow.team_id == who["ann"].team_id)).all()
        assert [one.account_id for one in every if one.captain] == [who["bob"].account_id]
    with pytest.raises(Refused, match="only the captain"), arena.database.transaction() as session:
        captains.hand_over(session, who["ann"], who["cid"].account_id, arena.now())  # with the actor of before
    assert events(arena, "captain")[0].body["account"] == who["bob"].account_id


@pytest.mark.parametrize("act", [captains.remove_member, captains.hand_over])
def test_nobody_else_leads_the_team(both, act):
    arena, who = both
    for by, about, refusal in (
        ("bob", "cid", Refused),
        ("dan", "bob", Absent),
        ("ann", "dan", Absent),
        ("ann", "eve", Absent),
        ("ann", "ann", Clash),
        ("eve", "bob", Refused),
    ):
        with pytest.raises(refusal), arena.database.transaction() as session:
            act(session, who[by], who[about].account_id, arena.now())
    with pytest.raises(Refused), arena.database.transaction() as session:
        act(session, actors.VISITOR, who["bob"].account_id, arena.now())


def test_two_hand_overs_at_once_leave_one_captain(both):
    arena, who = both

    def hand_over(name):
        try:
            with arena.database.transaction() as session:
                captains.hand_over(session, who["ann"], who[name].account_id, arena.now())
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(hand_over, ["bob", "cid"])) == [False, True]
    with arena.database.reading() as session:
        leads = session.scalars(select(MembershipRow.captain).where(MembershipRow.team_id == who["ann"].team_id))
        assert sum(leads) == 1


def test_a_team_is_renamed_while_no_board_stands_still(both):
    arena, who = both
    with arena.database.transaction() as session:
        captains.rename(session, arena, who["ann"], " Deep   snow ")
        with pytest.raises(Clash, match="taken"):
            captains.rename(session, arena, who["ann"], "RAIN")
        captains.rename(session, arena, who["ann"], "deep snow")  # its own name, spelt otherwise
        with pytest.raises(Refused, match="only the captain"):
            captains.rename(session, arena, who["bob"], "Mine")
    assert [line.body["name"] for line in events(arena, "renamed")] == ["Deep snow", "deep snow"]
    arena.clock.set(BEGIN + DAY + timedelta(seconds=1))
    with pytest.raises(Refused, match="stands still"), arena.database.transaction() as session:
        captains.rename(session, arena, who["ann"], "Ice")
    with arena.database.transaction() as session:
        assert verify.problems(arena, session, ()) == []
        session.get_one(TeamRow, who["ann"].team_id).name = "Changed behind the log"
        session.flush()
        assert any("name" in problem for problem in verify.problems(arena, session, ()))
        session.rollback()


def test_a_team_has_no_more_members_than_the_contest_says(both):
    arena, who = both
    with arena.database.transaction() as session:
        codes = [invitations.new_invite(session, who["dan"], who["dan"].team_id, arena.now()) for _ in range(4)]
    comers = [player(arena, f"Comer {number}") for number in range(4)]

    def join(one):
        try:
            with arena.database.transaction() as session:
                teams.join_team(session, comers[one], codes[one], arena.now(), arena.definition.members_per_team)
        except Clash as refusal:
            return str(refusal)
        return ""

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(join, range(4)))
    assert sorted(answers) == ["", "", *["the team has 3 members; at most 3 are allowed"] * 2]
