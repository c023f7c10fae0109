"""The log, the files and the connections of a contest."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool
from support.arena import postgres as arena_postgres

from icefire.arena import ids
from icefire.arena.storage import database as databases
from icefire.arena.storage import log
from icefire.arena.storage.database import Database
from icefire.arena.storage.store import Store
from icefire.arena.storage.tables import EventRow
from icefire.core.errors import InputError

NOW = datetime(2026, 5, 1, tzinfo=UTC)


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


@pytest.fixture
def on_postgresql(postgres_address):
    database = Database(arena_postgres.new_database(postgres_address, ids.new_id()))
    yield database
    database.close()


def _end_all_connections(database):
    """Have the database server end every connection but one that is made for this."""
    with create_engine(database.engine.url, poolclass=NullPool).connect() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )


def test_a_connection_that_has_rested_is_tried_before_it_is_used(on_postgresql, monkeypatch):
    pids = [_pid(on_postgresql) for _ in range(2)]
    assert pids[0] == pids[1]  # one connection is used again and again
    _end_all_connections(on_postgresql)
    monkeypatch.setattr(databases, "REST_SECONDS", 0)
    assert _pid(on_postgresql) != pids[0]  # the dead one was noticed, and nobody met an error
    monkeypatch.undo()
    _end_all_connections(on_postgresql)
    with pytest.raises(OperationalError):  # just used: it is taken as it is, the failure is a named one
        _pid(on_postgresql)
    assert _pid(on_postgresql)


def _pid(database):
    with database.reading() as session:
        return session.scalar(text("SELECT pg_backend_pid()"))
