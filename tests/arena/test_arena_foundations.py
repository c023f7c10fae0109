"""The parts every arena stands on: the log, the phases, the doors, the store, on SQLite and PostgreSQL."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from icefire.arena import ids
from icefire.arena.auth import accounts, actor, invitations, login, passwords, sessions, teams, throttling, tokens
from icefire.arena.contest import phases
from icefire.arena.contest.definition import PHASES, Definition, checked, parse
from icefire.arena.errors import Clash, NotLoggedIn, Refused, TooMany, WrongInput
from icefire.arena.storage import log
from icefire.arena.storage.database import Database
from icefire.arena.storage.store import Store
from icefire.arena.storage.tables import AttemptRow, Base, EventRow, PhaseRow
from icefire.core.errors import IcefireError, InputError

NOW = datetime(2026, 5, 1, tzinfo=UTC)
TOML = """
title = "Test"
rules = "pwscup2015"
zone = "Asia/Tokyo"

[[round]]
name = "final"
data = "original.csv"
anonymise = 2026-05-01T09:00:00
freeze = 2026-05-02T09:00:00
attack = 2026-05-03T09:00:00
reveal = 2026-05-04T09:00:00
"""


@pytest.fixture
def database(tmp_path):
    made = Database(f"sqlite:///{tmp_path / 'arena.db'}")
    Base.metadata.create_all(made.engine)
    yield made
    made.close()


def times(definition: Definition, session) -> None:
    for one in definition.rounds:
        for name, starts in one.starts().items():
            session.add(PhaseRow(round=one.name, name=name, starts=starts))


# --- definition and phases


def test_local_times_are_those_of_the_zone():
    assert parse(TOML).rounds[0].anonymise == datetime(2026, 5, 1, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("Asia/Tokyo", "Atlantis"), "Asia/Tokyo or"),
        (('"pwscup2015"', '"pwscup2051"'), "no contest is called 'pwscup2051'"),
        (("title =", "tilte ="), "tilte"),
        (("2026-05-03", "2026-04-03"), "attack .* begins before freeze"),
        (('"original.csv"', '"../original.csv"'), "no file"),
        (("zone", "releases_per_team = 0\nzone"), "at least 1"),
        (("[[round]]", "[[round]"), "not TOML"),
    ],
)
def test_a_definition_that_cannot_be_played_is_refused(tmp_path, change, said):
    (tmp_path / "original.csv").write_text("a\n1\n")
    with pytest.raises(IcefireError, match=said):
        checked(parse(TOML.replace(*change)), tmp_path)


def test_an_instant_belongs_to_the_phase_that_begins_with_it(database):
    definition = parse(TOML)
    with database.transaction() as session:
        times(definition, session)
    with database.reading() as session:
        for name, starts in definition.rounds[0].starts().items():
            before, at, after = (
                phases.rounds(session, definition, starts + timedelta(seconds=s))[0].phase for s in (-1, 0, 1)
            )
            assert at == after == name
            assert before == (["before", *PHASES][PHASES.index(name)])


def test_a_pause_stops_the_clock_and_moves_what_comes_later(database):
    definition = parse(TOML)
    middle = definition.rounds[0].anonymise + timedelta(hours=1)
    with database.transaction() as session:
        times(definition, session)
        phases.pause(session, middle)
    with database.transaction() as session:
        late = phases.rounds(session, definition, middle + timedelta(days=9))[0]
        assert (late.phase, late.paused, late.allows("anonymise")) == ("anonymise", True, False)
        assert phases.resume(session, middle + timedelta(hours=5)) == timedelta(hours=5)
        now = phases.rounds(session, definition, middle + timedelta(hours=5))[0]
        assert now.allows("anonymise")
        assert now.starts["freeze"] == definition.rounds[0].freeze + timedelta(hours=5)
        assert now.starts["anonymise"] == definition.rounds[0].anonymise


# --- the log


def test_a_changed_a_removed_and_an_inserted_line_are_found(database):
    with database.transaction() as session:
        for number in range(4):
            log.write(session, NOW, "judge", "note", number=number)
        assert log.verify(session) == []
    changes = {
        "UPDATE event SET actor = 'nobody' WHERE number = 2": "line 2 was changed",
        "DELETE FROM event WHERE number = 3": "line 3 is missing",
        "UPDATE event SET body = '{\"number\": 9}' WHERE number = 1": "line 1 was changed",
    }
    for change, said in changes.items():
        session = database._sessions()
        session.execute(text(change))
        assert any(said in problem for problem in log.verify(session))
        session.rollback()
        session.close()


def test_lines_written_at_once_form_one_chain(database):
    def write(number: int) -> None:
        with database.transaction() as session:
            log.write(session, NOW, "judge", "note", number=number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(40)))
    with database.reading() as session:
        assert session.query(EventRow).count() == 40
        assert log.verify(session) == []


# --- doors


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
    for _ in range(throttling.TRIES["account"]):
        with pytest.raises(NotLoggedIn):
            login.login(database, "Ann", "guess guess guess", "1.2.3.4", NOW)
    again = Database(database.url)
    with pytest.raises(TooMany) as refusal:
        login.login(again, "Ann", "correct horse battery", "9.9.9.9", NOW)
    assert 0 < refusal.value.seconds <= throttling.WINDOW.total_seconds() + 1
    assert login.login(again, "Ann", "correct horse battery", "9.9.9.9", NOW + throttling.WINDOW).name == "Ann"
    again.close()


def test_tries_at_once_count_like_tries_in_a_row(database, monkeypatch):
    monkeypatch.setattr(passwords, "matches", lambda password, stored: False)

    def attempt(number: int) -> type:
        with pytest.raises((NotLoggedIn, TooMany)) as refusal:
            login.login(database, "Ann", "guess guess guess", f"1.2.3.{number}", NOW)
        return refusal.type

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(attempt, range(2 * throttling.TRIES["account"])))
    assert answers.count(NotLoggedIn) == throttling.TRIES["account"]


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
        assert tokens.account_of(session, token).id == account.id
        sessions.close_all(session, account.id)
        assert sessions.session_owner(session, opened.cookie, NOW) is None


def test_a_forged_token_of_any_letters_is_simply_wrong():
    assert not ids.same("abc", "häß\udcff")
    assert ids.same("häß", "häß")


# --- teams


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


# --- the store


def test_the_vault_is_for_the_server_alone_and_names_are_our_own(tmp_path):
    store = Store(tmp_path)
    name = ids.new_id()
    store.put("truth", name, {"truth.csv": b"1\n2\n"})
    assert store.get("truth", name, "truth.csv") == b"1\n2\n"
    assert store.names("truth") == [name]
    assert stat.S_IMODE((tmp_path / "vault").stat().st_mode) == 0o700
    assert stat.S_IMODE(store.path("truth", name, "truth.csv").stat().st_mode) == 0o600
    for bad in ("../x", "/etc/passwd", "C:\\x", "a" * 300, "．．/x", name + "/../y", ""):
        with pytest.raises(InputError):
            store.path("release", bad, "released.csv")
        with pytest.raises(InputError):
            store.path("release", name, bad)
