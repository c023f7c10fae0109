"""Backups: made while a competition runs, restored to an empty folder with the same boards."""

from __future__ import annotations

import stat
import threading
import zipfile
from datetime import timedelta

import pytest
from sqlalchemy import select
from support.arena.fixtures import player, release_files
from support.arena.played import boards, run_here

from icefire.arena import bundle, doctor
from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.bundle import unpacking
from icefire.arena.judge import sandbox, worker
from icefire.arena.storage import log
from icefire.arena.storage.tables import BrowserSessionRow, ReleaseRow
from icefire.arena.submit import ice
from icefire.core.errors import InputError, OutputError

JUDGE = Actor("j" * 32, "judge", "judge")


def same_boards(one, another) -> bool:
    return all(boards(one, actor) == boards(another, actor) for actor in (VISITOR, JUDGE))


def test_a_backup_gives_the_same_competition(played, tmp_path, reopen, database_url):
    arena = played.arena
    written = bundle.backup(arena, tmp_path / "backups")
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert stat.S_IMODE(written.parent.stat().st_mode) == 0o700
    done = bundle.restore(written, tmp_path / "again", database_url, arena.clock)
    assert done.problems == ()
    again = reopen(tmp_path / "again", arena.now(), database_url)
    assert same_boards(again, arena)
    assert any(row["rank"] for row in boards(again, VISITOR)[0]["ice"]["rows"])
    assert [one for one in doctor.examine(again) if one.level == "error"] == []
    with again.database.reading() as session, arena.database.reading() as before:
        opened = select(BrowserSessionRow.id)
        assert session.scalars(opened).all() == before.scalars(opened).all() != []
    back = bundle.restore(bundle.backup(again, tmp_path / "more"), tmp_path / "once more", clock=arena.clock)
    assert back.problems == ()
    assert same_boards(reopen(tmp_path / "once more", arena.now()), arena)


def test_a_backup_made_while_teams_hand_in_is_whole(make_arena, original, tmp_path, reopen, database_url, monkeypatch):
    monkeypatch.setattr(sandbox, "run_task", run_here)
    arena = make_arena(database_url, more="releases_per_team = 40\nsubmissions_per_team = 40")
    team, stop, handed_in = player(arena, "one", "One"), threading.Event(), threading.Event()

    def hand_in() -> None:
        for number in range(40):
            if not stop.is_set():
                ice.submit(arena, team, "final", release_files(original, number))
                handed_in.set()

    sending = threading.Thread(target=hand_in)
    sending.start()
    assert handed_in.wait(60)
    backups = []
    for _ in range(3):
        backups.append(bundle.backup(arena, tmp_path / "backups"))
        arena.clock.set(arena.now() + timedelta(seconds=1))
    stop.set()
    sending.join()
    for number, one in enumerate(backups):
        assert bundle.restore(one, tmp_path / f"again{number}", clock=arena.clock).problems == ()
        again = reopen(tmp_path / f"again{number}", arena.now())
        with again.database.reading() as session:
            stored = session.scalars(select(ReleaseRow.id)).all()
            assert log.verify(session) == []
        assert stored
        assert sorted(stored) == again.store.names("release") == again.store.names("truth")
        worker.finish(again)
        assert [one for one in doctor.examine(again) if one.level == "error"] == []


def test_only_the_newest_backups_are_kept_and_other_files_stay(played, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    (folder / "icefire-notes.zip").write_text("mine")
    written = []
    for _ in range(4):
        written.append(bundle.backup(played.arena, folder, keep=2))
        played.arena.clock.set(played.arena.now() + timedelta(seconds=1))
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*(path.name for path in written[-2:]), "icefire-notes.zip"]
    )


def test_a_backup_is_never_written_over_another_or_into_a_file(played, tmp_path):
    bundle.backup(played.arena, tmp_path / "backups")
    with pytest.raises(OutputError):
        bundle.backup(played.arena, tmp_path / "backups")  # within the same second
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match="name a folder"):
        bundle.backup(played.arena, tmp_path / "file")


def test_a_damaged_backup_is_refused(played, tmp_path):
    written = bundle.backup(played.arena, tmp_path / "backups")
    with zipfile.ZipFile(written) as archive:
        info = archive.getinfo("contest.toml")
    data = bytearray(written.read_bytes())
    data[info.header_offset + 30 + len(info.filename) + 5] ^= 0xFF
    broken = tmp_path / "broken.zip"
    broken.write_bytes(data)
    with pytest.raises(InputError, match="damaged"), unpacking.opened(broken) as pack:
        pack.check_all()
    with pytest.raises(InputError, match="damaged"):
        bundle.restore(broken, tmp_path / "again")
    assert not (tmp_path / "again").exists()
