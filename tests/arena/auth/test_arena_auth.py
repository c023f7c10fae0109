"""Passwords, throttling, sessions, tokens, invitations and teams."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlalchemy import text
from support.arena.definition import TOML

from icefire.arena import ids
from icefire.arena.auth import accounts, actor, invitations, login, passwords, sessions, teams, throttling, tokens
from icefire.arena.contest.definition import parse
from icefire.arena.errors import Clash, NotLoggedIn, Refused, TooMany, WrongInput
from icefire.arena.storage.database import Database
from icefire.arena.storage.tables import AttemptRow

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def test_a_password_opens_only_its_own_account(database):
    with database.transaction() as session:
        accounts.add_account(session, "Ann", "correct horse battery", NOW)
    assert login.login(database, " ann ", "correct horse battery", "1.2.3.4", NOW).name == "Ann"
    for name, password in (("Ann", "wrong password"), ("Bob", "correct horse battery"), ("Ann\0", "")):
        with pytest.raises(NotLoggedIn, match="name or password is wrong"):
            login.login(database, name, password, "1.2.3.4", NOW)


def test_failures_lock_an_account_for_a_while_also_after_a_restart(database):
    with database.transaction() as session:
        accounts.add_account(session, "Ann", "correct horse battery", NOW)
    for _ in range(throttling.TRIES["pair"]):
        with pytest.raises(NotLoggedIn):
            login.login(database, "Ann", "guess guess guess", "1.2.3.4", NOW)
    again = Database(database.url)
    with pytest.raises(TooMany) as refusal:
        login.login(again, "Ann", "correct horse battery", "1.2.3.4", NOW)
    assert 0 < refusal.value.seconds <= throttling.WINDOW.total_seconds() + 1
    assert login.login(again, "Ann", "correct horse battery", "1.2.3.4", NOW + throttling.WINDOW).name == "Ann"
    again.close()


def test_tries_at_once_count_like_tries_in_a_row(database, monkeypatch):
    monkeypatch.setattr(passwords, "matches", lambda password, stored: False)

    def attempt(_: int) -> type:
        with pytest.raises((NotLoggedIn, TooMany)) as refusal:
            login.login(database, "Ann", "guess guess guess", "1.2.3.4", NOW)
        return refusal.type

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(attempt, range(2 * throttling.TRIES["pair"])))
    assert answers.count(NotLoggedIn) == throttling.TRIES["pair"]


def test_a_right_password_is_no_failure(database):
    with database.transaction() as session:
        accounts.add_account(session, "Ann", "correct horse battery", NOW)
    for _ in range(2):
        login.login(database, "Ann", "correct horse battery", "1.2.3.4", NOW)
    with database.reading() as session:
        assert session.query(AttemptRow).all() == []


def test_wrong_invitations_are_counted_though_nothing_else_is_stored(database):
    definition = parse('registration = "invite"\n' + TOML)
    for _ in range(throttling.TRIES["invite"]):
        with pytest.raises(Refused, match="not valid"):
            accounts.register(database, definition, "Ann", passwords.Hashed("x"), "a guess", "1.2.3.4", NOW)
    with pytest.raises(TooMany):
        accounts.register(database, definition, "Ann", passwords.Hashed("x"), "a guess", "1.2.3.4", NOW)


def test_names_that_look_alike_are_one_name(database):
    with database.transaction() as session:
        accounts.add_account(session, "Admin", "correct horse battery", NOW)
        for name in ("admin", " ADMIN ", "Ａｄｍｉｎ", "ad\u2060min", "Admin\u200b"):
            with pytest.raises((Clash, WrongInput)):
                accounts.add_account(session, name, "correct horse battery", NOW)


def test_sessions_and_tokens_are_stored_as_digests_and_end(database):
    with database.transaction() as session:
        account = accounts.add_account(session, "Ann", "correct horse battery", NOW)
        opened = sessions.open_session(session, account, NOW)
        token = tokens.new_token(session, account, "laptop", NOW)
        session.flush()
        stored = str(
            [tuple(row) for table in ("session", "token") for row in session.execute(text(f"select * from {table}"))]
        )
        assert opened.cookie not in stored
        assert token not in stored
        assert sessions.session_owner(session, opened.cookie, NOW)[0].account_id == account.id
        assert sessions.session_owner(session, "made up", NOW) is None
        assert sessions.session_owner(session, opened.cookie, NOW + sessions.SESSION_LIFE) is None
        assert tokens.find(session, token, NOW).account_id == account.id
        sessions.close_all(session, account.id)
        assert sessions.session_owner(session, opened.cookie, NOW) is None


def test_a_forged_token_of_any_letters_is_simply_wrong():
    assert not ids.same("abc", "häß\udcff")
    assert ids.same("häß", "häß")


def test_whoever_left_a_team_still_belongs_to_its_past(database):
    with database.transaction() as session:
        ann = accounts.add_account(session, "Ann", "correct horse battery", NOW)
        bob = accounts.add_account(session, "Bob", "correct horse battery", NOW)
        team = teams.create_team(session, actor.actor_of(session, ann), "Snow", NOW)
        code = invitations.new_invite(session, actor.actor_of(session, ann), team.id, NOW)
        teams.join_team(session, actor.actor_of(session, bob), code, NOW)
        with pytest.raises(Refused, match="not valid"):
            invitations.use_invite(session, code, NOW)
        teams.leave_team(session, actor.actor_of(session, ann), NOW)
        session.flush()
        assert actor.actor_of(session, bob).captain
        assert actor.actor_of(session, ann).team_id is None
        assert actor.actor_of(session, ann).past_teams == {team.id}


def test_an_invitation_expires(database):
    with database.transaction() as session:
        ann = accounts.add_account(session, "Ann", "correct horse battery", NOW)
        team = teams.create_team(session, actor.actor_of(session, ann), "Snow", NOW)
        code = invitations.new_invite(session, actor.actor_of(session, ann), team.id, NOW)
        with pytest.raises(Refused, match="not valid"):
            invitations.use_invite(session, code, NOW + invitations.INVITE_LIFE)
