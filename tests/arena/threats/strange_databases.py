"""Threat 20: a database that is away or of another version, times beyond every calendar, passwords in addresses."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import text

from icefire.arena.contest import definition, instants
from icefire.arena.contest.arena import open_arena
from icefire.arena.storage import database as databases
from icefire.arena.storage import outages
from icefire.arena.storage.database import Database
from icefire.core.errors import InputError, OutputError, ParameterError
from threats.story import ROUND
from threats.world import World

NAMED = (InputError, ParameterError, OutputError)
AWAY = "postgresql://icefire:swordfish@127.0.0.1:9/none"


def a_database_that_is_away_is_told(world: World) -> None:
    """Ask while the database does not answer: 503 and when to come back, in words, for people and programs."""
    gone = Database(AWAY, world.arena.signer.log_key)
    world.server.show(dataclasses.replace(world.arena, database=gone))
    try:
        for path in ("/", "/board", "/login", "/api/v1/contest", "/api/v1/board"):
            answer = world.server.ask("GET", path)
            assert answer.status_code == 503, f"{path} without a database gave {answer.status_code}"
            assert "database cannot be reached" in answer.text
            assert int(answer.headers["retry-after"]) > 0
            assert "swordfish" not in answer.text
    finally:
        gone.close()
        world.server.show(world.arena)


def another_version_is_named(world: World) -> None:
    """Open a competition whose tables a newer version made, and a database that another program uses."""
    folder = world.arena.folder
    world.arena.database.close()
    with world.arena.database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    _check_named(lambda: open_arena(folder), "'9999'")
    with world.arena.database.engine.begin() as connection:
        connection.execute(text("DROP TABLE alembic_version"))
    _check_named(lambda: open_arena(folder), "another program")


def _check_named(work: Any, said: str) -> None:
    try:
        work()
        answer = "nothing"
    except NAMED as error:
        answer = str(error)
    except Exception as error:
        raise AssertionError(f"the answer is {type(error).__name__}") from error
    assert said in answer, f"the answer is {answer}"


def the_end_of_the_calendar_is_refused(world: World) -> None:
    """Move a phase to the last instant there is, by the desk and by the API, and write it into the definition."""
    world.go("anonymise")
    for written in ("9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59", "0001-01-01T00:00:00+14:00"):
        data = {"phase": "reveal", "at": written}
        answer = world.as_("admin").post(f"/desk/phases/{ROUND}/move", data)
        assert answer.status_code == 422, f"{written} at the desk gave {answer.status_code}"
        body = {"round": ROUND, "phase": "reveal", "at": written if written[-1:] == "0" else f"{written}Z"}
        headers = {"authorization": f"Bearer {world.token('admin')}"}
        sent = world.server.ask("POST", "/api/v1/phases", json=body, headers=headers)
        assert sent.status_code == 422, f"{written} by the API gave {sent.status_code}: {sent.text}"
    toml = (world.arena.folder / "contest.toml").read_text().replace("2026-", "9999-")
    _check_named(lambda: definition.parse(toml.replace("Z\n", "\n")), "2199")


def passwords_of_databases_are_not_printed(world: World) -> None:
    """Give addresses with a password that cannot be used, in every wrong way: no message repeats it."""
    wrong = (
        *("mysql://me:swordfish@host/cup", "postgres//me:swordfish@host", "postgresql://me:swordfish@host:port/cup"),
        *("postgresql://me:sword/fish@host:5432/cup", "postgresql://me:swordfish@[::1/cup", "me:swordfish@host"),
    )
    for url in wrong:
        try:
            Database(url)
        except InputError as error:
            said = str(error)
        except Exception as error:
            raise AssertionError(f"the answer is {type(error).__name__}: {error}") from error
        else:
            said = ""
        repeated = [one for one in ("swordfish", "sword/fish", "fish@") if one in said]
        assert not repeated, f"the password is printed: {said}"
    told = databases.without_password(
        'could not translate host name "fish@host": sword', "postgresql://me:sword@fish@host/x"
    )
    assert "sword" not in told, f"the password is printed: {told}"


# --- sabotages


def take_outages_for_faults(world: World) -> None:
    world.patch.setattr(outages, "is_outage", lambda _: False)


def upgrade_anything(world: World) -> None:
    """What it was: whatever is there is brought to the newest version."""
    from alembic import command

    world.patch.setattr(Database, "upgrade", lambda self: command.upgrade(databases._alembic(self), "head"))


def take_any_time(world: World) -> None:
    from icefire.arena.admin import timetable
    from icefire.arena.web.pages.admin import phases

    def as_it_is(at: datetime, zone: ZoneInfo) -> datetime:
        return (at.replace(tzinfo=zone) if at.tzinfo is None else at).astimezone(UTC)

    for module in (instants, definition, timetable, phases):
        world.patch.setattr(module, "in_utc", as_it_is)


def print_addresses(world: World) -> None:
    world.patch.setattr(databases, "shown", lambda url: url)


def repeat_what_was_said(world: World) -> None:
    world.patch.setattr(databases, "without_password", lambda said, _: said)
