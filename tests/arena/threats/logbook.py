"""Threat 18: rewriting the log, and doing something that it does not tell."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, func, select
from support.arena.fixtures import BEGIN

from icefire.arena.storage import log
from icefire.arena.storage.tables import EventRow
from threats import routes
from threats.world import World


def a_log_that_was_touched_is_told(world: World) -> None:
    """Change, take out, put in, swap and cut lines of the log: each is found."""
    with world.arena.database.reading() as session:
        assert log.verify(session) == [], "the log is broken from the beginning"
    last = len(world.events())
    changes = {
        "who": {"actor": "nobody"},
        "what": {"kind": "other"},
        "when": {"at": world.arena.now()},
        "the words": {"body": {"release": "0" * 32}},
        "the words and the hash": {"body": {}, "hash": "1" * 64},
        "the link": {"before": "0" * 64},
    }
    for what, change in changes.items():
        _check_found(world, what, lambda session, new=change: _set(session.get_one(EventRow, 5), new))
    _check_found(
        world, "a line taken out", lambda session: session.execute(delete(EventRow).where(EventRow.number == 5))
    )
    _check_found(world, "two lines swapped", _swap)
    _check_found(world, "a line put in", lambda session: session.add(_line(last + 2)))
    _check_found(world, "a line forged at the end", lambda session: session.add(_line(last + 1)))


def _set(line: EventRow, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(line, name, value)


def _swap(session: Any) -> None:
    one, other = session.get_one(EventRow, 5), session.get_one(EventRow, 6)
    one.body, other.body = other.body, one.body
    one.kind, other.kind = other.kind, one.kind


def _line(number: int) -> EventRow:
    return EventRow(number=number, at=BEGIN, actor="x", kind="team", body={}, before="0" * 64, hash="0" * 64)


def _check_found(world: World, what: str, change: Any) -> None:
    with world.arena.database._sessions() as session:
        change(session)
        session.flush()
        found = log.verify(session)
        session.rollback()
    assert found, f"nobody notices: {what}"


UNTOLD = ("/logout",)
"""Who leaves changes nothing."""


def every_action_leaves_a_line(world: World) -> None:
    """Do all that staff and players can do: each leaves a line, and no line before it changes."""
    world.add("lonely")
    world.add("fresh", "Fresh")
    silent, done = [], 0
    order = sorted(routes.bodies(world).items(), key=lambda pair: pair[0].path in ("/team/leave", "/logout"))
    for route, sent in order:
        before = [(one.number, one.hash) for one in world.rows(EventRow)]
        world.go("anonymise" if "submit" in route.path or route.path == "/api/v1/releases" else "attack")
        answer = routes.send(world, world.new_browser(sent.role), route, sent)
        after = [(one.number, one.hash) for one in world.rows(EventRow)]
        assert after[: len(before)] == before, f"{route} changed the log"
        done += answer.status_code < 400
        if answer.status_code < 400 and len(after) == len(before) and route.path not in UNTOLD:
            silent.append(route.path)
    assert done > 25, f"only {done} actions were possible"
    assert not silent, f"no line tells of {silent}"
    with world.arena.database.reading() as session:
        assert log.verify(session) == [], "the chain is broken"


# --- sabotages


def hash_nothing(world: World) -> None:
    world.patch.setattr(log, "line_hash", lambda *_: "0" * 64)
    with world.arena.database.transaction() as session:
        for line in session.query(EventRow):
            line.hash, line.before = "0" * 64, "0" * 64


def leave_out_the_words(world: World) -> None:
    real = log.line_hash
    world.patch.setattr(
        log, "line_hash", lambda key, n, at, who, kind, _, before: real(key, n, at, who, kind, {}, before)
    )
    with world.arena.database.transaction() as session:
        before = log.FIRST
        for line in session.query(EventRow).order_by(EventRow.number):
            line.before = before
            told = (line.number, line.at, line.actor, line.kind, line.body, before)
            line.hash = before = log.line_hash(world.arena.signer.log_key, *told)


def be_silent_about_staff(world: World) -> None:
    real = log.write

    def quiet(session: Any, at: Any, actor: str, kind: str, **body: Any) -> Any:
        return None if kind in ("rescored", "disqualified") else real(session, at, actor, kind, **body)

    world.patch.setattr(log, "write", quiet)


def tidy_up_the_log(world: World) -> None:
    real = log.write

    def tidy(session: Any, *told: Any, **body: Any) -> Any:
        oldest = session.scalar(select(func.min(EventRow.number)))
        session.execute(delete(EventRow).where(EventRow.number == oldest))
        return real(session, *told, **body)

    world.patch.setattr(log, "write", tidy)
