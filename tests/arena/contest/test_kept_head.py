"""The head of the log in the vault: who has the database alone cannot drop the last lines unseen."""

from __future__ import annotations

import pytest
from sqlalchemy import delete
from support.arena.fixtures import player

from icefire.arena import doctor, verify
from icefire.arena.contest import kept_head
from icefire.arena.contest.kept_head import HeadKeeper
from icefire.arena.storage import log
from icefire.arena.storage.tables import EventRow


@pytest.fixture
def keep(arena):
    """Have the server's keeper look at the log, as it does every second."""
    keeper = HeadKeeper(arena)

    def look() -> None:
        with arena.database.reading() as session:
            keeper.keep_up(session)

    return look


def written(arena, kind: str = "export") -> int:
    with arena.database.transaction() as session:
        return log.write(session, arena.now(), "admin", kind).number


def problems(arena) -> list[str]:
    with arena.database.reading() as session:
        return verify.problems(arena, session)


def drop(arena, number: int) -> None:
    with arena.database.transaction() as session:
        session.execute(delete(EventRow).where(EventRow.number == number))


def test_a_dropped_last_line_is_named(arena, keep):
    last = written(arena)
    keep()
    assert problems(arena) == []
    drop(arena, last)
    assert problems(arena) == [f"vault/log_head.json: line {last} of the log is gone; the log has {last - 1} lines"]


def test_without_a_kept_head_a_shorter_chain_is_a_whole_chain(arena):
    drop(arena, written(arena))
    assert problems(arena) == []


def test_lines_that_take_the_place_of_dropped_ones_do_not_take_the_evidence(arena, keep):
    last = written(arena)
    keep()
    drop(arena, last)
    written(arena, "note")
    written(arena, "note")
    keep()
    HeadKeeper(arena)
    assert problems(arena) == [
        f"vault/log_head.json: line {last} of the log is another one than was published: "
        "the log up to it was written anew"
    ]


def test_the_head_moves_on_with_the_log_and_never_back(arena, keep):
    player(arena, "ann", "Snow")
    keep()
    first = kept_head.read(arena)
    written(arena)
    with arena.database.reading() as older:
        log.newest(older)  # another server, whose view of the database is of this moment
        last = written(arena)
        keep()
        HeadKeeper(arena).keep_up(older)
    second = kept_head.read(arena)
    assert first is not None
    assert second is not None
    assert first.log_line < second.log_line == last
    assert problems(arena) == []


def test_it_is_the_servers_alone_and_the_doctor_knows_it(arena, keep):
    written(arena)
    keep()
    assert kept_head.path(arena).stat().st_mode & 0o777 == 0o600
    assert not any("log_head" in finding.text for finding in doctor.examine(arena, fix=False))
