"""A competition that was played with the first version of the tables, served by this one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from alembic import command
from sqlalchemy import MetaData, inspect, select
from support.arena.played import boards

from icefire.arena.auth.actor import VISITOR
from icefire.arena.storage import database as databases
from icefire.arena.storage import log
from icefire.arena.storage.tables import Base, EventRow


def plain_chain(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give lines the plain hashes of the first version."""
    before = log.FIRST
    for line in lines:
        line["before"] = before
        told = (line["number"], line["at"], line["actor"], line["kind"], line["body"], before)
        line["hash"] = before = log.line_hash(None, *told)
    return lines


def in_first_tables(arena: Any, url: str) -> None:
    """Copy what is stored into tables as the first version made them."""
    old = databases.Database(url)
    command.upgrade(databases._alembic(old), "0001")
    assert "account_address" not in inspect(old.engine).get_table_names()
    known = MetaData()
    known.reflect(old.engine)
    with arena.database.reading() as session, old.engine.begin() as connection:
        for table in Base.metadata.sorted_tables:
            rows = [dict(one) for one in session.execute(select(table)).mappings()]
            rows = plain_chain(sorted(rows, key=lambda one: one["number"])) if table.name == "event" else rows
            if table.name in known.tables and rows:
                first = known.tables[table.name]
                kept = set(first.columns.keys())
                connection.execute(first.insert(), [{k: v for k, v in one.items() if k in kept} for one in rows])
    old.close()


@pytest.fixture
def migrated(played: Any, reopen: Any, database_url: str | None, tmp_path: Any) -> Any:
    url = database_url or f"sqlite:///{tmp_path / 'first.db'}"
    in_first_tables(played.arena, url)
    return reopen(played.arena.folder, played.arena.now(), url)


def test_a_played_competition_of_the_first_version_keeps_its_rankings(played, migrated):
    assert json.dumps(boards(migrated, VISITOR), default=str) == json.dumps(boards(played.arena, VISITOR), default=str)


def test_the_plain_log_is_closed_by_a_line_with_the_key(migrated):
    with migrated.database.transaction() as session:
        keyed = session.scalars(select(EventRow).where(EventRow.kind == log.KEYED)).one()
        assert keyed.body == {"lines": keyed.number - 1}
        log.write(session, migrated.now(), "judge", "note")
        assert log.verify(session) == []
    with migrated.database._sessions() as session:
        lines = session.scalars(select(EventRow).where(EventRow.number < keyed.number).order_by(EventRow.number)).all()
        lines[1].actor = "nobody"
        fields = ("number", "at", "actor", "kind", "body")
        for line, new in zip(lines, plain_chain([{k: getattr(o, k) for k in fields} for o in lines]), strict=True):
            line.before, line.hash = new["before"], new["hash"]
        session.flush()
        assert log.verify(session) == [f"line {keyed.number} does not follow from the line before it"]
        session.rollback()
