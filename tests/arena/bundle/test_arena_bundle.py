"""The judge's bundle: a whole competition in one file, restored without loss."""

from __future__ import annotations

import stat

import pytest
from sqlalchemy import select
from support.arena.played import BEGIN, DAY, boards

from icefire.arena import admin as admin_module
from icefire.arena import bundle, doctor
from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.clock import SetClock
from icefire.arena.contest import signing
from icefire.arena.errors import NotLoggedIn, Refused
from icefire.arena.judge import worker
from icefire.arena.storage import log
from icefire.arena.storage.tables import (
    AccountRow,
    BrowserSessionRow,
    EventRow,
    GuessRow,
    ReleaseRow,
    TokenRow,
)
from icefire.arena.submit import receipts
from icefire.core.errors import InputError, OutputError

CLOCK = SetClock(BEGIN + 7.5 * DAY)
JUDGE = Actor("j" * 32, "judge", "judge")


def test_the_judges_bundle_gives_the_same_competition(played, tmp_path, reopen):
    arena = played.arena
    target = bundle.export(arena, None, tmp_path / "all.zip", public=False)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    done = bundle.restore(target, tmp_path / "again", clock=CLOCK)
    assert done.problems == ()
    again = reopen(tmp_path / "again", arena.now())
    for actor in (VISITOR, JUDGE):
        assert boards(again, actor) == boards(arena, actor)
    assert any(row["rank"] for row in boards(again, VISITOR)[0]["ice"]["rows"])
    assert again.signer.public_key == arena.signer.public_key
    with again.database.reading() as session, arena.database.reading() as before:
        for one in before.scalars(select(ReleaseRow)):
            receipt = receipts.release_receipt(again, session, session.get(ReleaseRow, one.id))
            assert receipt == receipts.release_receipt(arena, before, one)
            assert signing.verify(receipt, arena.signer.public_key)
        assert (
            session.scalars(select(AccountRow.password).where(AccountRow.name == "somebody"))
            .one()
            .startswith("$argon2")
        )
        assert session.scalars(select(BrowserSessionRow)).all() == []
        assert len(session.scalars(select(TokenRow)).all()) == 1
        assert session.scalars(select(GuessRow.id)).all()
    assert [one for one in doctor.examine(again) if one.level == "error"] == []


def test_the_log_goes_on_where_it_ended(played, tmp_path, reopen):
    target = bundle.export(played.arena, None, tmp_path / "all.zip", public=False)
    bundle.restore(target, tmp_path / "again", clock=CLOCK)
    again = reopen(tmp_path / "again", played.arena.now())
    admin_module.announce(again, played.admin, "We are back.")
    with again.database.reading() as session, played.arena.database.reading() as before:
        old, new = (list(one.scalars(select(EventRow).order_by(EventRow.number))) for one in (before, session))
        assert [one.hash for one in new[: len(old)]] == [one.hash for one in old]
        assert [one.kind for one in new[len(old) - 1 :]] == ["export", "restored", "announcement"]
        assert log.verify(session) == []


def test_a_log_that_was_tampered_with_is_told_when_it_is_restored(played, tmp_path):
    with played.arena.database.transaction() as session:
        session.get(EventRow, 3).actor = "nobody"
    target = bundle.export(played.arena, None, tmp_path / "all.zip", public=False)
    assert any("line 3 was changed" in one for one in bundle.restore(target, tmp_path / "again", clock=CLOCK).problems)


def test_judging_again_from_the_archive_gives_the_same(played, tmp_path, reopen):
    target = bundle.export(played.arena, None, tmp_path / "all.zip", public=False)
    bundle.restore(target, tmp_path / "again", clock=CLOCK)
    again = reopen(tmp_path / "again", played.arena.now())
    before = boards(again, JUDGE)
    for one in again.definition.rounds:
        admin_module.rescore(again, played.admin, round_name=one.name)
    assert worker.finish(again) == 2 * (1 + 5 + 12)
    assert boards(again, JUDGE) == before


def test_from_sqlite_to_postgresql_and_back(played, tmp_path, reopen, postgres_address):
    from support.arena import postgres as arena_postgres

    from icefire.arena import ids

    url = arena_postgres.new_database(postgres_address, ids.new_id())
    wanted = boards(played.arena, VISITOR)
    first = bundle.export(played.arena, None, tmp_path / "one.zip", public=False)
    bundle.restore(first, tmp_path / "there", url, clock=CLOCK)
    there = reopen(tmp_path / "there", played.arena.now(), url)
    assert not there.database.is_sqlite
    assert boards(there, VISITOR) == wanted
    second = bundle.export(there, None, tmp_path / "two.zip", public=False)
    bundle.restore(second, tmp_path / "back", clock=CLOCK)
    back = reopen(tmp_path / "back", played.arena.now())
    assert boards(back, VISITOR) == wanted
    with back.database.reading() as session:
        assert log.verify(session) == []
    with pytest.raises(InputError, match="holds a competition already"):
        bundle.restore(first, tmp_path / "third", url, clock=CLOCK)
    assert not (tmp_path / "third").exists()


def test_a_database_is_emptied_again_when_the_folder_cannot_be_made(played, tmp_path, postgres_address, monkeypatch):
    from support.arena import postgres as arena_postgres

    from icefire.arena import ids
    from icefire.arena.bundle import restoring

    url = arena_postgres.new_database(postgres_address, ids.new_id())
    target = bundle.export(played.arena, None, tmp_path / "one.zip", public=False)
    with monkeypatch.context() as broken:
        broken.setattr("os.replace", lambda *a: (_ for _ in ()).throw(OSError("full")))
        with pytest.raises(OSError, match="full"):
            bundle.restore(target, tmp_path / "there", url, clock=CLOCK)
    assert not (tmp_path / "there").exists()
    left = restoring.Database(url)
    restoring._check_empty(left)
    left.close()
    assert bundle.restore(target, tmp_path / "there", url, clock=CLOCK).problems == ()


def test_only_the_operator_gets_the_judges_bundle(played, tmp_path):
    for actor, error in ((played.admin, Refused), (JUDGE, Refused), (played.teams[0], Refused), (VISITOR, NotLoggedIn)):
        with pytest.raises(error):
            bundle.export(played.arena, actor, tmp_path / "all.zip", public=False)
    for actor in (JUDGE, played.teams[0], VISITOR):
        with pytest.raises(Refused):
            bundle.export(played.arena, actor, tmp_path / "all.zip", public=True)
    assert list(tmp_path.glob("*.zip")) == []
    bundle.export(played.arena, played.admin, tmp_path / "public.zip", public=True)
    with played.arena.database.reading() as session:
        last = session.scalars(select(EventRow).order_by(EventRow.number.desc()).limit(1)).one()
        assert (last.kind, last.actor, last.body) == ("export", played.admin.account_id, {"public": True})


def test_a_full_folder_is_not_written_into(played, tmp_path):
    target = bundle.export(played.arena, None, tmp_path / "all.zip", public=False)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="holds something already"):
        bundle.restore(target, tmp_path / "there", clock=CLOCK)
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["mine.txt"]
