"""Copies of withdrawn releases are removed after the contest's retention, and nothing else is."""

from __future__ import annotations

import pytest
from support.arena.events import events
from support.arena.fixtures import DAY, player, release_files
from support.arena.played import run_here

from icefire.arena import admin, doctor
from icefire.arena.boards import reading
from icefire.arena.contest import quotas
from icefire.arena.errors import Absent, Clash
from icefire.arena.judge import sandbox, worker
from icefire.arena.storage.tables import QuotaRow, ReleaseRow
from icefire.arena.submit import fire, ice


def test_only_what_left_the_competition_is_removed(make_arena, original, monkeypatch):
    monkeypatch.setattr(sandbox, "run_task", run_here)
    arena = make_arena(more="keep_withdrawn_days = 3")
    ann, judge = player(arena, "ann", "Ice"), player(arena, "judge", role="judge")
    left, late, stays = (ice.submit(arena, ann, "final", release_files(original, seed)).id for seed in (1, 2, 3))
    ice.withdraw(arena, ann, left)
    worker.finish(arena)
    arena.clock.set(arena.definition.rounds[0].attack)
    ice.withdraw(arena, ann, late)
    worker.finish(arena)
    assert arena.store.has("handed", left, "released.csv")
    arena.clock.set(arena.definition.rounds[0].anonymise + 4 * DAY)
    worker.finish(arena)
    assert [arena.store.has(shelf, left, "released.csv") for shelf in ("handed", "release")] == [False, False]
    assert not arena.store.has("truth", left, "truth.csv")
    assert all(arena.store.has("handed", one, "released.csv") for one in (late, stays))
    with arena.database.reading() as session:
        row = session.get(ReleaseRow, left)
        assert (row.removed, len(row.sha256)) == (arena.now(), 64)
    assert [body["release"] for kind, _, body in events(arena) if kind == "removed"] == [left]
    with pytest.raises(Absent):
        fire.download(arena, judge, left)
    with pytest.raises(Clash, match="removed after it was withdrawn"):
        admin.rescore(arena, judge, release_id=left)
    assert not [one for one in doctor.examine(arena) if left in one.text]
    with arena.database.reading() as session:
        assert left in {one.id for one in reading.round_facts(session, arena, "final", judge).releases}


def test_the_quota_is_exact_after_the_doctor(make_arena, original, monkeypatch):
    monkeypatch.setattr(sandbox, "run_task", run_here)
    arena = make_arena(more="releases_per_team = 2\nsubmissions_per_team = 4")
    ann = player(arena, "ann", "Ice")
    first = ice.submit(arena, ann, "final", release_files(original, 1)).id
    ice.withdraw(arena, ann, first)
    ice.submit(arena, ann, "final", release_files(original, 2))
    with arena.database.transaction() as session:
        row = session.get(QuotaRow, ("final", ann.team_id))
        row.used, row.submitted = 0, 0
    doctor.examine(arena, fix=True)
    with arena.database.reading() as session:
        now = quotas.team_quota(session, arena, "final", ann.team_id)
    assert (now.used, now.submitted, now.left) == (1, 2, 1)
    ice.submit(arena, ann, "final", release_files(original, 3))
    with pytest.raises(Clash, match="quota is used up"):
        ice.submit(arena, ann, "final", release_files(original, 4))
