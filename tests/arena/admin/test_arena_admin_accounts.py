"""Accounts at the desk: who handles whose, and what another role, password or state of one ends."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from support.arena.events import events
from support.arena.fixtures import player

from icefire.arena import admin
from icefire.arena.auth import actor as actors
from icefire.arena.auth import login, sessions, tokens
from icefire.arena.auth.actor import VISITOR
from icefire.arena.errors import Clash, NotLoggedIn, Refused, WrongInput
from icefire.arena.storage.tables import AccountRow, BrowserSessionRow, TokenRow

PASSWORD = "correct horse battery"


@pytest.fixture
def staff(arena):
    return {role: player(arena, f"a-{role}", role=role) for role in ("player", "judge", "organiser", "admin")}


def test_nobody_handles_an_account_of_their_own_rank_or_above(arena, staff):
    by = staff["organiser"]
    admin.make_account(arena, by, "one", PASSWORD, "judge")
    for role in ("organiser", "admin"):
        with pytest.raises(Refused, match="not handled by the role 'organiser'"):
            admin.make_account(arena, by, "two", PASSWORD, role)
        with pytest.raises(Refused, match="not handled by the role 'organiser'"):
            admin.reset_password(arena, by, staff[role].account_id)
        with pytest.raises(Refused):
            admin.set_disabled(arena, by, staff[role].account_id)
    with pytest.raises(WrongInput, match="role is 'king'"):
        admin.make_account(arena, by, "two", PASSWORD, "king")
    with pytest.raises(Refused, match="only an admin gives roles"):
        admin.set_role(arena, by, staff["player"].account_id, "admin")
    with pytest.raises(Refused):
        admin.set_role(arena, by, by.account_id, "admin")


def test_another_role_ends_the_sessions_and_players_in_a_team_get_none(arena, staff):
    someone = staff["player"]
    with arena.database.transaction() as session:
        account = session.get(AccountRow, someone.account_id)
        sessions.open_session(session, account, arena.now())
    admin.set_role(arena, staff["admin"], someone.account_id, "judge")
    with arena.database.reading() as session:
        assert session.get(AccountRow, someone.account_id).role == "judge"
        assert session.scalars(select(BrowserSessionRow)).all() == []
    assert events(arena)[-1][2] == {"account": someone.account_id, "role": "judge"}
    with pytest.raises(Clash, match="must leave the team"):
        admin.set_role(arena, staff["admin"], player(arena, "p", "Ice").account_id, "judge")


def test_a_new_password_shuts_out_whoever_had_the_old_one(arena, staff):
    made = admin.make_account(arena, staff["organiser"], "Ann", PASSWORD)
    with arena.database.transaction() as session:
        sessions.open_session(session, session.get(AccountRow, made.id), arena.now())
        token = tokens.new_token(session, session.get(AccountRow, made.id), "laptop", arena.now())
    new = admin.reset_password(arena, staff["organiser"], made.id)
    with pytest.raises(NotLoggedIn):
        login.login(arena.database, "Ann", PASSWORD, "1.2.3.4", arena.now())
    assert login.login(arena.database, "Ann", new, "1.2.3.4", arena.now()).id == made.id
    with arena.database.reading() as session:
        assert session.scalars(select(BrowserSessionRow)).all() == session.scalars(select(TokenRow)).all() == []
        assert tokens.find(session, token, arena.now()) is None
    assert not [one for one in events(arena) if new in str(one)]


def test_a_disabled_account_is_a_visitor(arena, staff):
    made = admin.make_account(arena, staff["organiser"], "Ann", PASSWORD)
    admin.set_disabled(arena, staff["organiser"], made.id)
    with pytest.raises(NotLoggedIn):
        login.login(arena.database, "Ann", PASSWORD, "1.2.3.4", arena.now())
    with arena.database.reading() as session:
        assert actors.actor_of(session, session.get(AccountRow, made.id)) == VISITOR
    admin.set_disabled(arena, staff["organiser"], made.id, disabled=False)
    assert login.login(arena.database, "Ann", PASSWORD, "1.2.3.4", arena.now()).id == made.id


def test_the_last_admin_stays(arena, staff):
    only = staff["admin"]
    with pytest.raises(Clash, match="last admin"):
        admin.set_role(arena, only, only.account_id, "player")
    with pytest.raises(Clash, match="your own account"):
        admin.set_disabled(arena, only, only.account_id)
    second = player(arena, "second", role="admin")
    admin.set_disabled(arena, only, second.account_id)
    with pytest.raises(Clash, match="last admin"):
        admin.set_role(arena, only, only.account_id, "organiser")
