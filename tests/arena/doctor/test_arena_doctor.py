"""The doctor: what it finds in a competition, and what it repairs."""

from __future__ import annotations

import os
import stat

from sqlalchemy import delete, select, update
from support.arena.events import events
from support.arena.fixtures import BEGIN, DAY

from icefire.arena import admin, doctor, ids
from icefire.arena.judge import worker
from icefire.arena.storage import jobs
from icefire.arena.storage.tables import (
    AccountRow,
    EventRow,
    GuessRow,
    JobRow,
    PhaseRow,
    QuotaRow,
    ReleaseRow,
)


def texts(arena, **options) -> list[str]:
    return [f"{one.level}: {one.text}" for one in doctor.examine(arena, **options)]


def test_a_healthy_competition_has_no_findings(played, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # others may have left something in the system's
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 1 << 40})())
    assert doctor.examine(played.arena) == []


def test_the_doctor_finds_and_closes_what_others_can_open(played):
    arena = played.arena
    release = arena.store.path("release", arena.store.names("release")[0], "released.csv")
    opened = {arena.folder: 0o755, arena.folder / "arena.db": 0o644, arena.folder / "store": 0o711, release: 0o640}
    for path, mode in opened.items():
        path.chmod(mode)
    found = texts(arena)
    for name, mode in (("the folder", "755"), ("arena.db", "644"), ("store", "711")):
        assert f"error: {name} is open to others (mode {mode})" in found
    assert f"error: {release.relative_to(arena.folder)} is open to others (mode 640)" in found
    texts(arena, fix=True)
    assert [stat.S_IMODE(path.stat().st_mode) for path in opened] == [0o700, 0o600, 0o700, 0o600]


def test_the_doctor_finds_what_older_judges_left_in_the_temporary_folder(played, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left, young = tmp_path / "icefire-judge-abc", tmp_path / "icefire-judge-def"
    for folder in (left, young):
        folder.mkdir()
        (folder / "truth.csv").write_text("1\n")
    os.utime(left, (1, 1))
    assert any(str(left) in one for one in texts(played.arena))
    texts(played.arena, fix=True)
    assert (left.exists(), young.exists()) == (False, True)


def test_the_doctor_finds_what_was_lost_and_changed(played):
    arena = played.arena
    truth, handed = arena.store.names("truth")[0], arena.store.names("handed")[0]
    arena.store.path("truth", truth, "truth.csv").unlink()
    path = arena.store.path("handed", handed, "correspondence.csv")
    path.write_bytes(path.read_bytes() + b"0\n")
    guess = arena.store.path("guess", arena.store.names("guess")[0], "guess.csv")
    guess.write_bytes(b"0\n")
    with arena.database.transaction() as session:
        session.get(EventRow, 2).kind = "nothing"
    found = texts(arena, fix=True)
    for said in (
        f"error: truth/{truth}/truth.csv is missing",
        f"error: handed/{handed} is not what the receipt says",
        f"error: guess/{guess.parent.name} is not what the receipt says",
    ):
        assert said in found
    assert any("tampered with: line 2 was changed" in one for one in found)


def test_the_doctor_cures_what_can_be_cured(played):
    arena = played.arena
    (arena.store.vault).chmod(0o755)
    (arena.store.vault / "key").chmod(0o644)
    stray, young = ids.new_id(), ids.new_id()
    for name in (stray, young):
        arena.store.put("truth", name, {"truth.csv": b"0\n"})
    folder = arena.store.path("truth", stray, "x.csv").parent
    os.utime(folder, (1, 1))
    with arena.database.transaction() as session:
        release = session.scalars(select(ReleaseRow).where(ReleaseRow.round == "final", ReleaseRow.in_play)).first()
        release.state = "waiting"
        session.execute(delete(JobRow).where(JobRow.about == release.id))
        guess = session.scalars(select(GuessRow)).first()
        session.execute(
            update(JobRow).where(JobRow.about == guess.id).values(state="failed", error="Traceback\nOSError: x")
        )
        session.execute(update(QuotaRow).values(used=7))
    found = texts(arena)
    for said in (
        "error: vault is open to others (mode 755)",
        "error: vault/key is open to others (mode 644)",
        f"warning: truth/{stray} belongs to no submission",
        f"error: release {release.id} waits for the judge and is not in the queue",
        f"error: the judge failed at the guess job about {guess.id}: OSError: x",
    ):
        assert said in found
    assert sum("7 releases and 2 submissions are counted, it has 1 and 2" in one for one in found) == 2
    left = texts(arena, fix=True)
    assert {one.partition(":")[0] for one in left if "MB are free" not in one} == {"fixed"}
    assert stat.S_IMODE(arena.store.vault.stat().st_mode) == 0o700
    assert not folder.exists()
    assert arena.store.has("truth", young, "truth.csv")  # it may be a submission on its way
    assert {one.about for one in admin.queue(arena, played.admin)} == {release.id, guess.id}
    worker.finish(arena)
    with arena.database.reading() as session:
        assert session.get(ReleaseRow, release.id).state == "judged"
        assert session.scalars(select(QuotaRow.used).distinct()).all() == [1]
        assert jobs.queue(session) == []
    assert "doctor" in [kind for kind, *_ in events(arena)[-6:]]


def test_the_doctor_looks_at_clock_times_worker_and_staff(played):
    arena = played.arena
    arena.clock.set(arena.definition.rounds[1].attack + DAY / 2)
    assert any("the clock says" in one for one in texts(arena))
    with arena.database.transaction() as session:
        session.merge(PhaseRow(round="final", name="freeze", starts=BEGIN + 30 * DAY))
        jobs.again(session, "guess", session.scalars(select(GuessRow.id)).first(), BEGIN)
        session.execute(update(AccountRow).values(disabled=True))
        session.execute(update(ReleaseRow).where(ReleaseRow.round == "preliminary").values(round="semi"))
    found = texts(arena)
    for said in (
        "error: round 'final': attack begins before freeze",
        "error: round 'semi' has releases and is not in contest.toml",
        "warning: 1 jobs have waited for more than 10 minutes",
        "warning: there is no organiser",
    ):
        assert said in found


def test_the_doctor_has_a_board_frozen_that_should_be(played):
    arena = played.arena
    from icefire.arena.storage.tables import SnapshotRow

    arena.clock.set(arena.definition.rounds[1].attack + DAY / 2)
    with arena.database.transaction() as session:
        session.execute(delete(SnapshotRow))
    said = "round 'final': the frozen board is not stored yet"
    assert f"warning: {said}" in texts(arena)
    assert f"fixed: {said}" in texts(arena, fix=True)
    with arena.database.reading() as session:
        assert session.get(SnapshotRow, "final") is not None
