"""The log and the files of a contest."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from icefire.arena import ids
from icefire.arena.storage import log
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
