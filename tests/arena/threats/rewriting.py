"""Threat 18, from within: somebody who has the database, or the server with its key, writes history anew."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from icefire.arena import bundle, verify
from icefire.arena.auth import accounts
from icefire.arena.contest import log_head, phases
from icefire.arena.storage import log, results
from icefire.arena.storage.tables import (
    AccountRow,
    EventRow,
    GuessRow,
    IdentifiedRow,
    MeasuredRow,
    PhaseRow,
    ReleaseRow,
    SettingRow,
    SnapshotRow,
    TeamRow,
)
from icefire.arena.submit import receipts
from icefire.arena.verify import published, tables
from threats.story import PASSWORD, ROUND
from threats.world import World

Change = Callable[[Session, World], None]
NEWCOMER = "newcomer"


def history_cannot_be_changed_in_the_tables(world: World) -> None:
    """Change arrivals, scores, boards and phases in the tables: the log says otherwise."""
    _tell_the_marks(world)
    with world.arena.database.transaction() as session:
        accounts.add_account(session, NEWCOMER, PASSWORD, world.arena.now())
    with world.arena.database.reading() as session:
        assert verify.problems(world.arena, session) == [], "something is wrong from the beginning"
    for what, change in TABLES.items():
        with world.arena.database._sessions() as session:
            change(session, world)
            session.flush()
            assert verify.problems(world.arena, session), f"nobody notices: {what}"
            session.rollback()


def history_cannot_be_written_anew(world: World) -> None:
    """With the server's own key, change tables and log alike and chain it anew: whoever kept something notices."""
    _tell_the_marks(world)
    for kept in _keep(world):
        with world.arena.database.reading() as session:
            assert verify.problems(world.arena, session, [kept]) == [], f"{kept.name} does not fit from the beginning"
        for what, change in ANEW.items():
            with world.arena.database._sessions() as session:
                change(session, world)
                session.flush()
                _chain_anew(session, world)
                assert verify.problems(world.arena, session) == [], "the forger was not careful enough"
                assert verify.problems(world.arena, session, [kept]), f"{kept.name} does not show: {what}"
                session.rollback()


def _tell_the_marks(world: World) -> None:
    """The story has set results that no judge found; have the log tell them as if the judge had."""
    with world.arena.database.transaction() as session:
        for release in session.scalars(select(ReleaseRow)):
            told = results.release_results(session, release.id)
            log.write(
                session, world.arena.now(), "judge", "judged", release=release.id, state=release.state, results=told
            )
        for guess in session.scalars(select(GuessRow)):
            told = results.guess_results(session, guess)
            log.write(session, world.arena.now(), "judge", "scored", guess=guess.id, state=guess.state, results=told)


def _keep(world: World) -> list[Path]:
    """Keep a receipt, a head and both bundles, as they are handed out after all that is changed later."""
    world.go("reveal")
    world.server.show(world.arena)
    files = {"page": world.as_("anonymous").get("/log/head.json").content}
    with world.arena.database.transaction() as session:
        guess = session.get_one(GuessRow, world.guesses["other"])
        guess.log_line = log.write(session, world.arena.now(), "x", "note").number  # a receipt of this very moment
        session.flush()
        files["receipt"] = msgspec.json.encode(receipts.guess_receipt(world.arena, session, guess))
        line = log.newest(session)
        assert line is not None
        files["head"] = msgspec.json.encode(log_head.signed_head(world.arena, line))
    kept = []
    for name, data in files.items():
        kept.append(world.tmp / f"{name}.json")
        kept[-1].write_bytes(data)
    for name, public in (("public", True), ("judge", False)):
        kept.append(bundle.export(world.arena, None, world.tmp / f"{name}.zip", public=public))
    return kept[1:]  # the page's own head may be older than what is changed


def _chain_anew(session: Session, world: World) -> None:
    before = log.FIRST
    lines = list(session.scalars(select(EventRow).order_by(EventRow.number)))
    for number, line in enumerate(lines, start=1):
        if line.number != number:
            session.execute(delete(EventRow).where(EventRow.number == line.number))
            session.expunge(line)
            line = EventRow(number=number, at=line.at, actor=line.actor, kind=line.kind, body=line.body)
            session.add(line)
        line.before = before
        told = (number, line.at, line.actor, line.kind, line.body, before)
        line.hash = before = log.line_hash(world.arena.signer.log_key, *told)
        session.flush()


def _arrive_earlier(session: Session, world: World) -> None:
    session.get_one(ReleaseRow, world.releases["third"]).received -= timedelta(hours=3)


def _score_better(session: Session, world: World) -> None:
    session.query(IdentifiedRow).where(IdentifiedRow.release_id == world.releases["author"]).update({"hits": 1})


def _measure_better(session: Session, world: World) -> None:
    session.query(MeasuredRow).where(MeasuredRow.release_id == world.releases["third"]).update({"value": 0.0})


def _rank_better(session: Session, world: World) -> None:
    session.query(SnapshotRow).where(SnapshotRow.round == ROUND).one().body = {"round": ROUND}


def _end_later(session: Session, world: World) -> None:
    session.get_one(PhaseRow, (ROUND, "freeze")).starts += timedelta(hours=1)


def _withdraw_unseen(session: Session, world: World) -> None:
    session.get_one(ReleaseRow, world.releases["other"]).withdrawn = world.arena.now()


def _lose_a_guess(session: Session, world: World) -> None:
    session.execute(delete(GuessRow).where(GuessRow.id == world.guesses["third"]))


def _take_out_of_play(session: Session, world: World) -> None:
    session.get_one(ReleaseRow, world.releases["other"]).in_play = False


def _bring_back_into_play(session: Session, world: World) -> None:
    session.get_one(ReleaseRow, world.releases["withdrawn"]).in_play = True


def _reveal_early(session: Session, world: World) -> None:
    session.merge(SettingRow(name=phases.ceremony(ROUND), value={"done": True}))


def _give_a_role(session: Session, world: World) -> None:
    session.query(AccountRow).where(AccountRow.name == NEWCOMER).one().role = "judge"


def _change_the_division(session: Session, world: World) -> None:
    session.get_one(TeamRow, world.people["third"].team_id).division = "students"


TABLES: dict[str, Change] = {
    "an arrival": _arrive_earlier,
    "a score": _score_better,
    "a measure": _measure_better,
    "a board": _rank_better,
    "a phase": _end_later,
    "a withdrawal": _withdraw_unseen,
    "a guess that is gone": _lose_a_guess,
    "a release taken out of play": _take_out_of_play,
    "a release brought back": _bring_back_into_play,
    "a reveal": _reveal_early,
    "a role": _give_a_role,
    "a division": _change_the_division,
}


def _arrive_earlier_in_both(session: Session, world: World) -> None:
    _arrive_earlier(session, world)
    release = session.get_one(ReleaseRow, world.releases["third"])
    session.get_one(EventRow, release.log_line).at = release.received


def _score_better_in_both(session: Session, world: World) -> None:
    _score_better(session, world)
    _measure_better(session, world)
    session.expire_all()
    for line in session.scalars(select(EventRow).where(EventRow.kind.in_(("judged", "scored")))):
        if line.kind == "judged":
            new: Any = results.release_results(session, line.body["release"])
        else:
            new = results.guess_results(session, session.get_one(GuessRow, line.body["guess"]))
        line.body = {**line.body, "results": new}


def _drop_a_line(session: Session, world: World) -> None:
    session.execute(delete(EventRow).where(EventRow.kind == "begun", EventRow.number == _a_line(session, "begun")))


def _a_line(session: Session, kind: str) -> int:
    return int(session.scalars(select(EventRow.number).where(EventRow.kind == kind)).all()[0])


ANEW: dict[str, Change] = {
    "an arrival": _arrive_earlier_in_both,
    "a score": _score_better_in_both,
    "a line dropped": _drop_a_line,
}


# --- sabotages


def compare_no_tables(world: World) -> None:
    world.patch.setattr(tables, "differences", lambda *_: [])


def believe_what_is_there(world: World) -> None:
    world.patch.setattr(published, "_line", lambda *_: iter(()))
    world.patch.setattr(published, "_lines", lambda *_: iter(()))


def chain_without_a_key(world: World) -> None:
    """What it was: anybody with the database can compute the hashes."""
    real = log.line_hash
    world.patch.setattr(log, "line_hash", lambda _, *told: real(None, *told))
    with world.arena.database.transaction() as session:
        _chain_anew(session, world)


def only_the_key_makes_lines(world: World) -> None:
    """Chain the log anew without the key, as whoever has only the database can: it does not verify."""
    with world.arena.database._sessions() as session:
        session.get_one(EventRow, 5).actor = "nobody"
        session.flush()
        before = log.FIRST
        for line in session.scalars(select(EventRow).order_by(EventRow.number)):
            line.before = before
            told = (line.number, line.at, line.actor, line.kind, line.body, before)
            line.hash = before = log.line_hash(None, *told)
        session.flush()
        assert log.verify(session), "nobody notices: the chain made anew"
        session.rollback()
